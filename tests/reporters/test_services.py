"""What CI services and tools read line by line: GitHub, GitLab, Pylint's format."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.reporters.conftest import MOVED, NET, Run

COMMAND = re.compile(r"::(error|warning|notice) ([^:]+)::(.+)")


class TestGithub:
    def test_a_command_for_each(self, run: Run, folder: Path) -> None:
        result = run("--output-format", "github", ".", "no.py")
        matches = [COMMAND.fullmatch(line) for line in result.out.splitlines()]
        found = [match.groups() for match in matches if match]
        assert result.code == 2
        assert len(found) == len(matches) == 5
        level, properties, message = found[-1]
        assert level == "warning"
        assert dict(pair.split("=") for pair in properties.split(",")) == {
            "title": "torchdev-lint (TDL002)",
            "file": str(folder / "net.py"),
            "line": "7",
            "col": "17",
            "endLine": "7",
            "endColumn": "31",
        }
        assert message.startswith("net.py:7:17: TDL002 ")
        assert message.endswith("%0A  help: Add `device=x.device`")

    def test_columns_are_left_out_over_several_lines(self, run: Run, folder: Path) -> None:
        long = MOVED.replace("images.to('cuda'); images.to('cuda')", "images.to(\n'cuda')")
        (folder / "long.py").write_text(long)
        first = run("--output-format", "github", "long.py").out.splitlines()[0]
        assert "line=4,endLine=5::" in first

    @pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
    def test_names_are_escaped(self, run: Run, folder: Path) -> None:
        (folder / "a,b:c%\n.py").write_text(MOVED)
        first = run("--output-format", "github", "a,b:c%\n.py").out.splitlines()[0]
        assert "/a%2Cb%3Ac%25\\n.py,line=4" in first


class TestGitlab:
    def report(self, run: Run, *arguments: str) -> list[dict[str, Any]]:
        report: list[dict[str, Any]] = json.loads(run("--output-format", "gitlab", *arguments).out)
        return report

    def test_what_gitlab_needs(self, run: Run) -> None:
        report = self.report(run, ".")
        assert [(each["check_name"], each["severity"]) for each in report] == [
            *(("invalid-syntax", "major"), ("TDL001", "major"), ("TDL001", "major")),
            ("TDL002", "minor"),
        ]
        assert report[-1]["description"].startswith("TDL002: ")
        assert report[-1]["location"] == {
            "path": "net.py",
            "positions": {"begin": {"line": 7, "column": 17}, "end": {"line": 7, "column": 31}},
        }
        assert len({each["fingerprint"] for each in report}) == len(report)

    def test_fingerprints_stay_while_lines_come_and_go(self, run: Run, folder: Path) -> None:
        before = [each["fingerprint"] for each in self.report(run, "net.py", "moved.py")]
        (folder / "net.py").write_text("# new\n" + NET, encoding="utf-8")
        assert [each["fingerprint"] for each in self.report(run, "net.py", "moved.py")] == before

    def test_paths_are_those_of_the_checkout(
        self, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CI_PROJECT_DIR", str(folder.parent))
        assert self.report(run, "net.py")[0]["location"]["path"] == f"{folder.name}/net.py"

    def test_nothing_found(self, run: Run) -> None:
        assert self.report(run, "clean.py") == []


def test_pylint(run: Run) -> None:
    lines = run("--output-format", "pylint", ".", "no.py").out.splitlines()
    pattern = re.compile(r"(?P<path>[^:]+):(?P<line>\d+): \[(?P<code>[\w-]+)\] (?P<text>.+)")
    matches = [match for line in lines if (match := pattern.fullmatch(line))]
    assert [match.group("path", "line", "code") for match in matches] == [
        ("no.py", "1", "E902"),
        ("broken.py", "2", "invalid-syntax"),
        ("moved.py", "4", "TDL001"),
        ("moved.py", "4", "TDL001"),
        ("net.py", "7", "TDL002"),
    ]
