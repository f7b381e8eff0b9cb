"""Shapes of an attack on what follows files, constructors and lengths through a program."""

from tests.benchmark.shapes.registry import lines, shape

_CHOSEN = (
    "import sys, os, shutil\nd = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
)
"""What a script begins with that may save and read on an accelerator."""
_CLASS = "class A(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"


@shape
def steps_of_a_constructor(n: int) -> str:
    steps = "    def _a{i}(self):\n        self.b{i} = torch.zeros(3)\n        self._a{k}()\n"
    return (
        f"{_CLASS}        self._a0()\n{lines(n, steps)}"
        "    def set(self, x):\n        self.b0 = x\n    def forward(self, x):\n"
        "        return x + self.b0\n"
    )


@shape
def parts_that_are_outgrown(n: int) -> str:
    made = "    def _a{i}(self, n):\n        self.b{i} = torch.zeros(n)\n"
    return (
        f"{_CLASS}{lines(n, '        self._a{i}(64)' + chr(10))}{lines(n, made)}"
        "    def forward(self, x):\n"
        + lines(n, "        if len(x) > len(self.b{i}):\n            self._a{i}(len(x))\n")
        + "        return x + self.b0\n"
    )


@shape
def heirs_that_build_anew(n: int) -> str:
    heirs = (
        "class H{k}(H{i}):\n    def _build(self):\n        self.t = torch.zeros({i})\n"
        "    def forward(self, x):\n        return x + self.t\n"
    )
    return (
        "class H0(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self._build()\n    def _build(self):\n        self.t = None\n{lines(n, heirs)}"
    )


@shape
def private_methods_used_again(n: int) -> str:
    return (
        f"{_CLASS}{lines(n, '        self._a{i}()' + chr(10))}"
        + lines(n, "    def _a{i}(self):\n        return self._a{j}() + torch.zeros({k})\n")
        + "    def forward(self, x):\n        return x + self._a1()\n"
    )


@shape
def files_by_pattern(n: int) -> str:
    return f"{_CHOSEN}m = nn.Linear(1, 1).to(d)\n" + lines(
        n,
        "def w{i}(m, p, e):\n    torch.save({'a{i}': m.state_dict()}, f'{p}/x{i}_{e}.pt')\n"
        "def r{i}(m, p, e):\n    m.load_state_dict(torch.load(f'{p}/y{i}_{e}.pt')['b{i}'])\n",
    )


@shape
def readers_that_give_back(n: int) -> str:
    return (
        f"{_CHOSEN}def g0(p):\n    return torch.load(p)\n"
        + lines(n, "def g{k}(p):\n    return g{i}(p)\n")
        + lines(n, "def u{i}(m: nn.Module, p):\n    m.load_state_dict(g{i}(p))\n")
    )


@shape
def one_reader_with_many_users(n: int) -> str:
    return f"{_CHOSEN}def read(p):\n    s = torch.load(p)\n    return s\n" + lines(
        n, "def u{i}(m: nn.Module, p):\n    s = read(p + 'a{i}')\n    m.load_state_dict(s)\n"
    )


@shape
def states_handed_from_name_to_name(n: int) -> str:
    return (
        f"{_CHOSEN}def f(m: nn.Module, p):\n    s0 = torch.load(p)\n"
        + lines(n, "    s{k} = s{i}\n    t{i} = torch.load(p)\n    s{k} = t{i} or s{k}\n")
        + f"    m.load_state_dict(s{n})\n"
    )


@shape
def paths_kept_in_attributes(n: int) -> str:
    return (
        f"{_CHOSEN}class T:\n    def __init__(self, m: nn.Module, p):\n        self.m = m.to(d)\n"
        + lines(n, "        self.p{i} = os.path.join(p, 'a{i}.pt')\n")
        + lines(
            n,
            "    def save{i}(self):\n        torch.save(self.m.state_dict(), self.p{k})\n"
            "    def load{i}(self):\n        self.m.load_state_dict(torch.load(self.p{i}))\n",
        )
    )


@shape
def best_files_copied(n: int) -> str:
    return f"{_CHOSEN}def f(m: nn.Module, p):\n    m.to(d)\n" + lines(
        n,
        "    shutil.copyfile(p + 'a{i}', p + 'b{i}')\n"
        "    m.load_state_dict(torch.load(p + 'c{i}'))\n",
    )


@shape
def lengths_handed_down(n: int) -> str:
    return (
        lines(n, "def f{i}(x, n):\n    return f{k}(x, n)\n")
        + f"def f{n}(x, n):\n    return nn.utils.rnn.pack_padded_sequence(x, n)\n"
        + lines(n, "def g{i}(x):\n    n = torch.zeros(3).cuda()\n    return f{i}(x.cuda(), n)\n")
    )


@shape
def lengths_of_many_batches(n: int) -> str:
    return (
        "def pack(x, n):\n    return nn.utils.rnn.pack_padded_sequence(x, n)\n"
        "def f(m: nn.Module, loader):\n    m.cuda()\n"
        + lines(
            n,
            "    for x{i}, n{i} in loader:\n        n{i} = n{i}.cuda()\n"
            "        m(pack(x{i}.cuda(), n{i}))\n",
        )
    )


@shape
def trained_models_of_many_files(n: int) -> str:
    return (
        f"{_CHOSEN}def save(m, p):\n    torch.save(m.state_dict(), p)\n"
        "def load(m, p):\n    m.load_state_dict(torch.load(p))\n"
        + lines(
            n,
            "def t{i}(p):\n    m = nn.Linear(3, 3).to(d)\n    save(m, p + 'a{i}')\n"
            "    load(m, p + 'b{i}')\n",
        )
    )
