"""What is marked as fixable, `--fix` fixes; what it leaves alone has no mark."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.command import FIXTURES, lint
from tests.fixtures import expected_lines, id_of
from tests.turns import in_turn
from torchdev_lint.applying import offered
from torchdev_lint.applying.apply import fix_source
from torchdev_lint.applying.edit import Text, apply_edits
from torchdev_lint.checking import check_file
from torchdev_lint.finding import Finding
from torchdev_lint.linter import MAX_CHARACTERS_TO_FIX
from torchdev_lint.report import StandardInput, Task, Work
from torchdev_lint.rules import ALL_RULES, EVERY_RULE
from torchdev_lint.source.discovery import STDIN, Target
from torchdev_lint.source.source import Source, read_source

FLAGGED = sorted(FIXTURES.glob("*/flagged_*.py"))

NAMED_NOWHERE = "named_nowhere.py"
"""A file that no other one imports: of a short name, as many as name it may replace constants."""

MADE_ELSEWHERE = """\
import torch
from torch import nn


class Net(nn.Module):
    def slopes(self):
        return torch.arange(4.0)

    def forward(self, x):
        return nn.functional.relu(x) + self.slopes()  # noqa: TDL002
"""
"""The finding is on line 7, the only fix changes line 10."""

NO_PLACE_FOR_IT = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        noise = torch.randn(4  # as many as there are features
        )
        return nn.functional.relu(x) + noise
"""
"""There can't be an argument behind the comment: the second fix is made."""


def reported(text: str, unsafe: bool) -> list[Finding]:
    """Return what the command reports in a program."""
    stdin = StandardInput(text.encode(), NAMED_NOWHERE)
    report = check_file(Task(Target(STDIN, named=True), EVERY_RULE), stdin, Work(unsafe=unsafe))
    assert report.problem is None
    return list(report.findings)


def codes(findings: Iterable[Finding]) -> Counter[str]:
    """Return how many findings there are of each rule."""
    return Counter(finding.code for finding in findings)


def test_fixes_of_too_many_findings_are_left_to_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would take as long as to lint the file several times over, which is said."""
    monkeypatch.setattr(offered, "_MOST_SPENT", 6_000)
    functions = "".join(
        f"def shifted_{n}(x, by=torch.zeros({n})):\n    return x + by\n\n" for n in range(1, 101)
    )
    calls = "".join(f"    x = shifted_{n}(x)\n" for n in range(1, 101))
    text = f"import torch\n\n{functions}def shift(x: torch.Tensor):\n{calls}    return x\n"
    report = check_file(
        Task(Target(STDIN, named=True), EVERY_RULE), StandardInput(text.encode(), "a.py")
    )
    assert len(report.findings) == 100
    assert all(finding.fix_for(unsafe=True) is None for finding in report.findings)
    (warning,) = report.warnings
    said = f"what would mend {len(report.findings)} findings is tried only where the file is fixed"
    assert str(warning) == f"a.py: warning: {said}"
    assert fix_source(Source.from_bytes(text.encode(), "a.py"), EVERY_RULE, unsafe=True).fixed


@pytest.mark.slow
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("program", in_turn(FLAGGED, 0, id_of))
def test_just_what_has_no_mark_is_left(program: Path, unsafe: bool) -> None:
    """And where one finding is fixed, the fix shown is the one that is made."""
    source = read_source(str(program))
    result, found = fix_source(source, EVERY_RULE, unsafe), reported(source.text, unsafe)
    assert codes(result.findings) == codes(f for f in found if f.fix_for(unsafe) is None)
    if len(found) == len(result.fixed) == 1:
        fix = found[0].fix_for(unsafe)
        assert fix is not None
        assert apply_edits(source, Text(source).edits(fix)).data == result.source.data


@pytest.mark.slow
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("program", in_turn(FLAGGED, 1, id_of))
def test_nor_where_a_comment_forbids_the_change(program: Path, unsafe: bool) -> None:
    """A comment on every line but those with findings: only changes of these are allowed.

    What is left is counted where it was found: once one input of a loop is moved, the next one is
    told where it is used, and a comment that is there silences it.
    """
    text = program.read_text(encoding="utf-8")
    taken = expected_lines(text)
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if number not in taken and line.strip() and not line.endswith("\\") and '"""' not in line:
            lines[number - 1] += "  # noqa: " + ",".join(rule.code for rule in ALL_RULES)
    text = "\n".join(lines)
    result = fix_source(Source.from_text(text, NAMED_NOWHERE), EVERY_RULE, unsafe)
    left = [found for found, mend in zip(result.before, result.mends, strict=True) if not mend]
    unmarked = [f for f in reported(text, unsafe) if f.fix_for(unsafe) is None]
    assert codes(left) == codes(unmarked)


def test_a_comment_in_the_way_of_the_fix(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(MADE_ELSEWHERE)
    for option in ("--fix", "--unsafe-fixes"):
        result = lint("a.py", option, cwd=tmp_path)
        assert result.code == 1
        assert result.out.startswith("a.py:7:16: TDL002 warning: `torch.arange")
        assert "fix" not in result.out
        assert path.read_text() == MADE_ELSEWHERE
    (shown,) = json.loads(lint("a.py", "--output-format=json", cwd=tmp_path).out)
    assert shown["fix"] is None
    path.write_text(MADE_ELSEWHERE.replace("  # noqa: TDL002", "  # noqa: E501"))
    assert "TDL002 [*] " in lint("a.py", cwd=tmp_path).out


def test_where_the_first_fix_is_impossible_the_second_is_shown(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(NO_PLACE_FOR_IT)
    (shown,) = json.loads(lint("a.py", "--output-format=json", cwd=tmp_path).out)
    assert shown["fix"]["message"] == "Append `.to(x.device)`"
    assert lint("a.py", "--fix", cwd=tmp_path).code == 0
    assert "        ).to(x.device)\n" in (tmp_path / "a.py").read_text()


def test_what_is_left_after_fixing_has_no_mark(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(MADE_ELSEWHERE + "\n\ny = torch.ones(3)\ny.cuda()\n")
    result = lint("a.py", "--fix", cwd=tmp_path)
    assert result.out.splitlines()[-1] == "Found 2 findings (1 fixed, 1 remaining)."
    assert "[*]" not in result.out


def test_nothing_is_fixed_in_a_file_that_is_too_large_to_be_tried_again() -> None:
    text = "import torch\nx = torch.zeros(1)\nx.to('cuda')\nprint(x)\n"
    large = text + "# nothing but words\n" * (MAX_CHARACTERS_TO_FIX // 20 + 1)
    (small,), (found,) = reported(text, unsafe=True), reported(large, unsafe=True)
    assert found.span == small.span
    assert small.fix is not None
    assert found.fix is None and found.unsafe_fix is None
    assert fix_source(Source.from_bytes(large.encode(), "a.py"), EVERY_RULE, True).fixed == ()
