"""What people read: full, concise and grouped text, statistics, colours, links."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.reporters.conftest import Run
from torchdev_lint.reporters.style import PLAIN, Style, style_for


def test_full_shows_both_places_and_the_fix(run: Run) -> None:
    result = run("--output-format", "full", "net.py")
    assert result.code == 1
    message, *rest = result.out.splitlines()
    assert message.startswith("net.py:7:17: TDL002 [*] warning: `torch.zeros` makes `größe` on the")
    assert rest == [
        "  |",
        "7 |         größe = torch.zeros(4)",
        "  |                 ^^^^^^^^^^^^^^",
        "8 |         return x.relu() + größe",
        "  |                ---------------- meets `x.relu()` here",
        "help: Add `device=x.device`",
        "  |",
        "7 -         größe = torch.zeros(4)",
        "7 +         größe = torch.zeros(4, device=x.device)",
        "  |",
        "",
        "1 finding in 1 file (1 file checked).",
        "[*] 1 fixable with `--fix`.",
    ]


def test_full_shows_the_line_of_another_file(run: Run, folder: Path) -> None:
    (folder / "maker.py").write_text("import torch\n\nSCALE = torch.ones(4)\n")
    (folder / "net.py").write_text(
        "from torch import nn\nfrom maker import SCALE\n\n\nclass Net(nn.Module):\n"
        "    def forward(self, x):\n        return x.relu() + SCALE\n"
    )
    lines = run("--output-format", "full", "net.py").out.splitlines()
    start = lines.index("  ::: maker.py:3:9:")
    assert lines[start + 1] == "3 | SCALE = torch.ones(4)"
    assert lines[start + 2].startswith("  |         ------------- made on the CPU")


def test_unsafe_fixes_are_said_to_be(run: Run, folder: Path) -> None:
    (folder / "net.py").write_text(
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
        "    def forward(self, x):\n        layer = nn.Linear(4, 4)\n"
        "        return layer(x.relu())\n"
    )
    lines = run("--output-format", "full", "net.py").out.splitlines()
    (help_line,) = [line for line in lines if line.startswith("help: ")]
    assert help_line == "help: Build it in `__init__` as `self.layer` (unsafe: `--unsafe-fixes`)"
    assert any(line.endswith("+     def __init__(self):") for line in lines)


def test_concise_and_text_in_a_pipe_are_lines(run: Run) -> None:
    concise = run("--output-format", "concise", ".")
    assert concise == run("--output-format", "text", ".") == run(".")
    *lines, _, _ = concise.out.splitlines()
    places = [line.split(" ")[0] for line in lines]
    assert places == ["moved.py:4:1:", "moved.py:4:20:", "net.py:7:17:"]


def test_grouped_puts_findings_below_their_file(run: Run) -> None:
    lines = run("--output-format", "grouped", ".").out.splitlines()
    assert [line.partition(" TDL")[0] for line in lines[:6]] == [
        *("moved.py:", "  4:1 ", "  4:20", "", "net.py:", "  7:17"),
    ]


class TestStatistics:
    def test_text(self, run: Run) -> None:
        result = run("--statistics", ".")
        *rows, total, _ = result.out.splitlines()
        assert rows == ["2  TDL001  [*] discarded-move", "1  TDL002  [*] host-tensor-in-forward"]
        assert total == "3 findings in 2 files (3 files checked, 1 failed)."
        assert result.code == 2

    def test_json(self, run: Run) -> None:
        first, second = json.loads(run("--statistics", "--output-format", "json", ".").out)
        assert first == {
            "code": "TDL001",
            "name": "discarded-move",
            "count": 2,
            "fixable": True,
            "fixable_count": 2,
        }
        assert (second["code"], second["count"]) == ("TDL002", 1)

    @pytest.mark.parametrize("name", ["sarif", "github", "junit"])
    def test_formats_without_any(self, run: Run, name: str) -> None:
        result = run("--statistics", "--output-format", name, ".")
        assert (result.code, result.out) == (2, "")
        assert f"--statistics cannot be written as {name}" in result.err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("color", "environment", "terminal", "pipe"),
    [
        ("auto", {}, True, False),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        ("auto", {"NO_COLOR": "", "FORCE_COLOR": "1"}, True, True),
        ("auto", {"TERM": "dumb"}, False, False),
        ("always", {"NO_COLOR": "1"}, True, True),
        ("never", {"FORCE_COLOR": "1"}, False, False),
    ],
)
def test_when_there_are_colours(
    color: str, environment: dict[str, str], terminal: bool, pipe: bool
) -> None:
    assert style_for(Terminal(), color, environment).colour == terminal
    assert style_for(io.StringIO(), color, environment).colour == pipe


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, False),
        ({"TERM_PROGRAM": "WezTerm"}, True),
        ({"VTE_VERSION": "7006"}, True),
        ({"VTE_VERSION": "4900"}, False),
        ({"KITTY_WINDOW_ID": "1"}, True),
        ({"KITTY_WINDOW_ID": "1", "TERM": "dumb"}, False),
        ({"FORCE_HYPERLINK": "1"}, True),
        ({"FORCE_HYPERLINK": "0", "TERM_PROGRAM": "WezTerm"}, False),
    ],
)
def test_when_there_are_links(environment: dict[str, str], expected: bool) -> None:
    assert style_for(Terminal(), "auto", environment).links == expected
    assert not style_for(Terminal(), "never", environment).links


def test_a_code_is_a_link_to_its_page(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_HYPERLINK", "1")
    out = run("net.py").out
    assert "\x1b]8;;https://" in out
    assert "/docs/rules/TDL002.md\x1b\\TDL002\x1b]8;;\x1b\\" in out


def test_a_plain_style_adds_nothing() -> None:
    assert PLAIN.link("text", "url") == PLAIN.paint("text", "1") == "text"
    assert Style(colour=True).paint("text", "1") == "\x1b[1mtext\x1b[0m"
