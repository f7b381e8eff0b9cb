"""Shapes of a later attack: parts of a batch, properties, conditions, generators and defaults."""

from tests.benchmark.shapes.registry import lines, shape


@shape
def entries_of_a_batch(n: int) -> str:
    return (
        "def f(model: nn.Module, loader, device):\n    model.to(device)\n    for batch in loader:\n"
        + lines(n, "        batch['k{i}'] = batch['k{i}'].to(device)\n")
        + "        model(batch['x'])\n"
    )


@shape
def properties_with_setters(n: int) -> str:
    members = (
        "    @property\n    def p{i}(self):\n        return self._p{i}\n"
        "    @p{i}.setter\n    def p{i}(self, v):\n        self._p{i} = v + torch.zeros({k})\n"
    )
    used = "        self.p{i} = x\n        x = self.p{i}\n"
    return (
        f"class A(nn.Module):\n{lines(n, members)}"
        f"    def forward(self, x):\n{lines(n, used)}        return x\n"
    )


@shape
def conditions_carried(n: int) -> str:
    asked = (
        "def f{i}(x: torch.Tensor, k):\n    if k > {i}:\n        return x + torch.zeros(1)\n"
        "    return x\n"
    )
    known = "    if k == {i}:\n        x = f{i}(x, k)\n"
    return f"{lines(n, asked)}def g(x, k):\n{lines(n, known)}    return x\n"


@shape
def generators_piped(n: int) -> str:
    made = "def g{i}(xs):\n    for x in xs:\n        yield x + torch.zeros({k})\n"
    return (
        f"{lines(n, made)}def f(x: torch.Tensor):\n    y = [x]\n"
        f"{lines(n, '    y = g{i}(y)' + chr(10))}    return [x + z for z in y]\n"
    )


@shape
def tensors_as_defaults(n: int) -> str:
    made = "def f{i}(x, y=torch.zeros({k})):\n    return x + y\n"
    return (
        f"{lines(n, made)}def g(x: torch.Tensor):\n{lines(n, '    x = f{i}(x)' + chr(10))}"
        "    return x\n"
    )


@shape
def layers_by_index(n: int) -> str:
    return (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.a = nn.ModuleList([{lines(n, 'nn.Linear(3, {k}), ')}])\n"
        "    def forward(self, x):\n"
        f"{lines(n, '        x = self.a[{i}](x) + torch.zeros({k})' + chr(10))}        return x\n"
    )


@shape
def metrics_in_lists(n: int) -> str:
    kept = "        self.m{i} = [torchmetrics.Accuracy()]\n"
    return (
        "import torchmetrics\nclass A(nn.Module):\n    def __init__(self):\n"
        f"        super().__init__()\n{lines(n, kept)}    def forward(self, x, y):\n"
        f"{lines(n, '        self.m{i}[0](x, y)' + chr(10))}        return x\n"
    )


@shape
def members_that_are_set_late(n: int) -> str:
    built = "        self.register_buffer('b{i}', None)\n        self.h{i} = None\n"
    late = (
        "    def set{i}(self, v):\n        self.b{i} = torch.zeros({k})\n"
        "        self.h{i} = nn.Linear(3, 3)\n"
    )
    used = "        x = self.h{i}(x + self.b{i})\n"
    return (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"{lines(n, built)}{lines(n, late)}    def forward(self, x):\n{lines(n, used)}"
        "        return x\n"
    )
