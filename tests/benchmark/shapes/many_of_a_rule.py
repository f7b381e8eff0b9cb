"""Much of what single rules look for, and of what may excuse it."""

from tests.benchmark.shapes.registry import lines, shape


@shape
def layers_kept_in_lists(n: int) -> str:
    return (
        "class C(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        + lines(n, "        self.l{i} = [nn.Linear(1, 1) for _ in range(3)]\n")
        + "    def forward(self, x):\n"
        + lines(n, "        for m in self.l{i}: x = m(x)\n")
        + "        return x\n"
    )


@shape
def containers_told_to_move(n: int) -> str:
    return lines(n, "l{i} = [torch.zeros(1), torch.ones(1)]\nl{i}.cuda()\n")


@shape
def checkpoints_read(n: int) -> str:
    return lines(n, "s{i} = torch.load('a{i}.pt')\nm.load_state_dict(s{i})\n")


@shape
def moves_in_one_line(n: int) -> str:
    return "x = torch.zeros(1)\nif x: " + lines(n, "x.cuda(); ") + "\n"


@shape
def leaves_moved(n: int) -> str:
    return (
        lines(n, "w{i} = torch.zeros(1, requires_grad=True).cuda()\n")
        + "o = torch.optim.SGD(["
        + lines(n, "w{i}, ")
        + "], lr=1)\n"
    )


@shape
def decorated_functions(n: int) -> str:
    return (
        "def d(a):\n    def e(f):\n        def w(*a, **k):\n            return f(*a, **k)\n"
        "        return w\n    return e\n"
        + lines(n, "@d({i})\ndef g{i}(x):\n    return x + torch.zeros(1)\n")
    )


@shape
def annotated_functions(n: int) -> str:
    return lines(
        n,
        "def f{i}(x: torch.Tensor, y: 'torch.Tensor') -> torch.Tensor:\n"
        "    '''Do.\n\n    Args:\n        y (torch.Tensor): b\n    '''\n"
        "    return x[torch.arange(3)] + torch.zeros(3) + y\n",
    )


@shape
def layers_built_in_forward(n: int) -> str:
    return (
        "class C(nn.Module):\n    def forward(self, x):\n"
        + lines(n, "        x = nn.Linear(1, {i})(x)\n")
        + "        return x\n"
    )


@shape
def classes_that_keep_lists(n: int) -> str:
    return "class B(nn.Module):\n    pass\n" + lines(
        n,
        "class C{i}(B):\n    def __init__(self):\n        super().__init__()\n"
        "        self.l = [nn.Linear(1, 1), nn.Linear(1, 1)]\n    def forward(self, x):\n"
        "        for m in self.l: x = m(x)\n        return x\n",
    )


@shape
def optimizers_of_one_model(n: int) -> str:
    return (
        "m = nn.Linear(1, 1)\n"
        + lines(n, "o{i} = torch.optim.Adam(m.parameters())\n")
        + lines(n, "m.cuda()\no{i}.step()\n")
    )
