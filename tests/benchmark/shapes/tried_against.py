"""Shapes that were tried when all others kept the bars; the first four were quadratic."""

from tests.benchmark.shapes.registry import lines, shape


@shape
def elifs_with_attributes(n: int) -> str:
    return (
        "class C(nn.Module):\n    def forward(self, x, k):\n"
        "        if k == -1:\n            y = torch.zeros(1)\n"
        + lines(
            n,
            "        elif k.startswith('a{i}'):\n"
            "            self.b{i} = torch.zeros(1)\n            y = self.b{i} + x\n",
        )
        + "        return x + y\n"
    )


@shape
def variables_rotated(n: int) -> str:
    names = [f"v{i}" for i in range(n)]
    swap = f"{', '.join(names)}, = {', '.join([*names[1:], names[0]])},\n"
    start = f"def f(x):\n    {' = '.join(names)} = x\n    v0 = torch.zeros(3)\n"
    return f"{start}    for _ in x:\n        {swap}    return x + v0\nf(torch.ones(3).cuda())\n"


@shape
def chains_of_chains(n: int) -> str:
    chains = lines(n, "m{k} = nn.Sequential(m{i}, nn.ReLU(), m{i})\n")
    return f"m0 = nn.Linear(3, 3)\n{chains}m{n}.cuda()\nprint(m{n}(torch.zeros(3)))\n"


@shape
def optimizers_of_many_models(n: int) -> str:
    return lines(
        n,
        "m{i} = nn.Linear(3, 3)\no{i} = torch.optim.Adam(m{i}.parameters())\n"
        "m{i}.cuda()\no{i}.step()\n",
    )


@shape
def heirs_that_ask_their_bases(n: int) -> str:
    return (
        "class M0(nn.Module):\n    def forward(self, x):\n        return x + torch.zeros(3)\n"
        + lines(
            n,
            "class A{i}(M{i}):\n    def forward(self, x):\n"
            "        return super().forward(x) + super().forward(x)\n"
            "class M{k}(A{i}, M{i}):\n    def forward(self, x):\n"
            "        return super().forward(x) + torch.zeros(3)\n",
        )
    )


@shape
def defaults_that_call_each_other(n: int) -> str:
    return (
        "def f0(x=torch.zeros(3)):\n    return x\n"
        + lines(n, "def f{k}(x=f{i}(), y=f{i}(torch.ones(2))):\n    return x + y\n")
        + f"print(f{n}(torch.ones(3).cuda()))\n"
    )
