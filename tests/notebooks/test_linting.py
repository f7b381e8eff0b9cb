"""Notebooks on the command line."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.config.conftest import Lint
from tests.config.projects import found, write
from tests.notebooks.made import TWO_CELLS, notebook, sources, written
from torchdev_lint.rules import OWN_RULES
from torchdev_lint.rules.base import Rule

FIXED = TWO_CELLS.replace('"images.to(', '"images = images.to(')


def places(out: str) -> list[str]:
    return [line.split(": TDL")[0] for line in out.splitlines() if ": TDL" in line]


def test_cells_are_one_program_in_their_order(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"nb.ipynb": TWO_CELLS})
    assert places(lint().out) == ["nb.ipynb:cell 3:1:1"]
    parts = [*sources(TWO_CELLS)[1:], "images = 3"]
    write(tmp_path, {"nb.ipynb": written(*parts)})
    assert places(lint().out) == ["nb.ipynb:cell 2:1:1"]
    write(tmp_path, {"nb.ipynb": written(parts[0], parts[2], parts[1])})
    assert places(lint().out) == []


@pytest.mark.parametrize(("cell", "expected"), [("Old()", []), ("Old", ["nb.ipynb:cell 3:1:1"])])
def test_what_a_notebook_calls_has_to_be_there(
    tmp_path: Path, lint: Lint, cell: str, expected: list[str]
) -> None:
    """Cells are run one by one: the others may do without it."""
    cells = written("from parts import Old", *sources(TWO_CELLS)[1:], cell)
    write(tmp_path, {"parts/__init__.py": "", "nb.ipynb": cells})
    assert places(lint().out) == expected


@pytest.mark.parametrize("rule", OWN_RULES, ids=lambda rule: rule.code)
def test_messages_name_lines_of_cells(tmp_path: Path, lint: Lint, rule: Rule) -> None:
    write(tmp_path, {"nb.ipynb": written("import os\n\n\nprint(os.sep)", rule.bad)})
    out = lint("--select", rule.code).out
    assert places(out)
    assert re.findall(r"\bline \d+\b(?! of cell)", out) == []


def test_the_line_where_an_input_was_made_is_one_of_a_cell(tmp_path: Path, lint: Lint) -> None:
    making = "def made():\n    return torch.zeros(3, 4)\n\n\nclass Net(nn.Module):\n    pass\n"
    parts = ["import torch\nfrom torch import nn", making]
    write(tmp_path, {"nb.ipynb": written(*parts, "nn.Linear(4, 2).cuda()(made())")})
    assert "(line 2 of cell 2), is passed unmoved" in lint().out


def test_they_are_found_in_folders_and_left_out_as_others(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"a/nb.ipynb": TWO_CELLS, "a/.ipynb_checkpoints/nb.ipynb": TWO_CELLS})
    assert found(lint()) == ["a/nb.ipynb"]
    assert lint("--extend-exclude", "*.ipynb").code == 0
    assert found(lint("--per-file-ignores", "*.ipynb:TDL001")) == []
    write(tmp_path, {".gitignore": "nb.ipynb"})
    (tmp_path / ".git").mkdir()
    assert lint().code == 0


@pytest.mark.parametrize(
    "cell",
    [
        "%matplotlib inline",
        "!pip install torch \\\n    torchvision (",
        "%load_ext autoreload\n%autoreload 2\n?torch\ntorch.randn?\ntorch.nn??",
        "files = !ls *.py\nhere = %pwd",
        "if True:\n    %cd ..\n    !ls \"it's",
        "%%bash\nfor x in *; do echo $x; done",
        "\n%%html\n<b>it's</b>",
        "%%time\ntotal = (\n    3\n    % 2\n)",
        "text = '''\n%not a magic\n!nor this'''",
        "total = 7 \\\n    % 3",
        "f = {'a': 1}  # it's (\n%pip install x",
        "%timeit -n 3 torch.randn(3)",
        "await something()",
        "cd ../data",
        "\npip install torch==1.4 -q\n",
        "  # shown\n  for image in images:\n      %timeit image.sum()\nprint(3)",
        "\n    total = 3\n    !ls\n    print(total)",
        "print(3);",
        ",f a b",
    ],
)
def test_what_is_none_of_pythons_is_tolerated(tmp_path: Path, lint: Lint, cell: str) -> None:
    write(tmp_path, {"nb.ipynb": written(*sources(TWO_CELLS)[1:2], cell, 'images.to("cuda")')})
    result = lint("nb.ipynb")
    assert (places(result.out), result.err) == (["nb.ipynb:cell 3:1:1"], "")


@pytest.mark.parametrize("magic", ["%time ", "%prun ", "  %time   "])
def test_what_a_magic_runs_is_linted(tmp_path: Path, lint: Lint, magic: str) -> None:
    first = sources(TWO_CELLS)[1] + "\nif images is not None:\n    pass\n"
    line = f'{magic}images.to("cuda")'
    if magic.startswith(" "):
        line = "if True:\n" + line
    write(tmp_path, {"nb.ipynb": written(first, line)})
    row = 2 if magic.startswith(" ") else 1
    assert places(lint().out) == [f"nb.ipynb:cell 2:{row}:{len(magic) + 1}"]
    lint("--fix")
    text = (tmp_path / "nb.ipynb").read_text()
    assert sources(text)[1] == line.replace("images.to", "images = images.to")


def test_what_is_indented_as_a_whole_keeps_its_columns(tmp_path: Path, lint: Lint) -> None:
    first = sources(TWO_CELLS)[1]
    write(tmp_path, {"nb.ipynb": written(first, '  # moved\n  images.to("cuda")\n')})
    assert places(lint().out) == ["nb.ipynb:cell 2:2:3"]
    lint("--fix")
    text = (tmp_path / "nb.ipynb").read_text()
    assert sources(text)[1] == '  # moved\n  images = images.to("cuda")\n'


def test_cells_of_other_languages_are_left_out(tmp_path: Path, lint: Lint) -> None:
    content = notebook(*sources(TWO_CELLS)[1:])
    content["cells"][1]["metadata"] = {"vscode": {"languageId": "r"}}
    write(tmp_path, {"nb.ipynb": json.dumps(content)})
    assert lint().code == 0
    write(tmp_path, {"nb.ipynb": written(sources(TWO_CELLS)[1], '%%script\nimages.to("cuda")')})
    assert lint().code == 0


def test_comments_silence(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"nb.ipynb": TWO_CELLS})
    assert lint("--add-noqa").out == "Silenced 1 finding in 1 file.\n"
    text = (tmp_path / "nb.ipynb").read_text()
    assert text == TWO_CELLS.replace('\\"cuda\\")', '\\"cuda\\")  # noqa: TDL001')
    assert lint().code == 0


def test_a_baseline_holds_findings_of_notebooks(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"nb.ipynb": TWO_CELLS})
    lint("--write-baseline", "base.json")
    write(tmp_path, {"nb.ipynb": written("#md new", "x = 1", *sources(TWO_CELLS))})
    assert lint("--baseline", "base.json").code == 0


def test_changed_lines_are_those_of_the_file(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"nb.ipynb": written(*sources(TWO_CELLS)[1:])})
    for command in (["init"], ["add", "."], ["commit", "-m", "start"]):
        who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]
        subprocess.run(["git", *who, *command], cwd=tmp_path, check=True, capture_output=True)
    more = written(*sources(TWO_CELLS)[1:], "x = 1", 'images.to("cuda:0")')
    write(tmp_path, {"nb.ipynb": more})
    assert places(lint("--since", "HEAD").out) == ["nb.ipynb:cell 4:1:1"]


class TestStandardInput:
    def test_it_is_a_notebook_by_its_name(
        self, lint: Lint, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        given(monkeypatch, TWO_CELLS)
        result = lint("-", "--stdin-filename", "dir/x.ipynb")
        assert (result.code, places(result.out)) == (1, ["dir/x.ipynb:cell 3:1:1"])

    def test_it_is_fixed(self, lint: Lint, monkeypatch: pytest.MonkeyPatch) -> None:
        given(monkeypatch, TWO_CELLS)
        assert lint("-", "--fix", "--stdin-filename", "x.ipynb").out == FIXED


def given(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


class TestFixing:
    @pytest.mark.parametrize("indent", [None, 0, 1, 4, "\t"])
    def test_only_the_edited_line_changes(
        self, tmp_path: Path, lint: Lint, indent: int | str | None
    ) -> None:
        text = json.dumps(json.loads(TWO_CELLS), indent=indent)
        write(tmp_path, {"nb.ipynb": text})
        assert lint("--fix").code == 0
        expected = text.replace('"images.to(', '"images = images.to(')
        assert (tmp_path / "nb.ipynb").read_text() == expected

    def test_a_source_that_is_one_string(self, tmp_path: Path, lint: Lint) -> None:
        content = json.loads(TWO_CELLS)
        for cell in content["cells"]:
            cell["source"] = "".join(cell["source"])
        text = json.dumps(content, indent=2) + "\n\n"
        write(tmp_path, {"nb.ipynb": text})
        assert places(lint().out) == ["nb.ipynb:cell 3:1:1"]
        lint("--fix")
        expected = text.replace('"images.to(', '"images = images.to(')
        assert (tmp_path / "nb.ipynb").read_text() == expected

    def test_bytes_of_other_places_stay(self, tmp_path: Path, lint: Lint) -> None:
        text = TWO_CELLS.replace("Title", "T\\u00eftle ü \\/ \\ud83d\\ude00").replace(
            '"metadata": {}', '"metadata" : { "x":1.50e0 }', 1
        )
        data = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
        (tmp_path / "nb.ipynb").write_bytes(data)
        lint("--fix")
        expected = data.replace(b'"images.to(', b'"images = images.to(')
        assert (tmp_path / "nb.ipynb").read_bytes() == expected

    def test_a_line_more_is_a_string_more(self, tmp_path: Path, lint: Lint) -> None:
        loop = "for x, y in loader:\n    print(model(x))\n"
        first = (
            "import torch\nfrom torch.utils.data import DataLoader, TensorDataset\n"
            'device = torch.device("cuda")\n'
            "loader = DataLoader(TensorDataset(torch.randn(8, 3), torch.randn(8)))\n"
            "model = torch.nn.Linear(3, 1).to(device)"
        )
        write(tmp_path, {"nb.ipynb": written(first, loop)})
        assert lint("--fix").code == 0
        text = (tmp_path / "nb.ipynb").read_text()
        assert text == written(*sources(text))  # as Jupyter would write it
        assert sources(text)[1] == loop.replace("    print", "    x = x.to(device)\n    print")

    def test_a_difference_can_be_applied(self, tmp_path: Path, lint: Lint) -> None:
        write(tmp_path, {"nb.ipynb": TWO_CELLS})
        patch = lint("--diff").out
        subprocess.run(["git", "apply"], input=patch, cwd=tmp_path, text=True, check=True)
        assert (tmp_path / "nb.ipynb").read_text() == FIXED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "error: is no notebook: not valid JSON: "),
        ("", "1:1: error: is no notebook: not valid JSON: "),
        ("torch", "1:1: error: is no notebook: not valid JSON: "),
        ("[]", "error: is no notebook: it has no cells"),
        ('{"nbformat": 4}', "error: is no notebook: it has no cells"),
        ('{"cells": [3], "nbformat": 4}', "error: is no notebook: it has no cells"),
        ('{"worksheets": [], "nbformat": 3}', "error: is a notebook of format 3; `jupyter nb"),
        (
            '{"cells": [{"cell_type": "code", "source": [1]}], "nbformat": 4}',
            "error: is no notebook: the source of cell 1 is no text",
        ),
        ("[" * 100_000, "error: is no notebook: nested too deeply"),
        ("9" * 6_000, "error: is no notebook: a number has too many digits"),
        (written("import torch", "\ndef x("), "cell 2:2:6: error: syntax error: "),
        (
            written("import torch", "\nif x:\ny = 1"),
            "cell 2:3:1: error: syntax error: expected an indented block after 'if' statement on "
            "line 2 of cell 2",
        ),
        (
            written("import torch", metadata={"language_info": {"name": "R"}}),
            "error: is a notebook, and its language is r",
        ),
    ],
)
def test_what_cannot_be_linted_is_one_line(
    tmp_path: Path, lint: Lint, text: str, message: str
) -> None:
    write(tmp_path, {"nb.ipynb": text})
    result = lint("nb.ipynb")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert message in result.err


def test_in_a_folder_other_languages_are_left_out(tmp_path: Path, lint: Lint) -> None:
    other = written("library(torch)", metadata={"kernelspec": {"language": "R"}})
    write(tmp_path, {"nb.ipynb": other})
    assert (lint().code, lint().err) == (0, "")
