"""`--write-baseline` and `--baseline`: what was found before is left aside."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.config.conftest import Lint
from tests.config.projects import DISCARDED, found, write

OLD = """\
import torch


def train():
    images = torch.randn(8, 3)
    images.to("cuda")
    return images
"""
"""A program with one finding: TDL001 in line 6."""

NEW = """

def evaluate():
    images = torch.randn(8, 3)
    images.to("cuda")
    return images
"""

NAME = "base.json"


@pytest.fixture
def adopted(tmp_path: Path, lint: Lint) -> Path:
    """A folder whose findings are in a baseline."""
    write(tmp_path, {"old.py": OLD, "pkg/other.py": DISCARDED})
    result = lint("--write-baseline", NAME)
    assert (result.code, result.out, result.err) == (0, f"Wrote 2 findings to {NAME}.\n", "")
    return tmp_path


def test_what_was_found_before_is_left_aside(adopted: Path, lint: Lint) -> None:
    result = lint("--baseline", NAME)
    assert (result.code, result.err) == (0, "")
    assert result.out == "No findings (2 files checked).\n"


def test_it_does_not_depend_on_lines(adopted: Path, lint: Lint) -> None:
    write(adopted, {"old.py": "# one\n# two\n" + OLD.replace("    images.to", "\n    images.to")})
    assert lint("--baseline", NAME).code == 0


def test_what_is_new_is_reported(adopted: Path, lint: Lint) -> None:
    write(adopted, {"old.py": OLD + NEW})
    result = lint("--baseline", NAME)
    assert result.code == 1
    assert result.out.startswith("old.py:12:5: TDL001")
    assert "1 finding in 1 file (2 files checked)." in result.out


def test_one_more_of_the_same_is_new(adopted: Path, lint: Lint) -> None:
    again = OLD.replace("    return", '    images.to("cuda")\n    return')
    write(adopted, {"old.py": again})
    assert lint("--baseline", NAME).out.startswith("old.py:7:5: TDL001")


def test_another_scope_is_new_and_the_old_one_stale(adopted: Path, lint: Lint) -> None:
    write(adopted, {"old.py": OLD.replace("train", "fit")})
    result = lint("--baseline", NAME)
    assert (result.code, result.out.partition(" ")[0]) == (1, "old.py:6:5:")
    assert result.err == (
        f"{NAME}: warning: is stale: old.py has no TDL001 in `train` at "
        '`images.to("cuda")` any more\n'
    )


def test_stale_entries_are_told_without_being_a_failure(adopted: Path, lint: Lint) -> None:
    write(adopted, {"old.py": OLD.replace('images.to("cuda")', 'images = images.to("cuda")')})
    (adopted / "pkg" / "other.py").unlink()
    result = lint("--baseline", NAME)
    assert result.code == 0
    start = f"{NAME}: warning: is stale:"
    assert result.err.splitlines() == [
        f'{start} old.py has no TDL001 in `train` at `images.to("cuda")` any more',
        f'{start} pkg/other.py has no TDL001 at `images.to("cuda")` any more',
    ]


def test_what_was_not_looked_at_is_not_stale(adopted: Path, lint: Lint) -> None:
    assert lint("--baseline", NAME, "old.py").err == ""
    assert lint("--baseline", NAME, "--select", "TDL002").err == ""
    write(adopted, {"old.py": "import torch\ndef broken("})
    result = lint("--baseline", NAME)
    assert (result.code, result.err.count("stale")) == (2, 0)


def test_a_file_that_cannot_be_linted_is_told_when_it_is_written(
    tmp_path: Path, lint: Lint
) -> None:
    write(tmp_path, {"old.py": OLD, "bad.py": "import torch\ndef broken("})
    result = lint("--write-baseline", NAME)
    assert result.code == 2
    assert result.err.startswith("bad.py:2:")
    assert lint("--baseline", NAME, "old.py").code == 0


def test_the_key_in_settings_counts_from_its_folder(
    adopted: Path, lint: Lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(adopted, {"torchdev-lint.toml": f'baseline = "{NAME}"'})
    assert lint().code == 0
    monkeypatch.chdir(adopted / "pkg")
    assert found(lint()) == []
    assert lint("--isolated").code == 1


def test_a_baseline_may_lie_anywhere(adopted: Path, lint: Lint) -> None:
    lint("--write-baseline", "conf/deep/base.json")
    held = json.loads((adopted / "conf/deep/base.json").read_text())
    assert list(held["findings"]) == ["../../old.py", "../../pkg/other.py"]
    assert lint("--baseline", "conf/deep/base.json").code == 0


def test_it_is_the_same_whenever_the_same_is_found(adopted: Path, lint: Lint) -> None:
    before = (adopted / NAME).read_bytes()
    lint("--baseline", NAME, "--write-baseline", NAME, ".", "pkg")
    assert (adopted / NAME).read_bytes() == before
    assert json.loads(before)["findings"]["old.py"] == [
        {"code": "TDL001", "scope": "train", "line": 'images.to("cuda")', "count": 1}
    ]


class TestFixing:
    def test_what_is_held_is_not_fixed(self, adopted: Path, lint: Lint) -> None:
        write(adopted, {"old.py": OLD + NEW})
        result = lint("--fix", "--baseline", NAME)
        assert (result.code, result.err) == (0, "")
        assert result.out == "Found 1 finding (1 fixed, 0 remaining).\n"
        assert (adopted / "old.py").read_text() == OLD + NEW.replace("s.to", "s = images.to")
        assert (adopted / "pkg/other.py").read_text() == DISCARDED

    def test_another_finding_on_its_line_is_fixed(self, tmp_path: Path, lint: Lint) -> None:
        line = 'a.to("cuda"); b.to("cuda")\n'
        text = "import torch\n\na = torch.zeros(3)\nb = torch.zeros(3)\n"
        write(tmp_path, {"a.py": text + line + "print(a, b)\n"})
        lint("--write-baseline", NAME)
        held = json.loads((tmp_path / NAME).read_text())
        held["findings"]["a.py"][0]["count"] = 1
        write(tmp_path, {NAME: json.dumps(held)})
        result = lint("--fix", "--baseline", NAME)
        assert (result.code, result.err) == (0, "")
        assert (tmp_path / "a.py").read_text().splitlines()[4] == ('a.to("cuda"); b = b.to("cuda")')

    def test_nothing_is_shown_that_would_not_be_fixed(self, adopted: Path, lint: Lint) -> None:
        result = lint("--diff", "--baseline", NAME)
        assert (result.code, result.out, result.err) == (0, "", "")

    def test_no_comment_is_added(self, adopted: Path, lint: Lint) -> None:
        write(adopted, {"old.py": OLD + NEW})
        assert lint("--add-noqa", "--baseline", NAME).out == "Silenced 1 finding in 1 file.\n"


def test_all_formats_leave_it_aside(adopted: Path, lint: Lint) -> None:
    def said(name: str) -> str:
        return lint("--baseline", NAME, "--output-format", name).out

    assert json.loads(said("json")) == []
    assert said("jsonl") == said("github") == said("pylint") == ""
    assert json.loads(said("gitlab")) == []
    assert json.loads(said("sarif"))["runs"][0]["results"] == []
    assert json.loads(said("rdjson"))["diagnostics"] == []
    assert ElementTree.fromstring(said("junit")).get("failures") == "0"
    assert lint("--baseline", NAME, "--statistics").out == "No findings (2 files checked).\n"


@pytest.mark.usefixtures("adopted")
def test_what_is_kept_of_a_run_does_not_depend_on_it(lint: Lint) -> None:
    def code(*arguments: str) -> int:
        return lint(*arguments, cache="--cache-dir=kept").code

    for _ in range(2):
        assert code("--baseline", NAME) == 0
        assert code() == 1
    assert code("--fix", "--baseline", NAME) == 0
    assert code() == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"version": 2, "findings": {}}', "baseline of version 2, and this release reads 1; "),
        ("{", "not a baseline: not valid JSON"),
        ("[]", "not a baseline: not of the shape of one"),
        ('{"version": 1}', "not a baseline: not of the shape of one"),
        ('{"version": 1, "findings": {"a.py": [{"code": 1}]}}', "not a baseline: not of the shape"),
        ("\0", "not a baseline: not valid JSON"),
    ],
)
def test_what_is_no_baseline_is_one_line(
    tmp_path: Path, lint: Lint, text: str, message: str
) -> None:
    write(tmp_path, {"a.py": DISCARDED, NAME: text})
    result = lint("--baseline", NAME)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert message in result.err
    assert result.err.startswith(NAME)


def test_one_that_is_not_there(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"a.py": DISCARDED})
    result = lint("--baseline", "none.json")
    assert (result.code, result.out) == (2, "")
    assert result.err == "none.json: error: baseline cannot be read: No such file or directory\n"


def test_one_that_cannot_be_written(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"a.py": DISCARDED})
    result = lint("--write-baseline", "a.py/base.json")
    assert (result.code, result.err.count("\n")) == (2, 1)


@pytest.mark.parametrize("option", ["--fix", "--diff", "--add-noqa", "--since=HEAD"])
def test_what_does_not_go_with_writing_one(tmp_path: Path, lint: Lint, option: str) -> None:
    result = lint("--write-baseline", NAME, option)
    assert result.code == 2
    assert f"--write-baseline does not go with {option.partition('=')[0]}" in result.err
    assert not (tmp_path / NAME).exists()
