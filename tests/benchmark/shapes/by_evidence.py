"""Shapes of what is looked at for each of many findings: files, loops, trainers."""

from tests.benchmark.shapes.registry import lines, shape

_DEVICE = 'device = "cuda" if torch.cuda.is_available() else "cpu"\n'


@shape
def checkpoints_read_by_one_function(n: int) -> str:
    return (
        f"{_DEVICE}def f(model, p):\n"
        + lines(n, '    model.load_state_dict(torch.load(p + "{i}.pt"))\n')
        + "    return model.to(device)\n"
    )


@shape
def checkpoints_written_and_read(n: int) -> str:
    return f"{_DEVICE}def f(model, p):\n" + lines(
        n,
        '    torch.save(model.state_dict(), p + "b{i}.pt")\n'
        '    model.load_state_dict(torch.load(p + "a{i}.pt"))\n',
    )


@shape
def checkpoints_of_many_functions(n: int) -> str:
    return _DEVICE + lines(
        n,
        "def f{i}():\n    m = nn.Linear(1, 1).to(device)\n"
        '    torch.save(m.state_dict(), "a{i}.pt")\n'
        '    m.load_state_dict(torch.load("b{i}.pt"))\n    return m\n',
    )


@shape
def checkpoints_written_by_a_function(n: int) -> str:
    return f"{_DEVICE}def keep(m, p):\n    torch.save(m.state_dict(), p)\ndef run(m):\n" + lines(
        n, '    keep(m, "p{i}")\n    m.load_state_dict(torch.load("q{i}.pt"))\n'
    )


@shape
def loops_that_lose_what_they_move(n: int) -> str:
    return (
        "def f(x):\n    xs = [torch.zeros(1), torch.zeros(2)]\n"
        + lines(n, '    for t{i} in xs:\n        t{i} = t{i}.to("cuda")\n')
        + "    return nn.Linear(1, 1).cuda()(xs[0])\n"
    )


@shape
def modules_of_a_trainer(n: int) -> str:
    return "import pytorch_lightning as pl\n" + lines(
        n,
        "class L{i}(pl.LightningModule):\n    def training_step(self, batch, n):\n"
        "        x, y = batch\n        return x + torch.zeros({i})\n",
    )


@shape
def sizes_that_callers_tell(n: int) -> str:
    """Each of many parameters is a number for the one who calls, and some for a callee."""
    return (
        "def g(w):\n    return nn.Linear(w, 1)\n"
        f"def f({', '.join(f'w{i}' for i in range(n))}):\n"
        + lines(n, "    t{i} = torch.ones(w{i})\n")
        + "    return g(w0)\n"
        + f"f({', '.join(f'v{i}' for i in range(n))})\n"
    )


@shape
def arguments_that_one_function_gives(n: int) -> str:
    """Many functions are given what one large function gives, again and again."""
    return (
        "def big(x, y):\n"
        + lines(n, "    print({i}, x)\n")
        + "    return x, y\n"
        + lines(n, "def f{i}(x: torch.Tensor, y):\n    return x + torch.zeros(3)\n")
        + "def main(x, y):\n"
        + lines(12, "    x, y = big(x, y)\n")
        + lines(n, "    f{i}(x, y)\n")
    )
