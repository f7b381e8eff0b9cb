"""What is saved, and read back, many times in one file."""

from tests.benchmark.shapes.registry import lines, shape

_CHOSEN = "import sys\nd = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
"""What a script begins with that may save and read on an accelerator."""


@shape
def saves_and_loads_of_entries(n: int) -> str:
    return f"{_CHOSEN}m = nn.Linear(1, 1).to(d)\n" + lines(
        n,
        "torch.save({'m{i}': m.state_dict(), 'o': 1}, 'a{i}_' + sys.argv[1])\n"
        "s{i} = torch.load('b{i}_' + sys.argv[1])\nm.load_state_dict(s{i}['x{i}'])\n",
    )


@shape
def trained_and_read_back(n: int) -> str:
    return f"from helpers import *\n{_CHOSEN}m = nn.Linear(1, 1).to(d)\n" + lines(
        n, "train{i}(m, sys.argv[{i}])\nm.load_state_dict(torch.load(sys.argv[{i}]))\n"
    )


@shape
def objects_that_may_save(n: int) -> str:
    return f"from helpers import Keeper\n{_CHOSEN}m = nn.Linear(1, 1).to(d)\n" + lines(
        n, "k{i} = Keeper(sys.argv[1])\nk{i}(1, m)\nm.load_state_dict(torch.load(sys.argv[1]))\n"
    )


@shape
def readers_that_hand_on(n: int) -> str:
    return _CHOSEN + lines(
        n, "def f{i}(m, p):\n    f{k}(m, p)\n    m.load_state_dict(torch.load(p))\n"
    )
