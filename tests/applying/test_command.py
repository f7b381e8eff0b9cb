"""`--fix` and its kin on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import CLEAN, DISCARDED, lint

pytestmark = pytest.mark.slow

FIXED = DISCARDED.replace("images.to", "images = images.to")
UNSAFE = """\
import torch

pictures = [torch.randn(3), torch.randn(4)]
for picture in pictures:
    picture.to("cuda")
print(pictures)
"""
UNFIXABLE = """\
import torch

PALETTE = torch.randn(3)


def paint():
    PALETTE.to("cuda")
    return PALETTE * 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file that can be fixed and one that has no finding."""
    (tmp_path / "bad.py").write_text(DISCARDED)
    (tmp_path / "good.py").write_text(CLEAN)
    return tmp_path


class TestFix:
    def test_what_can_be_fixed_is(self, folder: Path) -> None:
        result = lint("--fix", cwd=folder)
        assert (result.code, result.err) == (0, "")
        assert result.out == "Found 1 finding (1 fixed, 0 remaining).\n"
        assert (folder / "bad.py").read_text() == FIXED
        assert (folder / "good.py").read_text() == CLEAN

    def test_a_second_run_has_nothing_to_do(self, folder: Path) -> None:
        lint("--fix", cwd=folder)
        result = lint("--fix", cwd=folder)
        assert (result.code, result.out, result.err) == (0, "No findings (2 files checked).\n", "")

    def test_what_is_left_is_reported(self, folder: Path) -> None:
        (folder / "odd.py").write_text(UNFIXABLE)
        result = lint("--fix", cwd=folder)
        first, *rest = result.out.splitlines()
        assert first.startswith("odd.py:7:5: TDL001 the result of")
        assert (result.code, rest) == (1, ["Found 2 findings (1 fixed, 1 remaining)."])

    def test_exit_zero(self, folder: Path) -> None:
        (folder / "odd.py").write_text(UNFIXABLE)
        assert lint("--fix", "--exit-zero", cwd=folder).code == 0

    def test_unsafe_fixes_need_a_flag(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text(UNSAFE)
        result = lint("--fix", cwd=tmp_path)
        assert (result.code, (tmp_path / "a.py").read_text()) == (1, UNSAFE)
        hint = "No fixes available (1 hidden fix can be enabled with `--unsafe-fixes`).\n"
        assert result.out.endswith(hint)
        assert "[*]" in lint("--unsafe-fixes", cwd=tmp_path).out
        assert lint("--fix", "--unsafe-fixes", cwd=tmp_path).code == 0
        assert 'pictures = [picture.to("cuda") for picture in pictures]' in (
            (tmp_path / "a.py").read_text()
        )

    def test_only_what_is_selected(self, folder: Path) -> None:
        assert lint("--fix", "--select", "TDL002", cwd=folder).code == 0
        assert (folder / "bad.py").read_text() == DISCARDED

    def test_what_was_fixed_can_be_shown(self, folder: Path) -> None:
        result = lint("--fix", "--show-fixes", cwd=folder)
        assert result.out == (
            "Fixed 1 finding:\n- bad.py:\n    1 × TDL001 (discarded-move)\n"
            "Found 1 finding (1 fixed, 0 remaining).\n"
        )

    def test_in_several_processes(self, tmp_path: Path) -> None:
        for number in range(20):
            (tmp_path / f"m{number:02}.py").write_text(DISCARDED)
        result = lint("--fix", "--jobs", "2", cwd=tmp_path)
        assert (result.code, result.err) == (0, "")
        assert {path.read_text() for path in tmp_path.glob("*.py")} == {FIXED}

    def test_with_json_only_what_is_left(self, folder: Path) -> None:
        result = lint("--fix", "--output-format", "json", cwd=folder)
        assert (result.code, json.loads(result.out)) == (0, [])
        assert result.err == "Found 1 finding (1 fixed, 0 remaining).\n"

    def test_a_file_that_cannot_be_parsed(self, folder: Path) -> None:
        (folder / "odd.py").write_text("import torch\nx = = 1\n")
        result = lint("--fix", cwd=folder)
        assert (result.code, (folder / "bad.py").read_text()) == (2, FIXED)


class TestDiff:
    def test_it_shows_and_changes_nothing(self, folder: Path) -> None:
        result = lint("--diff", cwd=folder)
        assert result.code == 1
        assert result.err == "Would fix 1 finding.\n"
        assert '-images.to("cuda")\n+images = images.to("cuda")\n' in result.out
        assert (folder / "bad.py").read_text() == DISCARDED

    def test_nothing_to_change(self, folder: Path) -> None:
        result = lint("--diff", "good.py", cwd=folder)
        assert (result.code, result.out, result.err) == (0, "", "")

    def test_findings_without_a_fix_are_not_its_business(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text(UNFIXABLE)
        result = lint("--diff", cwd=tmp_path)
        assert (result.code, result.out) == (0, "")

    def test_it_wins_over_fix(self, folder: Path) -> None:
        assert lint("--fix", "--diff", cwd=folder).code == 1
        assert (folder / "bad.py").read_text() == DISCARDED


class TestStandardInput:
    def test_the_fixed_text_goes_to_standard_output(self, tmp_path: Path) -> None:
        result = lint("--fix", "-", cwd=tmp_path, stdin=DISCARDED.encode())
        assert (result.code, result.out) == (0, FIXED)

    def test_what_is_left_goes_to_standard_error(self, tmp_path: Path) -> None:
        result = lint("--fix", "-", cwd=tmp_path, stdin=UNFIXABLE.encode())
        assert (result.code, result.out) == (1, UNFIXABLE)
        assert result.err.startswith("stdin:7:5: TDL001 ")

    @pytest.mark.parametrize("text", [CLEAN, "x = 1\n", "", "import torch\nx = = 1\n"])
    def test_what_needs_no_fix_comes_out_as_it_was(self, tmp_path: Path, text: str) -> None:
        result = lint("--fix", "-", cwd=tmp_path, stdin=text.encode())
        assert (result.code, result.out) == (2 if "= =" in text else 0, text)

    def test_a_difference(self, tmp_path: Path) -> None:
        result = lint("--diff", "-", cwd=tmp_path, stdin=DISCARDED.encode())
        assert result.code == 1
        assert result.out.startswith("--- a/stdin\n+++ b/stdin\n@@ ")


def test_json_shows_what_a_fix_replaces(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
        "    def forward(self, x):\n        noise = torch.randn(4)\n"
        "        return nn.functional.relu(x) + noise\n"
    )
    (finding,) = json.loads(lint("--output-format", "json", cwd=tmp_path).out)
    place = {"row": 7, "column": 30}
    assert finding["fix"] == {
        "applicability": "safe",
        "message": "Add `device=x.device`",
        "edits": [{"content": ", device=x.device", "location": place, "end_location": place}],
    }


def test_linting_does_not_load_libcst(folder: Path) -> None:
    code = (
        "import sys; from torchdev_lint.cli import main; "
        "main(['.']); print('libcst' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1] == "False", done.stderr
