"""Where something is in a notebook, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.config.conftest import Lint
from tests.config.projects import write
from tests.notebooks.made import TWO_CELLS, written

FILE_LINE = TWO_CELLS.split("\n").index('    "images.to(\\"cuda\\")"') + 1
ACROSS = written(
    "import torch\nimages = torch.randn(8, 3)",
    'weights = torch.ones(3, device="cuda")',
    "print(images @ weights)",
)
"""A tensor that is made in one cell and meets another in the third."""


@pytest.fixture
def said(tmp_path: Path, lint: Lint) -> Any:
    """Run the command over a notebook, and return what it writes in a format."""

    def run(name: str, text: str = TWO_CELLS) -> str:
        write(tmp_path, {"nb.ipynb": text})
        result = lint("--output-format", name, "nb.ipynb")
        assert (result.code, result.err) == (1, "")
        return result.out

    return run


def test_concise(said: Any) -> None:
    assert said("concise").startswith("nb.ipynb:cell 3:1:1: TDL001 [*] the result of ")


def test_messages_name_lines_of_cells(said: Any) -> None:
    assert "`weights` (on the accelerator) in `@` on line 1 of cell 3" in said("concise", ACROSS)


def test_grouped(said: Any) -> None:
    assert said("grouped").startswith("nb.ipynb:\n  cell 3:1:1 TDL001 [*] the result of ")


def test_full(said: Any) -> None:
    assert said("full").startswith("nb.ipynb:cell 3:1:1: TDL001")
    assert '1 | images.to("cuda")\n  | ^^^' in said("full")
    assert '1 - images.to("cuda")\n1 + images = images.to("cuda")\n' in said("full")


def test_full_across_cells(said: Any) -> None:
    text = said("full", ACROSS)
    assert text.startswith("nb.ipynb:cell 1:2:10: ")
    assert "\n2 | images = torch.randn(8, 3)\n" in text
    assert "\n  ::: nb.ipynb:cell 3:1:7:\n1 | print(images @ weights)\n" in text


def test_json(said: Any) -> None:
    (entry,) = json.loads(said("json"))
    assert (entry["cell"], entry["location"], entry["noqa_row"]) == (3, {"row": 1, "column": 1}, 1)
    (edit,) = entry["fix"]["edits"]
    assert (edit["cell"], edit["location"]) == (3, {"row": 1, "column": 1})
    (entry,) = json.loads(said("json", ACROSS))
    assert (entry["cell"], entry["location"]["row"]) == (1, 2)
    assert [(each["cell"], each["location"]["row"]) for each in entry["related"]][:1] == [(3, 1)]


def test_jsonl(said: Any) -> None:
    assert json.loads(said("jsonl").splitlines()[0])["cell"] == 3


def test_github(said: Any) -> None:
    text = said("github")
    assert f",line={FILE_LINE},col=1," in text
    assert "::nb.ipynb:cell 3:1:1: TDL001 " in text


def test_gitlab(said: Any) -> None:
    (element,) = json.loads(said("gitlab"))
    assert element["location"]["positions"]["begin"] == {"line": FILE_LINE, "column": 1}
    assert element["description"].startswith("TDL001: cell 3:1:1: the result of ")


def test_sarif(said: Any) -> None:
    (result,) = json.loads(said("sarif"))["runs"][0]["results"]
    (location,) = result["locations"]
    assert location["physicalLocation"]["region"]["startLine"] == FILE_LINE
    assert result["message"]["text"].startswith("cell 3:1:1: the result of ")
    assert "fixes" not in result  # places in the program are none of the file


def test_rdjson(said: Any) -> None:
    (diagnostic,) = json.loads(said("rdjson"))["diagnostics"]
    assert diagnostic["location"]["range"]["start"] == {"line": FILE_LINE, "column": 1}
    assert diagnostic["message"].startswith("cell 3:1:1: the result of ")
    assert "suggestions" not in diagnostic


def test_pylint(said: Any) -> None:
    assert said("pylint").startswith(f"nb.ipynb:{FILE_LINE}: [TDL001] cell 3:1:1: the result")


def test_junit(said: Any) -> None:
    case = ElementTree.fromstring(said("junit")).find(".//testcase")
    assert case is not None
    assert case.get("line") == str(FILE_LINE)
    (failure,) = case
    assert (failure.get("message") or "").startswith("cell 3:1:1: ")


def test_a_notebook_on_one_line(said: Any) -> None:
    text = json.dumps(json.loads(TWO_CELLS))
    assert f",line={1},col=1," in said("github", text)
    assert said("concise", text).startswith("nb.ipynb:cell 3:1:1: ")


def test_what_is_kept_of_a_run_is_told_again(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"nb.ipynb": ACROSS, "bad.ipynb": written("import torch", "def x(")})
    plain = lint("--output-format", "json", ".")
    assert (plain.code, len(json.loads(plain.out))) == (2, 2)
    for _ in range(2):
        assert lint("--output-format", "json", ".", cache="--cache-dir=kept") == plain
        assert list((tmp_path / "kept").rglob("*.json"))
