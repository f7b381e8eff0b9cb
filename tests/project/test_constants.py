"""What is known of the variables of other files, and when it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_imports import MAIN, lines, write

CONSTANTS = """
import torch

class Layer: ...
class Held:
    ROW = torch.ones(4)
    HALF = ROW / 2

MEAN = [0.1, 0.2, 0.3, 0.4]
MEAN = torch.tensor(MEAN)
MEAN = MEAN.view(1, 4)
STD = torch.ones(4)
STD *= 2
if torch.__version__ < "1":
    EDGES = torch.zeros(4)
else:
    EDGES = torch.arange(4.0)
    EDGES = EDGES / 4
ROWS = [torch.zeros(4), torch.ones(4)]
SETTINGS = {"mean": torch.ones(4), "layer": Layer(), "on": True}
PAIR = LOW, HIGH = torch.zeros(4), torch.ones(4)


def row(default=torch.ones(4)):
    return default


def pick(name):
    return SETTINGS[name]
"""
BRANCH = "if len(sys.argv) > 1: ROW = ROW.cuda()"
EXPRESSIONS = [
    "constants.MEAN",
    "constants.STD",
    "constants.EDGES",
    "constants.Held.HALF",
    "constants.ROWS[-1]",
    "sum(constants.ROWS)",
    'constants.SETTINGS["mean"]',
    'constants.SETTINGS.get("mean")',
    "constants.PAIR[0]",
    "constants.LOW",
    "constants.row()",
    'constants.pick("mean")',
]


def findings_with(folder: Path, expression: str, **others: str) -> list[tuple[str, int]]:
    """What is found where a file adds an expression of `constants.py` to a model's tensor."""
    files = {f"{name}.py": text for name, text in others.items()}
    files.setdefault("constants.py", CONSTANTS)
    files["main.py"] = MAIN.format(imports="import constants", mask=expression)
    write(folder, files)
    return lines(folder)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_another_file_keeps(tmp_path: Path, expression: str) -> None:
    assert findings_with(tmp_path, expression) == [("TDL015", 12)]


@pytest.mark.parametrize(
    ("expression", "change"),
    [
        ("constants.STD", "constants.STD = constants.STD.cuda()"),
        ("constants.STD", 'setattr(constants, "STD", constants.STD.cuda())'),
        ("constants.STD", "constants.STD.data = constants.STD.data.cuda()"),
        ("constants.STD", "for n, v in vars(constants).items(): setattr(constants, n, v.cuda())"),
        ("constants.STD", "constants.__dict__['STD'] = constants.STD.cuda()"),
        ("constants.ROWS[-1]", "constants.ROWS[:] = [row.cuda() for row in constants.ROWS]"),
        ("constants.ROWS[-1]", "constants.ROWS.append(1)"),
        ("constants.ROWS[-1]", "fill(constants.ROWS)"),
        ("constants.Held.ROW", "constants.Held.ROW = constants.Held.ROW.cuda()"),
    ],
)
@pytest.mark.parametrize("where", ["third", "constants"])
def test_what_some_file_changes_is_anywhere(
    tmp_path: Path, expression: str, change: str, where: str
) -> None:
    code = f"import constants\ndef prepare(fill):\n    {change}\n"
    own = {"constants": CONSTANTS + code} if where == "constants" else {"third": code}
    assert findings_with(tmp_path, expression, **own) == []


@pytest.mark.parametrize(
    "code",
    [
        "import constants\nprint(constants.STD, len(constants.ROWS))\n",
        "class Other: ...\nOther.STD = 1\n",  # it doesn't know the file
        "from constants import STD\nSTD = STD.cuda()\n",  # a variable of its own
    ],
)
def test_what_other_files_only_read_stays_what_it_is(tmp_path: Path, code: str) -> None:
    assert findings_with(tmp_path, "constants.STD", third=code) == [("TDL015", 12)]


def test_a_list_that_its_own_file_fills_is_not_known(tmp_path: Path) -> None:
    constants = "import torch\nROWS = [torch.zeros(4)]\nROWS.insert(0, torch.ones(4).cuda())\n"
    assert findings_with(tmp_path, "constants.ROWS[0]", constants=constants) == []


@pytest.mark.parametrize(
    ("steps", "known"),
    [(8 * ["ROW = ROW / 2"], True), (9 * ["ROW = ROW / 2"], False), (60 * [BRANCH], False)],
)
def test_a_variable_that_goes_by_what_it_held(
    tmp_path: Path, steps: list[str], known: bool
) -> None:
    """So many steps are gone back; where there are several ways back, none."""
    constants = "\n".join(["import sys", "import torch", "ROW = torch.ones(4)", *steps])
    result = findings_with(tmp_path, "constants.ROW", constants=constants)
    assert result == ([("TDL015", 12)] if known else [])
