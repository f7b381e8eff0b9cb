"""The command line: what is printed, where, and the exit code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import CLEAN, DISCARDED, ROOT, lint, wait_until_idle
from torchdev_lint import __version__, checking, cli
from torchdev_lint.rules import ALL_RULES
from torchdev_lint.source.source import Source

pytestmark = pytest.mark.slow

LINE = re.compile(r"^(?P<path>.+?):(?P<line>\d+):(?P<column>\d+): (?P<code>TDL\d{3}) (?P<text>.+)$")

NOTHING = "No findings (0 files checked, 1 failed).\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file that has a finding and one that has none."""
    (tmp_path / "bad.py").write_text(DISCARDED)
    (tmp_path / "good.py").write_text(CLEAN)
    return tmp_path


class TestFindings:
    def test_one_line_a_finding(self, folder: Path) -> None:
        result = lint("bad.py", cwd=folder)
        line, *rest = result.out.splitlines()
        match = LINE.match(line)
        assert match is not None
        assert match.group("path", "line", "column", "code") == ("bad.py", "4", "1", "TDL001")
        assert "`images" in match["text"]
        assert match["text"].startswith("[*] ")
        total = ["1 finding in 1 file (1 file checked).", "[*] 1 fixable with `--fix`."]
        assert (result.code, rest, result.err) == (1, total, "")

    def test_nothing_found_is_said(self, folder: Path) -> None:
        result = lint("good.py", cwd=folder)
        assert (result.code, result.out) == (0, "No findings (1 file checked).\n")
        assert result.err == lint("-q", "good.py", cwd=folder).out == ""

    def test_without_a_path_the_current_folder_is_linted(self, folder: Path) -> None:
        result = lint(cwd=folder)
        assert result.code == 1
        assert result.out.startswith("bad.py:4:1: TDL001 ")

    @pytest.mark.parametrize("given", ["./sub", "sub", "sub/", "../{name}/sub"])
    def test_paths_are_shown_as_given(self, tmp_path: Path, given: str) -> None:
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub" / "a.py").write_text(DISCARDED)
        given = given.format(name=tmp_path.name)
        assert lint(given, cwd=tmp_path).out.startswith(f"{given.rstrip('/')}/a.py:4:1:")

    def test_a_file_named_twice_is_linted_once(self, folder: Path) -> None:
        assert lint("bad.py", ".", "./bad.py", cwd=folder).out.count("TDL001") == 1

    def test_exit_zero(self, folder: Path) -> None:
        result = lint("--exit-zero", ".", cwd=folder)
        assert (result.code, result.out.count("TDL001")) == (0, 1)

    def test_columns_count_characters(self, tmp_path: Path) -> None:
        text = 'import torch\nx = torch.ones(3)\nprint("größe 日本", x); x.cuda()\n'
        (tmp_path / "a.py").write_text(text, encoding="utf-8")
        column = text.splitlines()[2].index("x.cuda()") + 1
        assert lint("a.py", cwd=tmp_path).out.startswith(f"a.py:3:{column}: TDL001")


class TestSelection:
    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            (["--select", "TDL001"], 1),
            (["--select", "TDL"], 1),
            (["--select", "TDL002,TDL003"], 0),
            (["--select", "TDL002", "--select", "TDL001"], 1),
            (["--ignore", "TDL001"], 0),
            (["--ignore", "TDL"], 0),
            (["--ignore", "TDL00", "--select", "TDL001"], 1),
            (["--select", "TDL", "--ignore", "TDL001"], 0),
            (["--select", "TDL001", "--ignore", "TDL001"], 0),
            (["--select", "tdl001"], 1),
        ],
    )
    def test_by_prefix_and_the_longer_one_wins(
        self, folder: Path, arguments: list[str], code: int
    ) -> None:
        assert lint(*arguments, "bad.py", cwd=folder).code == code

    @pytest.mark.parametrize("option", ["--select", "--ignore"])
    @pytest.mark.parametrize("codes", ["TDL777", "E501", "TDL001,X", "TDL0011"])
    def test_an_unknown_code_is_an_error(self, folder: Path, option: str, codes: str) -> None:
        result = lint(option, codes, "bad.py", cwd=folder)
        assert (result.code, result.out) == (2, "")
        assert f"error: `{option}`: no rule is called {codes.split(',')[-1]!r}" in result.err


class TestInformation:
    def test_version(self, tmp_path: Path) -> None:
        result = lint("--version", cwd=tmp_path)
        assert (result.code, result.out) == (0, f"torchdev-lint {__version__}\n")

    def test_list_rules(self, tmp_path: Path) -> None:
        result = lint("--list-rules", cwd=tmp_path)
        assert result.code == 0
        lines = result.out.splitlines()
        assert [line.split()[:2] for line in lines] == [[r.code, r.name] for r in ALL_RULES]

    @pytest.mark.parametrize("code", ["TDL001", "tdl001"])
    def test_explain(self, tmp_path: Path, code: str) -> None:
        result = lint("--explain", code, cwd=tmp_path)
        assert result.code == 0
        page = (ROOT / "docs" / "rules" / "TDL001.md").read_text(encoding="utf-8")
        assert result.out == page

    def test_explain_unknown(self, tmp_path: Path) -> None:
        result = lint("--explain", "TDL777", cwd=tmp_path)
        assert (result.code, result.out) == (2, "")
        assert "no rule is called 'TDL777'; did you mean `TDL007`?" in result.err

    @pytest.mark.parametrize("arguments", [["--jobs", "0"], ["--jobs", "x"], ["--sel", "TDL001"],
                                           ["--output-format", "xml"], ["--nonsense"]])  # fmt: skip
    def test_bad_usage(self, tmp_path: Path, arguments: list[str]) -> None:
        result = lint(*arguments, cwd=tmp_path)
        assert (result.code, result.out) == (2, "")
        assert "error: " in result.err
        assert "Traceback" not in result.err


class TestJson:
    def test_nothing_found_is_an_empty_array(self, folder: Path) -> None:
        result = lint("--output-format", "json", "good.py", cwd=folder)
        assert (result.code, json.loads(result.out)) == (0, [])

    def test_shape(self, folder: Path) -> None:
        result = lint("--output-format", "json", cwd=folder)
        (finding,) = json.loads(result.out)
        assert result.code == 1
        assert finding["code"] == "TDL001"
        assert finding["name"] == "discarded-move"
        assert "images" in finding["message"]
        assert finding["filename"] == str(folder / "bad.py")
        assert finding["location"] == {"row": 4, "column": 1}
        assert finding["end_location"] == {"row": 4, "column": 18}
        assert finding["url"].endswith("/TDL001.md")
        place = {"row": 4, "column": 1}
        assert finding["fix"] == {
            "applicability": "safe",
            "message": "Assign the result to `images`",
            "edits": [{"content": "images = ", "location": place, "end_location": place}],
        }
        assert finding["scope"] == ""
        assert isinstance(finding["related"], list)

    def test_related_places_and_scope(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text(
            "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
            "    def forward(self, x):\n        noise = torch.randn(4)\n"
            "        return x.relu() + noise\n"
        )
        (finding,) = json.loads(lint("--output-format", "json", "a.py", cwd=tmp_path).out)
        assert (finding["code"], finding["scope"]) == ("TDL002", "Net.forward")
        assert finding["location"]["row"] == 7
        (related,) = finding["related"]
        assert related["filename"] == str(tmp_path / "a.py")
        assert related["location"]["row"] == related["end_location"]["row"] == 8
        assert related["message"]

    def test_many_findings_are_one_array(self, tmp_path: Path) -> None:
        for name in "abc":
            (tmp_path / f"{name}.py").write_text(DISCARDED)
        found = json.loads(lint("--output-format", "json", cwd=tmp_path).out)
        names = [os.path.basename(finding["filename"]) for finding in found]
        assert names == ["a.py", "b.py", "c.py"]

    def test_problems_are_in_it_and_on_stderr(self, folder: Path) -> None:
        result = lint("--output-format", "json", "bad.py", "missing.py", cwd=folder)
        assert result.code == 2
        missing, found = json.loads(result.out)
        assert (missing["code"], missing["name"]) == ("E902", "io-error")
        assert missing["filename"] == str(folder / "missing.py")
        assert found["code"] == "TDL001"
        assert result.err == "missing.py: error: no such file or folder\n"


class TestStdin:
    def test_a_dash_reads_standard_input(self, tmp_path: Path) -> None:
        result = lint("-", cwd=tmp_path, stdin=DISCARDED.encode())
        assert result.code == 1
        assert result.out.startswith("stdin:4:1: TDL001 ")

    def test_its_name_can_be_given(self, tmp_path: Path) -> None:
        result = lint("-", "--stdin-filename", "src/a.py", cwd=tmp_path, stdin=DISCARDED.encode())
        assert result.out.startswith("src/a.py:4:1: TDL001 ")

    def test_a_syntax_error_in_it(self, tmp_path: Path) -> None:
        result = lint("-", cwd=tmp_path, stdin=b"import torch\ndef f(:\n")
        assert (result.code, result.out) == (2, NOTHING)
        assert result.err.startswith("stdin:2:7: error: syntax error: ")


class TestProblems:
    def test_a_missing_path_does_not_stop_the_others(self, folder: Path) -> None:
        result = lint("nowhere", "bad.py", cwd=folder)
        assert result.code == 2
        assert result.err == "nowhere: error: no such file or folder\n"
        assert result.out.startswith("bad.py:4:1: TDL001")

    def test_exit_zero_does_not_hide_them(self, folder: Path) -> None:
        assert lint("--exit-zero", "nowhere", cwd=folder).code == 2

    def test_a_syntax_error_has_its_line(self, folder: Path) -> None:
        (folder / "broken.py").write_text("import torch\n\nx = = 1\n")
        result = lint(cwd=folder)
        assert result.code == 2
        assert result.err == "broken.py:3:5: error: syntax error: invalid syntax\n"
        assert result.out.startswith("bad.py:4:1: TDL001")

    def test_only_named_files_are_parsed_if_they_do_not_mention_torch(self, tmp_path: Path) -> None:
        (tmp_path / "python2.py").write_text("print 'hello'\n")
        assert lint(".", cwd=tmp_path).code == 0
        assert lint("python2.py", cwd=tmp_path).code == 2

    def test_an_internal_error_is_one_line(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def fail(source: Source, *_: object) -> None:
            if source.path == "bad.py":
                raise KeyError("lost\nkey")

        monkeypatch.chdir(folder)
        monkeypatch.setattr(checking, "facts_of", fail)
        assert cli.main(["good.py", "bad.py"]) == 2
        out, err = capsys.readouterr()
        assert out == "No findings (1 file checked, 1 failed).\n"
        assert err.startswith("bad.py: error: internal error: KeyError: ")
        assert err.count("\n") == 1
        assert "test_cli.py" in err

    def test_an_error_outside_of_any_file_is_one_line(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def fail(*_: object) -> None:
            raise KeyError("lost")

        monkeypatch.chdir(folder)
        monkeypatch.setattr("torchdev_lint.tasks.discover", fail)
        assert cli.main(["bad.py"]) == 2
        err = capsys.readouterr().err
        assert err.startswith("torchdev-lint: error: internal error: KeyError: ")
        assert err.count("\n") == 1

    def test_running_out_of_stack_is_one_line(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def fail(*_: object) -> None:
            raise RecursionError

        monkeypatch.chdir(folder)
        monkeypatch.setattr(checking, "facts_of", fail)
        assert cli.main(["bad.py"]) == 2
        assert capsys.readouterr().err == "bad.py: error: nested too deeply to be analysed\n"

    @pytest.mark.skipif(os.name == "nt", reason="a folder in use can't be removed there")
    def test_a_folder_that_is_gone(self, tmp_path: Path) -> None:
        command = f"mkdir sub && cd sub && rmdir ../sub && exec {sys.executable} -m torchdev_lint"
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (2, NOTHING)
        assert done.stderr == ".: error: cannot be read: No such file or directory\n"

    @pytest.mark.parametrize(
        ("name", "text", "problem"),
        [
            ("notes.txt", "x = 1\n", "is not Python: its name ends in .txt, "),
            ("requirements.TXT", "torch\n", "is not Python: its name ends in .txt, "),
            ("run.sh", "#!/bin/sh\nset\n", "is not Python: its name ends in .sh, "),
            ("a.py.bak", DISCARDED, "is not Python: its name ends in .bak, "),
        ],
    )
    def test_a_named_file_that_is_no_python(
        self, folder: Path, name: str, text: str, problem: str
    ) -> None:
        (folder / name).write_text(text)
        result = lint(name, "bad.py", cwd=folder)
        assert (result.code, result.out.count("TDL001")) == (2, 1)
        assert result.err.startswith(f"{name}: error: {problem}")
        assert result.err.count("\n") == 1
        assert lint(".", cwd=folder).err == ""

    def test_standard_input_that_is_said_to_be_no_python(self, tmp_path: Path) -> None:
        result = lint("-", "--stdin-filename", "a.txt", cwd=tmp_path, stdin=b"{}")
        assert (result.code, result.out) == (2, NOTHING)
        assert result.err.startswith("a.txt: error: is not Python: its name ends in .txt, ")

    @pytest.mark.parametrize(
        ("name", "head"),
        [
            ("train", ""),
            (".trainrc", ""),
            ("app.wsgi", ""),
            ("types.pyi", ""),
            ("A.PY", ""),
            ("run.cgi", "#!/usr/bin/env python3\n"),
            ("run.v2", "#! /opt/pypy3.10 -u\n"),
            ("run.v3", "#!/usr/bin/env -S python3.12 -u\n"),
        ],
    )
    def test_python_under_another_name(self, tmp_path: Path, name: str, head: str) -> None:
        (tmp_path / name).write_text(head + DISCARDED)
        result = lint(name, cwd=tmp_path)
        assert (result.code, result.err) == (1, "")
        assert f"{name}:{4 + bool(head)}:1: TDL001" in result.out


class TestJobs:
    def test_the_output_is_the_same_whatever_their_number(self, tmp_path: Path) -> None:
        for number in range(40):
            text = DISCARDED if number % 3 else "import torch\n)\n"
            (tmp_path / f"m{number:02}.py").write_text(text)
        one, three = (lint("--jobs", jobs, cwd=tmp_path) for jobs in ("1", "3"))
        assert one == three
        assert one.code == 2
        assert one.out.count("TDL001") == 26
        assert one.err.count("\n") == 14


class TestInterruption:
    def test_a_reader_that_leaves_early(self, tmp_path: Path) -> None:
        for number in range(600):
            (tmp_path / f"m{number}.py").write_text(DISCARDED)
        process = subprocess.Popen(
            [sys.executable, "-m", "torchdev_lint", "--jobs", "1", "."],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1

    @pytest.mark.skipif(os.name == "nt", reason="signals differ")
    def test_control_c(self, tmp_path: Path) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", "torchdev_lint", "-"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # whoever runs the tests in the background may have had it ignored
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        wait_until_idle(process.pid)  # it waits for its input by then
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (130, b"torchdev-lint: interrupted\n")


def test_quiet_leaves_findings_alone(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\nx = torch.ones(3)\nx.to('cuda')\n")
    loud, quiet = lint("a.py", cwd=tmp_path), lint("-q", "a.py", cwd=tmp_path)
    assert quiet.code == loud.code == 1
    assert quiet.out.splitlines() == loud.out.splitlines()[:1]
    assert lint("--quiet", "--fix", "a.py", cwd=tmp_path).out == ""
