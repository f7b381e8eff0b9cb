"""What can't be set is said in one line, and nothing is linted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.config.conftest import Lint
from tests.config.projects import DISCARDED, write
from torchdev_lint.config.options import described

SECTION = "[project]\nname = 'x'\n\n[tool.torchdev-lint]\n"


UNKNOWN = "there is no such setting in `[tool.torchdev-lint]`"
TABLE = "must be a table of lists of strings"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('selct = ["TDL001"]', 5, f"`selct`: {UNKNOWN}; did you mean `select`?"),
        ("jobs = 1\nselected = []", 6, f"`selected`: {UNKNOWN}; did you mean `select`?"),
        ("extend_select = []", 5, f"`extend_select`: {UNKNOWN}; did you mean `extend-select`?"),
        ("rules = {}", 5, f"`rules`: {UNKNOWN}"),
        ('select = "TDL001"', 5, "`select`: must be a list of strings, not a string"),
        ("\n\nselect = [\n 1,\n]", 7, "`select`: must be a list of strings"),
        ('"select" = 1', 5, "`select`: must be a list of strings, not a number"),
        ("jobs = 0", 5, "`jobs`: must be a number above 0"),
        ("jobs = true", 5, "`jobs`: must be a number above 0, not true or false"),
        (
            "unsafe-fixes = 1979-05-27",
            5,
            "`unsafe-fixes`: must be true or false, not a date or time",
        ),
        ("per-file-ignores = []", 5, f"`per-file-ignores`: {TABLE}, not a list"),
        ('[tool.torchdev-lint.per-file-ignores]\n"a" = 1', 5, f"`per-file-ignores`: {TABLE}"),
        (
            'severity.TDL001 = "bad"',
            5,
            "`severity`: must be a table of severities",
        ),
        ("jobs = 1\njobs = 2", 6, "not valid TOML: Cannot overwrite a value"),
    ],
)
def test_one_line(tmp_path: Path, lint: Lint, text: str, line: int, message: str) -> None:
    write(tmp_path, {"a.py": DISCARDED, "pyproject.toml": SECTION + text})
    result = lint()
    assert (result.code, result.out) == (2, "")
    assert result.err == f"pyproject.toml:{line}: error: {message}\n"


def test_all_that_is_wrong_in_a_file_is_said_at_once(tmp_path: Path, lint: Lint) -> None:
    text = 'selct = []\njobs = "4"\nunsafe_fixes = true\nselect = ["TDL001"]'
    write(tmp_path, {"a.py": DISCARDED, "pyproject.toml": SECTION + text})
    result = lint()
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines() == [
        f"pyproject.toml:5: error: `selct`: {UNKNOWN}; did you mean `select`?",
        "pyproject.toml:6: error: `jobs`: must be a number above 0, not a string",
        f"pyproject.toml:7: error: `unsafe_fixes`: {UNKNOWN}; did you mean `unsafe-fixes`?",
    ]


def test_all_rules_that_there_are_not_are_said_at_once(tmp_path: Path, lint: Lint) -> None:
    lines = ['severity = { XYZ = "error" }', 'ignore = ["TDL77", "TDL001", "TDL88"]',
             'rule-options = { TDL006 = { persist = true, persistent = 1 } }']  # fmt: skip
    write(tmp_path, {"a.py": DISCARDED, "torchdev-lint.toml": "\n".join(lines)})
    result = lint("--select", "TDL99")
    assert (result.code, result.out) == (2, "")
    told = [line.partition("; did you mean")[0] for line in result.err.splitlines()]
    assert told == [
        "torchdev-lint: error: `--select`: no rule is called 'TDL99'",
        "torchdev-lint.toml:1: error: `severity`: no rule is called 'XYZ'",
        "torchdev-lint.toml:2: error: `ignore`: no rule is called 'TDL77'",
        "torchdev-lint.toml:2: error: `ignore`: no rule is called 'TDL88'",
        "torchdev-lint.toml:3: error: `rule-options`: TDL006 has no option 'persist'",
        "torchdev-lint.toml:3: error: `rule-options`: 'persistent' of TDL006 must be true or "
        "false, not a number",
    ]


def test_one_of_a_few(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"torchdev-lint.toml": 'output-format = "jsn"'})
    assert lint().err.endswith("; did you mean `json`?\n")


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_the_line_of_each_key(tmp_path: Path, lint: Lint, ending: str) -> None:
    """Whatever stands above it, and however it is written."""
    lines = ["# select = 1", 'exclude = ["""', "select = 2", '"""]', "'select' = 3", ""]
    (tmp_path / "torchdev-lint.toml").write_bytes(ending.join(lines).encode())
    assert lint().err.startswith("torchdev-lint.toml:5: error: `select`: ")


def test_a_byte_order_mark_is_no_part_of_it(tmp_path: Path, lint: Lint) -> None:
    """Editors of Windows write one, and Ruff and other tools read over it."""
    write(tmp_path, {"a.py": DISCARDED})
    (tmp_path / "torchdev-lint.toml").write_text('ignore = ["ALL"]', encoding="utf-8-sig")
    result = lint("--quiet", "a.py")
    assert (result.code, result.out, result.err) == (0, "", "")


def test_a_section_that_is_no_table(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"pyproject.toml": "[tool]\ntorchdev-lint = 3\n"})
    assert lint().err == "pyproject.toml:2: error: `tool.torchdev-lint` must be a table\n"


def test_files_that_cannot_be_read(tmp_path: Path, lint: Lint) -> None:
    path = tmp_path / "torchdev-lint.toml"
    path.mkdir()
    assert lint().err == "torchdev-lint.toml: error: is not a regular file\n"
    path.rmdir()
    path.symlink_to("nowhere")
    assert lint().err == "torchdev-lint.toml: error: cannot be read: No such file or directory\n"
    path.unlink()
    path.write_bytes(b"jobs = 1\n# \xff\n")
    assert lint().err == "torchdev-lint.toml:2: error: not valid TOML: not UTF-8\n"
    path.write_bytes(b"jobs = " + b"[" * 100_000)
    assert lint().err.startswith("torchdev-lint.toml: error: not valid TOML: ")
    path.write_text(f"jobs = {'9' * 6_000}")
    assert lint().err == "torchdev-lint.toml: error: not valid TOML: a number has too many digits\n"
    path.write_bytes(b"")
    if hasattr(os, "geteuid") and os.geteuid() != 0:  # who is root may read everything
        path.chmod(0)
        assert lint().err == "torchdev-lint.toml: error: cannot be read: Permission denied\n"


def test_a_fault_below_is_told_before_anything_is_linted(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"a.py": DISCARDED, "pkg/b.py": DISCARDED, "pkg/torchdev-lint.toml": "x = 1"})
    result = lint()
    assert (result.code, result.out) == (2, "")
    assert lint("a.py").code == 1


def test_all_that_is_described_can_be_set(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"a.py": DISCARDED, "base.toml": ""})
    examples = [
        f"{option.key} = {option.example if option.key != 'extend' else repr('base.toml')}"
        for option in described()
    ]
    write(tmp_path, {"torchdev-lint.toml": "\n".join(examples)})
    assert lint("--write-baseline", "torchdev-lint-baseline.json", "a.py").err == ""
    assert lint("a.py").err == ""


def test_settings_that_are_shown_can_be_set(tmp_path: Path, lint: Lint) -> None:
    """`--show-settings` writes TOML, which says the same again."""
    lines = 'jobs = 4\nselect = ["TDL0"]\nper-file-ignores = { "a \\"b\\".py" = ["TDL001"] }\n'
    write(tmp_path, {"torchdev-lint.toml": lines, "a.py": DISCARDED})
    shown = lint("--show-settings", "a.py").out
    assert "jobs = 4  # torchdev-lint.toml:1" in shown.splitlines()
    assert shown.startswith("# a.py\n# rules that run: TDL001 TDL002 ")
    write(tmp_path, {"torchdev-lint.toml": shown})
    again = lint("--show-settings", "a.py").out
    assert [line.partition("  # ")[0] for line in again.splitlines()] == [
        line.partition("  # ")[0] for line in shown.splitlines()
    ]


def test_what_is_shown_says_where_it_was_set(tmp_path: Path, lint: Lint) -> None:
    write(
        tmp_path,
        {
            "base.toml": 'extend-ignore = ["TDL001"]\nselect = ["TDL0"]\n',
            "pkg/torchdev-lint.toml": 'extend = "../base.toml"\n\nextend-ignore = ["TDL002"]\n',
        },
    )
    lines = lint("--show-settings", "pkg", "--select", "TDL00").out.splitlines()
    assert 'select = ["TDL00"]  # command line' in lines
    where = "base.toml:1, pkg/torchdev-lint.toml:3"
    assert f'extend-ignore = ["TDL001", "TDL002"]  # {where}' in lines
