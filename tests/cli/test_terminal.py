"""What is shown when a person looks: source lines, colours, a summary."""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path

import pytest

from tests.command import CLEAN, DISCARDED, ROOT, lint, start
from torchdev_lint.finding import Finding, Related
from torchdev_lint.progress import Progress
from torchdev_lint.report import FileReport
from torchdev_lint.reporters import Output
from torchdev_lint.reporters.full import FullReporter
from torchdev_lint.source.span import Span

pytestmark = pytest.mark.slow

pty = pytest.importorskip("pty", reason="terminals are simulated with pty, which Windows lacks")

_ESCAPES = re.compile(r"\x1b\[[0-9;]*[mK]")


def on_a_terminal(*arguments: str, cwd: Path, **env: str) -> str:
    """Run the command with its output on a terminal, and return what appears there."""
    master, slave = pty.openpty()
    inherited = {k: v for k, v in os.environ.items() if k in {"PATH", "TORCHDEV_LINT_CACHE_DIR"}}
    whole = {**inherited, "PYTHONPATH": str(ROOT), "TERM": "xterm", **env}
    with open(os.devnull, "rb") as nothing:
        wait = start(["torchdev_lint", *arguments], cwd, whole, nothing.fileno(), slave, slave)
    os.close(slave)
    shown = b""
    with contextlib.suppress(OSError):  # the terminal is gone: the process has ended
        while piece := os.read(master, 65536):
            shown += piece
    wait()
    os.close(master)
    return shown.decode().replace("\r\n", "\n")


def test_the_source_is_shown_with_the_place_underlined(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(DISCARDED)
    shown = _ESCAPES.sub("", on_a_terminal(cwd=tmp_path)).splitlines()
    assert shown[0].startswith("a.py:4:1: TDL001 ")
    assert shown[1:] == [
        "  |",
        '4 | images.to("cuda")',
        "  | ^^^^^^^^^^^^^^^^^",
        "help: Assign the result to `images`",
        "  |",
        '4 - images.to("cuda")',
        '4 + images = images.to("cuda")',
        "  |",
        "",
        "1 finding in 1 file (1 file checked).",
        "[*] 1 fixable with `--fix`.",
    ]


def test_nothing_found_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CLEAN)
    assert on_a_terminal(cwd=tmp_path) == "No findings (1 file checked).\n"


def test_colours(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(DISCARDED)
    assert "\x1b[1;31mTDL001\x1b[0m" in on_a_terminal(cwd=tmp_path)
    assert "\x1b" not in on_a_terminal(cwd=tmp_path, NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(cwd=tmp_path, NO_COLOR="1", FORCE_COLOR="1")
    assert "\x1b" not in on_a_terminal(cwd=tmp_path, TERM="dumb")
    assert "\x1b[1;31mTDL001\x1b[0m" in on_a_terminal(cwd=tmp_path, NO_COLOR="")
    assert "\x1b" not in lint(cwd=tmp_path).out
    forced = lint(cwd=tmp_path, env={"FORCE_COLOR": "1"}).out
    assert "\x1b[1;31mTDL001\x1b[0m" in forced
    assert forced.count("\n") == 3


def shown(lines: dict[int, str], span: Span, *related: Related) -> list[str]:
    stream = io.StringIO()
    reporter = FullReporter(Output(stream))
    finding = Finding("TDL002", "name", "message", span, related)
    reporter.add(FileReport("a.py", (finding,), lines))
    return stream.getvalue().splitlines()[1:-1]


def test_related_places_come_below() -> None:
    lines = {9: "  mask = torch.zeros(4)", 12: "  return scores + mask"}
    related = Related("meets `scores` here", Span(12, 9, 12, 22))
    assert shown(lines, Span(9, 9, 9, 23), related) == [
        "   |",
        " 9 |   mask = torch.zeros(4)",
        "   |          ^^^^^^^^^^^^^^",
        "12 |   return scores + mask",
        "   |          ------------- meets `scores` here",
    ]


@pytest.mark.parametrize(
    ("line", "span", "underline"),
    [
        ("\tx.to(d)", Span(1, 1, 1, 8), "      ^^^^^^^"),
        ("ä = x.to(d)", Span(1, 4, 1, 11), "      ^^^^^^^"),
        ("名 = x.to(d)", Span(1, 4, 1, 11), "       ^^^^^^^"),
        ("e\u0301 = x.to(d)", Span(1, 5, 1, 12), "      ^^^^^^^"),
        ("x.to(", Span(1, 0, 3, 1), "  ^^^^^"),
        ("x", Span(1, 5, 1, 9), "   ^"),
    ],
)
def test_the_underline_is_below_its_place(line: str, span: Span, underline: str) -> None:
    assert shown({1: line}, span)[2].removeprefix("  |") == underline[1:]


def test_a_long_line_is_cut_around_the_place() -> None:
    line = "y = [" + "1, " * 1000 + "x.to(d)" + ", 2" * 1000 + "]"
    _, source, underline = shown({1: line}, Span(1, 3005, 1, 3012))
    assert len(source) < 200
    start = underline.index("^")
    assert source[start : start + 7] == "x.to(d)"


def test_control_characters_are_not_sent_to_the_terminal() -> None:
    assert "\x1b" not in "".join(shown({1: "x.to('\x1b[31m')"}, Span(1, 0, 1, 12)))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_after_a_while_and_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    terminal = Terminal()
    progress = Progress(terminal, 50)
    progress.update(1)
    progress.clear()
    assert terminal.getvalue() == ""
    now += 2
    progress.update(7)
    progress.update(8)
    assert terminal.getvalue() == f"\r\x1b[K[{'#' * 3}{'.' * 21}] 7/50 files"
    progress.clear()
    assert terminal.getvalue().endswith("files\r\x1b[K")


def test_the_bar_comes_back_below_what_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    terminal = Terminal()
    progress = Progress(terminal, 50)
    now += 2
    progress.update(7)
    progress.clear()
    terminal.write("a.py:1:1: TDL001\n")
    progress.update(8)
    *_, last = terminal.getvalue().splitlines()
    assert last.endswith("] 8/50 files")
    progress.update(9)  # at most every fifth of a second
    assert terminal.getvalue().splitlines()[-1] == last


def test_progress_is_not_shown_in_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    log = io.StringIO()
    progress = Progress(log, 50)
    now += 2
    progress.update(7)
    progress.clear()
    assert log.getvalue() == ""
