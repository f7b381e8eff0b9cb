"""TDL012 beside the other rules: one defect has one finding, and the code follows the cause."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

NET = """\
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
    def forward(self, x):
        return self.layer(x)
"""

BORDERS = {
    "a layer of `forward` is built anew": (
        """\
class Late(nn.Module):
    def forward(self, x):
        return nn.Linear(4, 4)(x.relu())
late = Late().to(device)
late(torch.rand(2, 4).to(device))
""",
        ["TDL003 return nn.Linear(4, 4)(x.relu())"],
    ),
    "the input is left, not the model": (
        "net = Net().to(device)\nx = torch.rand(2, 4)\nnet(x)\n",
        ["TDL005 x = torch.rand(2, 4)"],
    ),
    "the model is left, not its input": (
        "net = Net()\nx = torch.rand(2, 4).to(device)\nnet(x)\n",
        ["TDL012 net = Net()"],
    ),
    "neither is moved, and the model makes something else on the device": (
        """\
class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 4)
    def forward(self, x):
        state = torch.zeros(2, 4).to(device)
        return self.layer(torch.cat([x, state], dim=1))
cell = Cell()
x = torch.rand(2, 4)
cell(x)
""",
        ["TDL012 cell = Cell()", "TDL005 x = torch.rand(2, 4)"],
    ),
    "a batch is left, not the model": (
        """\
net = Net().to(device)
data = torch.utils.data.TensorDataset(torch.rand(8, 4))
for (x,) in torch.utils.data.DataLoader(data):
    net(x)
""",
        ["TDL004 for (x,) in torch.utils.data.DataLoader(data):"],
    ),
    "a tensor of a module is kept as a plain attribute": (
        """\
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(4)
    def forward(self, x):
        return x.relu() * self.scale
""",
        ["TDL006 self.scale = torch.ones(4)"],
    ),
    "layers are lost in a list of a module": (
        """\
class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4) for _ in range(3)]
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
stack = Stack().to(device)
stack(torch.rand(2, 4).to(device))
""",
        ["TDL007 self.layers = [nn.Linear(4, 4) for _ in range(3)]"],
    ),
    "the weight of a loss is left with its loss": (
        """\
net = Net().to(device)
weight = torch.ones(4)
criterion = nn.CrossEntropyLoss(weight=weight)
x, y = torch.rand(2, 4).to(device), torch.zeros(2).long().to(device)
criterion(net(x), y)
""",
        ["TDL012 criterion = nn.CrossEntropyLoss(weight=weight)"],
    ),
    "a function of losses takes the weight itself": (
        """\
def loss(scores, y):
    return nn.functional.cross_entropy(scores, y, weight=torch.ones(4))
loss(torch.rand(2, 4).to(device), torch.zeros(2).long().to(device))
""",
        ["TDL016 return nn.functional.cross_entropy(scores, y, weight=torch.ones(4))"],
    ),
}


@pytest.mark.parametrize("name", BORDERS)
def test_the_code_follows_the_cause(name: str) -> None:
    """Each program has one defect, and one finding."""
    program, expected = BORDERS[name]
    assert findings(NET + program) == expected


LEFT = "x = torch.rand(2, 4).to(device)\nnet(x)\n"


@pytest.mark.parametrize(
    "handed_on",
    [
        "prepare(net)",
        "setup.prepare(net)",
        "prepare([net])",
        "setup.to(net, device)",
        "prepare(model={'a': net})",
        "prepare(**dict(model=net))",
        "engine.model = net",
        "engine['model'] = net",
        "engine.models.append(net)",
        "net.enable_offloading()",
        "[part.to(device) for part in net.children()]",
        "net._modules['layer'].to(device)",
        "getattr(net, 'la' + 'yer').to(device)",
        "net.apply(place)",
        "net._apply(place)",
        "net.layer.to(device)",
        "torch.nn.DataParallel(net).to(device)",
    ],
)
def test_what_may_have_been_moved_is_left_out(handed_on: str) -> None:
    """Code out of sight has the module, or its parts, and may move them; or they were moved."""
    program = f"from elsewhere import prepare, setup, engine, place\n{NET}net = Net()\n"
    assert findings(program + LEFT) == ["TDL012 net = Net()"]
    assert findings(f"{program}{handed_on}\n{LEFT}") == []


@pytest.mark.parametrize(
    "used",
    [
        "net.eval()",
        "net.load_state_dict(torch.load('a', map_location='cpu'))",
        "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)",
        "print(net)",
        "net.half().float()",
        "net.requires_grad_(False)",
        "isinstance(net, nn.Module)",
    ],
)
def test_what_moves_nothing_doesnt_matter(used: str) -> None:
    """A module is where it was after most of what code does with it."""
    assert findings(f"{NET}net = Net()\n{used}\n{LEFT}") == ["TDL012 net = Net()"]


KEPT = """\
class Trainer:
    def __init__(self):
        self.net = Net()
        self.other = 1
    def step(self):
        return self.net(torch.rand(2, 4).to(device))
"""


@pytest.mark.parametrize(
    ("method", "is_reported"),
    [
        ("return self.net.state_dict()", True),
        ("self.net.train()", True),
        ("self.net = self.net.cuda()", False),
        ("self.net.cuda()", False),
        ("place(self.net)", False),
        ("getattr(self, name).cuda()", False),
        ("return getattr(self, 'other')", True),
        ("[part.cuda() for part in vars(self).values()]", False),
        ("setattr(self, name, 1)", False),
    ],
)
def test_what_methods_do_with_what_an_object_keeps(method: str, is_reported: bool) -> None:
    """Nobody knows which of them was called before."""
    program = f"{NET}{KEPT}    def setup(self, name):\n        {method}\n"
    assert findings(program) == (["TDL012 self.net = Net()"] if is_reported else [])


@pytest.mark.parametrize("base", ["elsewhere.Base", "object", "abc.ABC"])
def test_objects_with_bases_out_of_sight_may_move_what_they_keep(base: str) -> None:
    """Those of Python's own library don't."""
    program = f"import abc, elsewhere\n{NET}{KEPT}".replace("Trainer:", f"Trainer({base}):")
    assert bool(findings(program)) is (base != "elsewhere.Base")


def test_what_one_expression_builds_for_several_callers() -> None:
    """Each call of a helper gives another module: one is moved, the other one is left."""
    program = f"""\
{NET}
def make(width):
    return nn.Sequential(nn.Linear(4, width), nn.ReLU())
first = make(3).to(device)
second = make(5)
x = torch.rand(2, 4).to(device)
first(x)
"""
    assert findings(program) == []
    assert findings(f"{program}second(x)\n") == [
        "TDL012 return nn.Sequential(nn.Linear(4, width), nn.ReLU())"
    ]
