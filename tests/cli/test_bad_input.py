"""Files that break tools: a clear line or a correct result, and the others are linted."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import DISCARDED, lint

pytestmark = pytest.mark.slow

HEAD = "import torch\nx = torch.ones(3)\n"
FOUND = re.compile(r"odd\.py:\d+:\d+: TDL001 ")
"""What is printed where the file is linted after all."""

_LARGE = f"0x{'f' * 6000}"

LINTED = {
    "byte order mark": b"\xef\xbb\xbf" + DISCARDED.encode(),
    "coding cookie": b"# coding: latin-1\n# \xe4\xf6\n" + DISCARDED.encode(),
    "carriage returns and newlines": DISCARDED.replace("\n", "\r\n").encode(),
    "carriage returns alone": DISCARDED.replace("\n", "\r").encode(),
    "form feeds": DISCARDED.replace("\n", "\n\f\n").encode(),
    "form feed first": b"\f" + DISCARDED.encode(),
    "tabs": f"{HEAD}if x.sum():\n\tx.cuda()\n".encode(),
    "no newline at the end": DISCARDED.rstrip().encode(),
    "a backslash at the end of a line": f"{HEAD}x. \\\n  cuda()\n".encode(),
    "an invalid escape": f"{HEAD}y = '\\d'\nx.cuda()\n".encode(),
    "other line separators": f"{HEAD}y = 'a\x1cb\u2028c\x85d'\nx.cuda()\n".encode(),
    "identifiers of the world": HEAD.replace("x", "größe").encode() + "größe.cuda()\n".encode(),
    "a number too large to be written out": (
        f"{HEAD}if x.n == {_LARGE}:\n    y = [{_LARGE}]\n"
        f"if x.n == {_LARGE}:\n    y[{_LARGE}].cuda()\n"
        f"x.cuda({_LARGE})\n".encode()
    ),
    "150 nested parentheses": f"{HEAD}{'(' * 150}x.cuda(){')' * 150}\n".encode(),
}

QUIET = {
    "empty": b"",
    "only comments": b"# import torch\n# x.cuda()\n",
    "only a newline": b"\n",
    "only a docstring": b'"""import torch"""',
    "only a byte order mark": b"\xef\xbb\xbf",
}

REFUSED = {
    "NUL bytes": (DISCARDED.encode() + b"\0\n", "odd.py:6: error: source contains a NUL byte"),
    "invalid UTF-8": (HEAD.encode() + b"y = '\xe4'\n", "odd.py:3: error: is not valid utf-8"),
    "UTF-16": (DISCARDED.encode("utf-16"), "odd.py:1: error: is not valid utf-8"),
    "unknown encoding": (
        b"# coding: klingon\nimport torch\n",
        "odd.py:1: error: unknown encoding: klingon",
    ),
    "a syntax error": (b"import torch\n\ndef f(:\n", "odd.py:3:7: error: syntax error: "),
    "Python 2": (b"import torch\nprint 'x'\n", "odd.py:2:1: error: syntax error: "),
    "Python 2 exceptions": (
        b"import torch\ntry: pass\nexcept A, b: pass\n",
        "odd.py:3:",
    ),
    "a merge conflict": (b"import torch\n<<<<<<< HEAD\nx\n", "odd.py:2:1: error: syntax error: "),
    "an open string": (b"import torch\nx = '''\n", "odd.py:2:5: error: syntax error: "),
    "an open bracket": (b"import torch\nx = [\n", "odd.py:2:5: error: syntax error: "),
    "1,000 nested parentheses": (
        f"{HEAD}y = {'(' * 1000}x{')' * 1000}\n".encode(),
        "odd.py:3:205: error: syntax error: too many nested parentheses",
    ),
}

EITHER: dict[str, Callable[[], str]] = {
    "a sum of 3,000 terms": lambda: f"{HEAD}x.cuda()\ny = {' + '.join(['x'] * 3000)}\n",
    "a sum of 30,000 terms": lambda: f"{HEAD}x.cuda()\ny = {' + '.join(['x'] * 30000)}\n",
    "a sum of 2,500 terms in forward": lambda: (
        "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def forward(self, x):\n"
        f"        return x.relu() + {' + '.join(['x'] * 2500)}\n\n\n"
        "y = torch.ones(3)\ny.cuda()\n"
    ),
    "a chain of 1,000 calls": lambda: f"{HEAD}x.cuda()\ny = x{'.relu()' * 1000}\n",
    "a chain of 1,000 attributes": lambda: f"{HEAD}x.cuda()\ny = x{'.T' * 1000}\n",
    "500 nested calls": lambda: f"{HEAD}x.cuda()\ny = {'f(' * 150}x{')' * 150}\n",
    "190 nested lists": lambda: f"{HEAD}x.cuda()\ny = {'[' * 190}x{']' * 190}\n",
    "1,000 minus signs": lambda: f"{HEAD}x.cuda()\ny = {'-' * 1000}1\n",
    "1,000 lambdas": lambda: f"{HEAD}x.cuda()\ny = {'lambda: ' * 1000}x\n",
    "2,000 elifs": lambda: f"{HEAD}x.cuda()\nif x is None: pass\n" + "elif x: y = x + 1\n" * 2000,
    "90 nested blocks": lambda: (
        f"{HEAD}x.cuda()\n" + "".join(f"{' ' * n}if x:\n" for n in range(90)) + " " * 90 + "y = x\n"
    ),
    "20 nested loops": lambda: (
        f"{HEAD}x.cuda()\n"
        + "".join(f"{' ' * n}for i{n} in range(2):\n" for n in range(19))
        + " " * 19
        + "x = x + i3\n"
    ),
}


def assert_the_other_was_linted(out: str) -> None:
    assert "other.py:4:1: TDL001 " in out


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a good file beside the odd one."""
    (tmp_path / "other.py").write_text(DISCARDED)
    return tmp_path


@pytest.mark.parametrize("name", LINTED)
def test_files_that_are_linted(folder: Path, name: str) -> None:
    (folder / "odd.py").write_bytes(LINTED[name])
    result = lint("odd.py", "other.py", cwd=folder)
    assert (result.code, result.err) == (1, "")
    assert FOUND.match(result.out)
    assert_the_other_was_linted(result.out)


@pytest.mark.parametrize("name", QUIET)
def test_files_in_which_nothing_can_be_found(folder: Path, name: str) -> None:
    (folder / "odd.py").write_bytes(QUIET[name])
    result = lint("odd.py", cwd=folder)
    assert (result.code, result.err) == (0, "")


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_are_refused(folder: Path, name: str) -> None:
    data, line = REFUSED[name]
    (folder / "odd.py").write_bytes(data)
    result = lint(".", "odd.py", cwd=folder)
    assert result.code == 2
    assert result.err.startswith(line)
    assert result.err.count("\n") == 1
    assert_the_other_was_linted(result.out)


@pytest.mark.parametrize("name", EITHER)
def test_files_at_the_limits(folder: Path, name: str) -> None:
    (folder / "odd.py").write_text(EITHER[name]())
    started = time.monotonic()
    result = lint(cwd=folder)
    assert time.monotonic() - started < 30
    assert "internal error" not in result.err
    assert "Traceback" not in result.err
    assert_the_other_was_linted(result.out)
    if result.err:
        assert re.match(r"odd\.py(:\d+)*: error: .*nested too deeply", result.err)
        assert (result.code, result.err.count("\n")) == (2, 1)
    else:
        assert result.code == 1
        assert "odd.py" in result.out


def test_a_large_generated_file(folder: Path) -> None:
    block = (
        "\n\nclass Net{0}(nn.Module):\n"
        f'    """{"Generated. " * 40}"""\n\n'
        "    def forward(self, x):\n        y = torch.zeros_like(x)\n        return y + x * {0}\n"
    )
    blocks = "".join(block.format(number) for number in range(9_000))
    text = f"{HEAD}from torch import nn\n\nx.cuda()\n{blocks}"
    assert len(text) > 5_000_000
    (folder / "odd.py").write_text(text)
    started = time.monotonic()
    result = lint("--show-skipped", cwd=folder)
    assert time.monotonic() - started < 10
    assert (result.code, FOUND.match(result.out)) == (1, None)
    assert "odd.py" in result.out + result.err
    assert_the_other_was_linted(result.out)


def test_a_large_file_of_data(folder: Path) -> None:
    (folder / "odd.py").write_text(
        "import torch\ndata = [\n" + "    1.25, 3, -4,\n" * 60_000 + "]\n"
    )
    result = lint(cwd=folder)
    assert (result.code, result.err) == (1, "")


def test_all_of_them_at_once(folder: Path) -> None:
    files = {name: data for name, (data, _) in REFUSED.items()} | LINTED | QUIET
    for number, data in enumerate(files.values()):
        (folder / f"m{number:02}.py").write_bytes(data)
    result = lint("--jobs", "2", *(p.name for p in sorted(folder.iterdir())), cwd=folder)
    assert result.code == 2
    assert result.err.count("\n") == len(REFUSED)
    assert result.out.count("TDL001") == len(LINTED) + 1
