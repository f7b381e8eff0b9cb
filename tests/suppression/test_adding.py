"""`--add-noqa`: everything is silenced, nothing else changes, and once is enough."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.config.conftest import Lint, lint
from tests.config.projects import CLEAN, DISCARDED, write

__all__ = ["lint"]

HEAD = "import torch\nx = torch.ones(3)\n"
CASES = {
    'x.to("cuda")': 'x.to("cuda")  # noqa: TDL001',
    'x.to("cuda")  # type: ignore': 'x.to("cuda")  # type: ignore  # noqa: TDL001',
    'x.to("cuda")  # noqa: E501': 'x.to("cuda")  # noqa: E501,TDL001',
    'x.to("cuda")  # noqa: E501 a reason': 'x.to("cuda")  # noqa: E501,TDL001 a reason',
    'x.to("cuda"); x.cuda()': 'x.to("cuda"); x.cuda()  # noqa: TDL001',
    'x.to(\n    "cuda"\n)': 'x.to(  # noqa: TDL001\n    "cuda"\n)',
    'x.to("""cuda\n""".strip())': 'x.to("""cuda\n""".strip())  # noqa: TDL001',
    'x.to(f"""cuda{1}\n""" + """\n""")': 'x.to(f"""cuda{1}\n""" + """\n""")  # noqa: TDL001',
    'x.\\\n    to("cuda")': 'x.\\\n    to("cuda")  # noqa: TDL001',
    'if x:\n    x.to("cuda")   \nelse:\n    x.cuda()': (
        'if x:\n    x.to("cuda")  # noqa: TDL001   \nelse:\n    x.cuda()  # noqa: TDL001'
    ),
}


@pytest.mark.parametrize("ending", ["\n", "\r\n", ""])
@pytest.mark.parametrize("text", CASES)
def test_where_it_goes(lint: Lint, tmp_path: Path, text: str, ending: str) -> None:
    newline = ending or "\n"
    path = tmp_path / "a.py"
    path.write_bytes((HEAD + text).replace("\n", newline).encode() + ending.encode())
    tree = ast.dump(ast.parse(path.read_bytes()))
    count = lint("-q", "a.py").out.count("TDL001")
    findings = "1 finding" if count == 1 else f"{count} findings"
    result = lint("--add-noqa", "a.py")
    assert (result.code, result.err) == (0, "")
    assert result.out == f"Silenced {findings} in 1 file.\n"
    assert (
        path.read_bytes() == (HEAD + CASES[text]).replace("\n", newline).encode() + ending.encode()
    )
    assert ast.dump(ast.parse(path.read_bytes())) == tree
    assert lint("a.py").code == 0
    again = path.read_bytes()
    assert lint("--add-noqa", "a.py").out == ""
    assert path.read_bytes() == again


def test_a_whole_project(lint: Lint, tmp_path: Path) -> None:
    write(
        tmp_path,
        {"a.py": DISCARDED, "b.py": CLEAN, "sub/c.py": DISCARDED, "d.py": "import torch\n("},
    )
    result = lint("--add-noqa")
    assert (result.code, result.out) == (2, "Silenced 2 findings in 2 files.\n")
    assert result.err.startswith("d.py:2:1: error: syntax error")
    assert (tmp_path / "b.py").read_text() == CLEAN


def test_only_what_is_selected(lint: Lint, tmp_path: Path) -> None:
    write(tmp_path, {"a.py": DISCARDED})
    assert lint("--add-noqa", "--ignore", "discarded-move").out == ""
    assert (tmp_path / "a.py").read_text() == DISCARDED


def test_what_cannot_be_written(lint: Lint, tmp_path: Path) -> None:
    write(tmp_path, {"a.py": DISCARDED})
    (tmp_path / "a.py").chmod(0o444)
    result = lint("--add-noqa", "a.py")
    assert (result.code, result.out) == (2, "")
    assert result.err == "a.py: error: cannot be silenced: is read-only\n"


@pytest.mark.parametrize("option", ["--fix", "--diff"])
def test_what_does_not_go_with_it(lint: Lint, tmp_path: Path, option: str) -> None:
    """Least of all `--diff`, by which nothing is changed."""
    write(tmp_path, {"a.py": DISCARDED})
    result = lint("--add-noqa", option, "a.py")
    assert result.code == 2
    assert f"--add-noqa does not go with {option}" in result.err
    assert (tmp_path / "a.py").read_text() == DISCARDED
