"""What is said to those who mistype something, or ask what a rule is about."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from tests.command import ROOT
from torchdev_lint.cli import main
from torchdev_lint.rules import ALL_RULES


def complaint(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The last line that is said of arguments that are wrong."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (2, "")
    return str(err.splitlines()[-1])


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--slect", "TDL001"], "--slect; did you mean `--select`?"),
        (["--output-fromat=json"], "--output-fromat=json; did you mean `--output-format`?"),
        (["--unsafe-fix"], "--unsafe-fix; did you mean `--unsafe-fixes`?"),
        (["--zzzzzz"], "unrecognized arguments: --zzzzzz"),
        (["--output-format", "sarfi"], "there is no format 'sarfi'; did you mean `sarif`?"),
        (["--explain", "TDL777"], "'TDL777'; did you mean `TDL007`? (--list-rules lists them)"),
        (["--explain", "discard-move"], "did you mean `discarded-move`? (--list-rules lists them)"),
    ],
)
def test_the_closest_name_is_suggested(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert complaint(arguments, capsys).endswith(hint)


def test_wrong_usage_is_said_in_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--zzzzzz"])
    usage, error = capsys.readouterr().err.splitlines()
    assert usage == "usage: torchdev-lint [OPTION ...] [PATH ...]"
    assert error.startswith("torchdev-lint: error: ")


def pages(*codes: str) -> str:
    folder = ROOT / "docs" / "rules"
    return "\n".join((folder / f"{code}.md").read_text(encoding="utf-8") for code in codes)


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        (["TDL002", "TDL001"], ["TDL002", "TDL001"]),
        (["tdl002,discarded-move"], ["TDL002", "TDL001"]),
        (["Layer-In-Forward", "TDL003"], ["TDL003"]),
    ],
)
def test_several_rules_are_explained_by_code_or_name(
    arguments: list[str], codes: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--explain", *arguments]) == 0
    assert capsys.readouterr().out == pages(*codes)


def test_each_page_says_when_fixes_are_safe() -> None:
    for rule in ALL_RULES:
        assert "\n## Fix safety\n\n" in pages(rule.code)


def test_pages_go_through_the_pager_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paged: list[str] = []
    monkeypatch.setattr("pydoc.pager", paged.append)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["--explain", "TDL001"]) == 0
    assert (paged, capsys.readouterr().out) == ([pages("TDL001")], "")
