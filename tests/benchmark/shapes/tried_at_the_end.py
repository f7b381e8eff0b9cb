"""Shapes that were tried last of all: what ends, what hands on, what looks like itself."""

from tests.benchmark.shapes.registry import lines, listed, nested, shape


@nested(15)
def tries_nested_that_end(n: int) -> str:
    opened = "".join(
        f"{'    ' * (i + 1)}try:\n{'    ' * (i + 2)}x = x + torch.zeros({i})\n" for i in range(n)
    )
    closed = "".join(
        f"{'    ' * (i + 1)}finally:\n{'    ' * (i + 2)}x = x + torch.ones({i})\n"
        for i in reversed(range(n))
    )
    return f"def f(x: torch.Tensor):\n{opened}{closed}"


@shape
def finally_chain(n: int) -> str:
    return (
        "def f(x):\n    y = torch.zeros(3)\n"
        + lines(
            n,
            "    for q in x:\n        try:\n            if q: continue\n"
            "            if q > 1: break\n            y = x + y\n"
            "        except ValueError:\n            y = x\n        else:\n            x = y\n"
            "        finally:\n            y = torch.zeros(3)\n",
        )
        + "    return x + y\nf(torch.ones(3).cuda())\n"
    )


@shape
def returns_in_ifs(n: int) -> str:
    return "def f(x: torch.Tensor, k):\n" + lines(
        n, "    if k == {i}:\n        return x + torch.zeros({i})\n"
    )


@shape
def loops_that_break(n: int) -> str:
    return (
        "def f(x: torch.Tensor, k):\n    for _ in range(9):\n        y = torch.zeros(1)\n"
        + lines(
            n, "        if k == {i}:\n            y = x + torch.zeros({i})\n            break\n"
        )
    )


@shape
def generators_that_yield(n: int) -> str:
    return "def f0(x):\n    yield torch.zeros(1)\n" + lines(
        n, "def f{k}(x: torch.Tensor):\n    for y in f{i}(x):\n        yield x + y\n"
    )


@shape
def closures_kept_in_a_dict(n: int) -> str:
    return "t = {}\n" + lines(
        n,
        "def f{i}(x):\n    y = torch.zeros({i})\n"
        "    def g(z):\n        return y + z\n    return g\n"
        "t[{i}] = f{i}(torch.ones(1).cuda())\n",
    )


@shape
def partials_of_partials(n: int) -> str:
    return (
        "import functools\ndef f0(x, **k):\n    return x + torch.zeros(1)\n"
        + lines(n, "f{k} = functools.partial(f{i}, k{i}=torch.zeros({i}))\n")
        + f"print(f{n}(torch.ones(1).cuda()))\n"
    )


@shape
def attributes_of_one_namespace(n: int) -> str:
    return "class N: pass\nn = N()\n" + lines(
        n, "n.a{i} = torch.zeros({i})\nn.b{i} = n.a{j}.cuda() + n.a{i}\n"
    )


@shape
def slices_that_are_assigned(n: int) -> str:
    return "def f(x: torch.Tensor):\n    y = torch.zeros(9, 9)\n" + lines(
        n, "    y[{i}:, ..., :{k}] = x[{i}] + y[{j}]\n"
    )


@shape
def states_loaded(n: int) -> str:
    return lines(
        n,
        "m{i} = nn.Linear(3, 3).cuda()\nm{i}.load_state_dict(torch.load('p{i}'))\n"
        "print(m{i}(torch.zeros(3)))\n",
    )


@shape
def lambdas_in_defaults(n: int) -> str:
    return "def f0(x):\n    return x\n" + lines(
        n, "def f{k}(x, g=lambda y: f{i}(y) + torch.zeros({i})):\n    return g(x) + x.cuda()\n"
    )


@shape
def arguments_unpacked(n: int) -> str:
    names = listed(n, "a{i}")
    return (
        f"def f({names}*r):\n    {names} = {names[:-2]}, *r\n    return a0 + torch.zeros(1)\n"
        f"f({listed(n, 'torch.ones({i}).cuda()')})\n"
    )


@shape
def subclasses_of_tensors(n: int) -> str:
    return "class T0(torch.Tensor):\n    pass\n" + lines(
        n,
        "class T{k}(T{i}):\n    def plus(self, y: torch.Tensor):\n"
        "        return super().plus(y + torch.zeros({i}))\n",
    )


@shape
def heads_kept_by_number(n: int) -> str:
    return (
        "class C(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.heads = [\n"
        + lines(n, "            nn.Linear({i}, 3),\n")
        + "        ]\n    def forward(self, x):\n"
        + lines(n, "        x = self.heads[{i}](x)\n")
        + "        return x\n"
    )


@shape
def methods_of_a_class_alone(n: int) -> str:
    return "class A:\n" + lines(
        n,
        "    @staticmethod\n    def s{i}(x: torch.Tensor):\n        return x + torch.zeros({k})\n"
        "    @classmethod\n    def c{i}(cls, x):\n        return cls.s{i}(x.cuda())\n",
    )


@shape
def names_imported_and_used(n: int) -> str:
    imports = "from torch.nn.functional import relu as r{i}\nimport torch.nn.functional as F{i}\n"
    uses = "    x = F{i}.relu(r{i}(x)) + torch.zeros({k})\n"
    return f"{lines(n, imports)}def f(x: torch.Tensor):\n{lines(n, uses)}    return x\n"


@shape
def one_flag_asked_again(n: int) -> str:
    asked = "    if cuda:\n        x = x.cuda()\n    z{i} = x + y\n"
    return f"def f(x, cuda):\n    y = torch.zeros(3)\n{lines(n, asked)}    return x\n"


@shape
def keywords_spread(n: int) -> str:
    spread = "o = {**o, 'a{i}': torch.zeros({k})}\nf(torch.ones(3).cuda(), **o)\n"
    return "def f(x, **k):\n    return x + torch.zeros(3)\no = {}\n" + lines(n, spread)


@shape
def plain_lineage_above_a_module(n: int) -> str:
    heirs = "class P{k}(P{i}):\n    def go(self):\n        return torch.zeros({i})\n"
    return (
        f"class P0:\n    pass\n{lines(n, heirs)}"
        f"class M(P{n}, nn.Module):\n    def forward(self, x):\n        return x + self.go()\n"
    )


@shape
def functions_of_one_parameter(n: int) -> str:
    return lines(n, "def f{i}(x: torch.Tensor):\n    return x + torch.zeros({k})\n")


@shape
def classes_alike(n: int) -> str:
    return lines(
        n,
        "class M{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(3, 3)\n        self.t = torch.zeros(3)\n"
        "    def forward(self, x):\n        return self.fc(x) + self.t\n",
    )


@shape
def constants_and_their_users(n: int) -> str:
    return lines(n, "C{i} = torch.zeros({k})\ndef f{i}(x: torch.Tensor):\n    return x + C{i}\n")


@shape
def methods_that_keep_what_they_make(n: int) -> str:
    kept = "    def m{i}(self, x):\n        self.a = x + torch.zeros({k})\n        return self.a\n"
    called = "        x = self.m{i}(x)\n"
    return (
        f"class A(nn.Module):\n{lines(n, kept)}"
        f"    def forward(self, x):\n{lines(n, called)}        return x\n"
    )
