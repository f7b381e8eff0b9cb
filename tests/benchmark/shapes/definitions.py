"""Functions: chains, recursion, closures, decorators, defaults."""

from tests.benchmark.shapes.registry import lines, listed, nested, shape


@shape
def chain_of_functions(n: int) -> str:
    return lines(n, "def f{i}(x):\n    return f{k}(x)\n") + (
        f"def f{n}(x):\n    return torch.zeros(1) + x\n"
    )


@shape
def chain_backwards(n: int) -> str:
    return "def f0(x):\n    return torch.zeros(1) + x\n" + lines(
        n, "def f{k}(x):\n    return f{i}(x)\n"
    )


@shape
def tree_of_calls(n: int) -> str:
    return lines(n, "def f{i}(x):\n    return f{k}(x) + f{k}([x]) + f{k}((x, x))\n") + (
        f"def f{n}(x):\n    return torch.zeros(1)\nf0(1)\n"
    )


@shape
def recursion_that_grows(n: int) -> str:
    return lines(
        n,
        "def f{i}(x):\n    x = [x, x]\n    if x: return g{i}(x)\n    return torch.zeros(1)\n"
        "def g{i}(x):\n    return f{i}((x, x)) + g{j}(x)\n",
    )


@shape
def everything_calls_everything(n: int) -> str:
    names = [f"f{i}(x)" for i in range(8)]
    return lines(n, "def f{i}(x):\n    return " + " + ".join(names) + " + torch.zeros({i})\n")


@shape
def closures(n: int) -> str:
    return "def f(a):\n" + lines(
        n, "    def g{i}(x):\n        return a + g{j}(x) + torch.zeros(1)\n    g{i}(a)\n"
    )


@nested(90)
def closures_nested(n: int) -> str:
    heads = "".join("    " * i + f"def f{i}(a{i}):\n" for i in range(n))
    ends = "".join("    " * (n - i) + f"return f{n - i}(a0)\n" for i in range(1, n))
    return heads + "    " * n + "return a0 + torch.zeros(1)\n" + ends + "f0(1)\n"


@shape
def closures_made_and_kept(n: int) -> str:
    return (
        "def make(x):\n    return lambda y: x(y) + torch.zeros(1)\nf = print\n"
        + lines(n, "f = make(f)\n")
        + "f(1)\n"
    )


@shape
def decorators(n: int) -> str:
    return (
        "def d(f):\n    return f\n"
        + lines(n, "@d\n")
        + "def f(x):\n    return torch.zeros(1)\nf(1).cuda()\n"
    )


@shape
def defaults(n: int) -> str:
    return "X = torch.zeros(1)\ndef f(" + listed(n, "a{i}=X") + "):\n    return a0\nf()\n"


@shape
def defaults_of_many(n: int) -> str:
    return lines(n, "def f{i}(x=torch.zeros({i}), y=[{i}], z=(1, 2)):\n    return f{j}(x, y)\n")


@shape
def generators(n: int) -> str:
    return "def f(a):\n" + lines(n, "    yield torch.zeros({i})\n    yield from f({i})\n")


@shape
def calls_of_one_function(n: int) -> str:
    return "def f(x, y):\n    return x + y\n" + lines(n, "f(torch.zeros({i}), 'a{i}')\n")


@shape
def calls_with_what_it_gave(n: int) -> str:
    return "def f(x):\n    return [x, x]\nx = torch.zeros(1)\n" + lines(n, "x = f(x)\n")


@shape
def coroutines(n: int) -> str:
    return lines(
        n, "async def f{i}(x):\n    async for y in f{j}(x):\n        await y(torch.zeros(1))\n"
    )


@shape
def training_code(n: int) -> str:
    return lines(
        n,
        """
class Net{i}(nn.Module):
    def __init__(self, size, layers=3):
        super().__init__()
        self.first = nn.Linear(size, 10)
        self.rest = nn.ModuleList([nn.Linear(10, 10) for _ in range(layers)])
        self.register_buffer("scale", torch.ones(10))

    def forward(self, x, mask=None):
        x = torch.relu(self.first(x))
        for layer in self.rest:
            x = x + layer(x) * self.scale
        if mask is not None:
            x = x.masked_fill(mask[:, None], 0.0)
        noise = torch.randn(10, device=x.device)
        return x + noise


def train_{i}(loader, epochs, device):
    model = Net{i}(4).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        total = 0.0
        for data, target in loader:
            data, target = data.to(device), target.to(device)
            optimizer.zero_grad()
            loss = criterion(model(data), target)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: {total / len(loader):.3f}")
    return model
""",
    )
