"""Findings: many of them, on one line or with comments that silence them."""

from tests.benchmark.shapes.registry import lines, nested, shape


@shape
def findings_in_models(n: int) -> str:
    return lines(
        n,
        "class C{i}(nn.Module):\n    def forward(self, x):\n        return x + torch.zeros(3)\n",
    )


@shape
def findings_in_one_function(n: int) -> str:
    return "class C(nn.Module):\n    def forward(self, x):\n" + lines(
        n, "        x = x + torch.zeros({i})\n"
    )


@nested(800)
def findings_on_one_line(n: int) -> str:
    return (
        "class C(nn.Module):\n    def forward(self, x):\n        return x"
        + lines(n, " + torch.zeros({i})")
        + "\n"
    )


@shape
def moves_thrown_away(n: int) -> str:
    return lines(n, "x{i} = torch.zeros({i})\nx{i}.cuda()\nx{i} + 1\n")


@shape
def findings_silenced(n: int) -> str:
    return "class C(nn.Module):\n    def forward(self, x):\n" + lines(
        n, "        x = x + torch.zeros({i})  # noqa: TDL002\n"
    )


@shape
def batches(n: int) -> str:
    return (
        "from torch.utils.data import DataLoader\nmodel = nn.Linear(1, 1).cuda()\n"
        "loader = DataLoader([])\n"
        + lines(n, "for x{i}, y{i} in loader:\n    model(x{i})\n    z = y{i}.cuda()\n")
    )


@shape
def entry_points(n: int) -> str:
    return lines(
        n, "def f{i}(x):\n    y = torch.zeros({i})\n    y.to(x.device)\n    return y + x\n"
    )


@shape
def statements_of_many_lines(n: int) -> str:
    return "x = torch.zeros(1)\nx.to(\n" + lines(n, "    # noqa: E50{i}\n\n") + "    'cuda'\n)\n"
