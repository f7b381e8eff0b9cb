"""Classes: deep, diamond, many; their methods and what they hold."""

from tests.benchmark.shapes.registry import lines, listed, shape


@shape
def hierarchy(n: int) -> str:
    return (
        "class C0(nn.Module):\n    def forward(self, x):\n        return x + torch.zeros(3)\n"
        + lines(
            n,
            "class C{k}(C{i}):\n    def m{i}(self, x):\n        return self.forward(x)"
            " + torch.zeros(3)\n",
        )
    )


@shape
def hierarchy_of_constructors(n: int) -> str:
    return (
        "class C0(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.x = torch.zeros(3)\n"
        + lines(
            n,
            "class C{k}(C{i}):\n    def __init__(self):\n        super().__init__()\n"
            "        self.y{i} = nn.Linear({i}, 1)\n"
            "    def forward(self, x):\n        return super().forward(self.y{i}(x)) + self.x\n",
        )
    )


@shape
def diamonds(n: int) -> str:
    return (
        "class C0(nn.Module):\n    def forward(self, x):\n        return x + torch.zeros(3)\n"
        + lines(
            n,
            "class L{k}(C{i}): pass\nclass R{k}(C{i}): pass\nclass C{k}(L{k}, R{k}):\n"
            "    def m{i}(self, x):\n        return x + torch.zeros(3)\n",
        )
    )


@shape
def many_bases(n: int) -> str:
    return lines(n, "class B{i}(nn.Module): pass\n") + (
        f"class C({listed(n, 'B{i}')}):\n    def forward(self, x):\n"
        "        return x + torch.zeros(1)\n"
    )


@shape
def models(n: int) -> str:
    return lines(
        n,
        "class C{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.x = nn.Linear({i}, 1)\n"
        "    def forward(self, x):\n        return self.x(x) + torch.zeros(1)\n",
    )


@shape
def models_built_of_models(n: int) -> str:
    return (
        "class C0(nn.Module):\n    def forward(self, x):\n        return x + torch.zeros(1)\n"
        + lines(
            n,
            "class C{k}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.a, self.b = C{i}(), C{i}()\n"
            "    def forward(self, x):\n        return self.a(x) + self.b(x)\n",
        )
    )


@shape
def methods_that_set_attributes(n: int) -> str:
    calls = " + ".join(f"self.f{i}(x)" for i in range(0, 40, 5))
    return "class A(nn.Module):\n" + lines(
        n,
        "    def f{i}(self, x):\n        self.a{i} = x\n        return "
        + calls
        + " + torch.zeros(1)\n",
    )


@shape
def methods_in_a_ring(n: int) -> str:
    return (
        "class A(nn.Module):\n"
        + lines(
            n,
            "    def f{i}(self, x):\n        self.a{i} = self.a{j}\n"
            "        return self.f{k}([x]) + self.f{j}(x) + torch.zeros({i})\n",
        )
        + f"    def f{n}(self, x):\n        return self.f0(x)\n"
    )


@shape
def methods_beside_a_long_init(n: int) -> str:
    return (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        + lines(n, "        self.x{i} = y{i}\n")
        + lines(n, "    def f{i}(self, x):\n        return torch.zeros(1) + self.x{i}\n")
    )


@shape
def properties(n: int) -> str:
    return (
        "class A(nn.Module):\n"
        + lines(
            n,
            "    @property\n    def p{i}(self):\n        return self.p{k}\n",
        )
        + "    def forward(self, x):\n        return x + self.p0 + torch.zeros(1)\n"
    )


@shape
def layers_in_a_list(n: int) -> str:
    return (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.x = nn.ModuleList([{listed(n, 'nn.Linear({i}, 1)')}])\n"
        "    def forward(self, x):\n        for layer in self.x:\n            x = layer(x)\n"
        "        return x + torch.zeros(1)\n"
    )


@shape
def layers_in_a_row(n: int) -> str:
    return (
        f"model = nn.Sequential({listed(n, 'nn.Linear({i}, 1)')}).cuda()\n"
        "y = model(torch.zeros(1))\n"
    )


@shape
def layers_appended(n: int) -> str:
    return (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.x = nn.ModuleList()\n"
        + lines(n, "        self.x.append(nn.Linear({i}, 1))\n")
        + "    def forward(self, x):\n        return self.x[0](x) + torch.zeros(1)\n"
    )


@shape
def modules_moved(n: int) -> str:
    return (
        lines(n, "m{i} = nn.Sequential(nn.Linear(1, 1), nn.ReLU())\n")
        + f"m = nn.ModuleList([{listed(n, 'm{i}')}])\n"
        + lines(n, "m.to('cuda')\nm{i}.cpu()\n")
        + "m(torch.zeros(1))\n"
    )


@shape
def class_attributes(n: int) -> str:
    return "class A:\n" + lines(n, "    x{i} = torch.zeros({i})\n") + "A().x0.cuda()\n"


@shape
def data_classes(n: int) -> str:
    return (
        "from dataclasses import dataclass\n@dataclass\nclass A:\n"
        + lines(n, "    x{i}: torch.Tensor\n")
        + f"a = A({listed(n, 'torch.zeros({i})')})\na.x0.cuda()\n"
    )


@shape
def modules_built_in_forward(n: int) -> str:
    return "class A(nn.Module):\n    def forward(self, x):\n" + lines(
        n, "        x = nn.Linear({i}, 1)(x)\n        x = self.f(x)\n"
    )


@shape
def classes_that_keep_tensors(n: int) -> str:
    return lines(
        n,
        "class C{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.x{i} = torch.zeros(3)\n"
        "    def forward(self, x):\n        return x * self.x{i}\n",
    )


@shape
def lineage_that_keeps_tensors(n: int) -> str:
    return "class C0(nn.Module):\n    def forward(self, x):\n        return x\n" + lines(
        n,
        "class C{k}(C{i}):\n    def __init__(self):\n        super().__init__()\n"
        "        self.x{i} = torch.zeros(3)\n"
        "    def forward(self, x):\n        return super().forward(x) * self.x{i}\n",
    )
