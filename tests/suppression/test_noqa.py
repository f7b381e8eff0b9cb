"""`# noqa` in the command does what it does in flake8 with the plugin, whatever flake8 there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.command import flake8, lint
from torchdev_lint.source.source import Source
from torchdev_lint.suppression.suppressions import Suppressions

pytestmark = pytest.mark.slow

COMMENTS = [
    "# noqa",
    "#noqa",
    "# NOQA",
    "# NoQA:TDL001",
    "# noqa: TDL001",
    "# noqa : TDL001",
    "# noqa:TDL001,E501",
    "# noqa: E501,TDL001",
    "# noqa: E501 TDL001",
    "# noqa: E501, TDL001",
    "# noqa: E501",
    "# noqa: TDL002",
    "# noqa: TDL",
    "# noqa: TDL0",
    "# noqa: T",
    "# noqa: tdl001",
    "# noqa: TDL001 because the wrapper moves it",
    "# noqa because the wrapper moves it",
    "# noqa:E501,W291 TDL001",
    "# noqa: ",
    "# noqa:",
    "# noqa - TDL001",
    "# a word first # noqa: TDL001",
    "# see noqa",
    "# type: ignore # noqa",
    "# ruff: noqa: TDL001",
    "# flake8: noqa",
]

PROGRAMS = {
    "the first line of a call": 'x.to(  # noqa\n    "cuda"\n)\n',
    "the last line of a call": 'x.to(\n    "cuda"\n)  # noqa\n',
    "a line joined by a backslash": 'x.\\\n    to("cuda")  # noqa\n',
    "a line between": 'x.to(\n    "cuda",  # noqa: TDL001\n    non_blocking=True,\n)\n',
    "another code on the last line": 'x.to(\n    "cuda"\n)  # noqa: E501\n',
    "a comment of its own line within": 'x.to(\n    # noqa: TDL001\n    "cuda"\n)\n',
    "the body of a block": "if (\n    x.sum()\n):\n    x.cuda()\nelse:\n    pass  # noqa\n",
    "the last line of a function's head": "def f(\n    y,\n):  # noqa\n    x.cuda()\n\n\nf(1)\n",
    "a line below": 'x.to("cuda")\n# noqa\n',
    "the statement below": 'x.to("cuda")\ny = (\n    1\n)  # noqa\n',
    "a line above": '# noqa\nx.to("cuda")\n',
    "a string over several lines": 'x.to("""cuda\n""".strip())  # noqa: TDL001\n',
    "a string after the line": 'x.to("cuda"); y = """\n# noqa\n"""\n',
    "a string on the line": 'x.to("cuda", "# noqa")\n',
    "the end of the file without a newline": 'x.to("cuda")  # noqa',
    "carriage returns": 'x.to("cuda")  # noqa\r\nx.cuda()\r\n',
    "the whole file": '# flake8: noqa\nx.to("cuda")\n',
    "the whole file, at its end": 'x.to("cuda")\n    # flake8: noqa\n',
    "the whole file, by code": '# flake8: noqa: TDL001\nx.to("cuda")\n',
    "the whole file, by another code": '# flake8: noqa: E501\nx.to("cuda")\n',
    "the whole file, old form": '# flake8=NOQA\nx.to("cuda")\n',
    "the whole file, in a string": 'y = """\n# flake8: noqa\n"""\nx.to("cuda")\n',
    "two findings on a line": 'x.to("cuda"); x.cuda()  # noqa: TDL001\n',
    "a form feed": '\fx.to("cuda")  # noqa\n\fx.cuda()\n',
    "no comment": 'x.to("cuda")\n',
}


def written(folder: Path, programs: Iterable[str]) -> None:
    """Write programs that have a tensor `x`, as `m00.py` and so on."""
    for number, program in enumerate(programs):
        text = f"import torch\nx = torch.ones(3)\n{program}"
        (folder / f"m{number:02}.py").write_bytes(text.encode())


def assert_as_flake8(folder: Path, programs: Iterable[str]) -> int:
    """Check that both report the same places, and return how many there are."""
    written(folder, programs)
    ours = lint("--quiet", cwd=folder)
    theirs = flake8("--isolated", "--select=TDL", "--jobs=1", cwd=folder)
    assert ours.err == theirs.err == ""
    expected = [line.removeprefix("./") for line in sorted(theirs.out.splitlines())]
    assert ours.out.replace(" [*]", "").splitlines() == expected
    return len(expected)


def test_every_form_of_the_comment(tmp_path: Path) -> None:
    count = assert_as_flake8(tmp_path, [f'x.to("cuda")  {comment}\n' for comment in COMMENTS])
    assert 0 < count < len(COMMENTS)


def test_where_the_comment_is(tmp_path: Path) -> None:
    assert assert_as_flake8(tmp_path, PROGRAMS.values()) > 0


def test_some_are_silenced_and_some_are_not(tmp_path: Path) -> None:
    written(tmp_path, PROGRAMS.values())
    lines = lint("--quiet", cwd=tmp_path).out.splitlines()
    found = Counter(line.partition(":")[0] for line in lines)
    counts = {name: found[f"m{number:02}.py"] for number, name in enumerate(PROGRAMS)}
    assert counts["the first line of a call"] == 0
    assert counts["the last line of a call"] == 0
    assert counts["a line between"] == 0
    assert counts["a comment of its own line within"] == 0
    assert counts["another code on the last line"] == 1
    assert counts["the body of a block"] == 1
    assert counts["the last line of a function's head"] == 1
    assert counts["a line above"] == counts["a line below"] == counts["the statement below"] == 1
    assert counts["a line joined by a backslash"] == 0
    assert counts["the whole file"] == 0
    assert counts["no comment"] == 1


HEADS = """\
if (
    1
):  # noqa: TDL002
    pass
with (
    open(x)
) as y:
    pass  # noqa
@decorated(
    1  # noqa
)
def f(
    y,
):
    z = 1; w = (
        2
    )  # noqa
    # noqa
match x:
    case (
        1  # noqa
    ):
        pass
"""


def test_a_head_is_a_statement_of_its_own() -> None:
    comments = Suppressions(Source.from_text(HEADS, "a.py"))
    silenced = {n for n in range(1, HEADS.count("\n")) if comments.silences("TDL002", "", n)}
    assert silenced == {*range(1, 4), 8, *range(9, 12), *range(15, 18), 18, *range(20, 23)}
    assert not any(comments.silences("TDL001", "", line) for line in range(1, 4))
