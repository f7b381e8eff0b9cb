"""What IPython reads in cells besides Python: magics, shell commands, questions."""

from __future__ import annotations

import ast
import re

from torchdev_lint.records import dataclass
from torchdev_lint.source.source import NEWLINE

_CALL = "get_ipython()"
"""What stands for what IPython does itself: a call of which nothing is known."""
_PYTHON_CELLS = frozenset({"capture", "prun", "time"})
"""Magics of cells that run what is below as Python, in the notebook's own variables."""

_CELL = re.compile(r"^(?=#[ \t]*(?:%%|In\[[ \d]*\]))", re.MULTILINE)
"""Where a cell of a script begins, as editors see it."""
_COMMENT = re.compile(r"[ \t]*#")
_CELL_MAGIC = re.compile(r"%%(\w*)")
_ESCAPED = re.compile(r"[ \t]*[%!?/,;]")
"""How a line begins that is none of Python's, where a statement begins."""
_TIMED = re.compile(r"([ \t]*)(%(?:time|prun)[ \t]+)(?=[^-\s])")
"""Magics of lines that run the rest as Python, in the notebook's own variables."""
_QUESTION = re.compile(r"[ \t]*%{0,2}(?!\d)[\w*]+(?:\.[\w*]+|\[-?\d+\])*\?\??[ \t]*$")
_BARE = re.compile(r"[ \t]*(\w+)[ \t]+\S")
"""How a magic of lines begins without its `%`, which it may be if it is all that is in a cell."""
_MAGICS = frozenset(
    """
    alias bookmark cat cd clear colors conda config cp dirs ed edit env gui hist history ldir less
    lf lk ll load load_ext loadpy logstart ls lx macro mamba man matplotlib micromamba mkdir more mv
    notebook page pastebin pdef pdoc pfile pinfo pinfo2 pip popd precision prun psearch psource
    pushd pycat pylab recall reload_ext rep rerun reset rm rmdir run save sc set_env store sx system
    time timeit unalias unload_ext uv who who_ls whos xdel xmode
    """.split()
)
"""Those that take something.

Source: `%lsmagic` of IPython 9, and `AutoMagicChecker` in its `core/prefilter.py`.
"""
_ASSIGNED = re.compile(r"([^#'\"=!<>(]*=[ \t]*)[%!][ \t]*\S")
_TOKEN = re.compile(r"#.*|(\"\"\"|''')|\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?|([(\[{])|([)\]}])")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a cell as Python.

    Args:
        text: the line, without its end.
        same_from: the character from which on it is as it was in the cell; None: nothing of it is.
    """

    text: str
    same_from: int | None = None


_BLOCK = Line("if 1:")


def as_python(text: str) -> list[Line] | None:
    """Return the lines of a cell, with something of Python's in place of what isn't.

    Args:
        text: the cell.

    Returns:
        The lines; None if the cell is another language's.
    """
    lines = NEWLINE.split(text)
    first = next((n for n, line in enumerate(lines) if line.strip() and not _CELL.match(line)), 0)
    magic = _CELL_MAGIC.match(lines[first])
    result: list[Line] = []
    if magic is not None:
        if magic[1] not in _PYTHON_CELLS:
            return None
        result = [Line("")] * (first + 1)
    if len(text.strip().splitlines()) == 1 and _is_bare(text):
        return [Line(_CALL if line.strip() else "") for line in lines]
    reading, block = _Reading(), _block_of(lines) if magic is None else None
    for line in lines[len(result) :]:
        result.append(_BLOCK if len(result) == block else reading.as_python(line))
    return result


def _block_of(lines: list[str]) -> int | None:
    """Return which line is to begin a block if a cell is indented as a whole, which IPython undoes.

    It is the one above the first that holds code, so that all of these keep their columns.
    """
    start = next((line for line in lines if line.strip()), "")
    code = next((n for n, line in enumerate(lines) if line.strip() and not _COMMENT.match(line)), 0)
    indent = start[: len(start) - len(start.lstrip())]
    return code - 1 if indent and code and lines[code].startswith(indent) else None


def script_as_python(text: str) -> str:
    """Return a script with its cells as Python, each character where it was as far as it is Python.

    Args:
        text: the script; one without cells is given back as it is.
    """
    cells = _CELL.split(text)
    return text if len(cells) == 1 else "".join(map(_cell_as_python, cells))


def _cell_as_python(cell: str) -> str:
    ends = [*NEWLINE.findall(cell), ""]
    lines = as_python(cell) or [Line("")] * len(ends)
    return "".join(line.text + end for line, end in zip(lines, ends, strict=True))


class _Reading:
    """Follows where statements begin, as magics are read only there."""

    def __init__(self) -> None:
        self._quote = ""
        self._depth = 0
        self._continued = False
        # Whether the line before is none of Python's, and goes on in this one.
        self._in_magic = False

    def as_python(self, line: str) -> Line:
        """Return the next line as Python."""
        if self._in_magic:
            self._in_magic = line.endswith("\\")
            return Line("")
        if not (self._quote or self._depth or self._continued):
            instead = _instead_of(line)
            if instead is not None:
                self._in_magic = line.endswith("\\")
                return instead
        self._read(line)
        return Line(line, 0)

    def _read(self, line: str) -> None:
        at = 0
        if self._quote:
            at = self._end_of_string(line, 0)
        while not self._quote and (token := _TOKEN.search(line, at)):
            at = token.end()
            if token[1]:
                self._quote = token[1]
                at = self._end_of_string(line, at)
            elif token[2]:
                self._depth += 1
            elif token[3]:
                self._depth = max(self._depth - 1, 0)
        self._continued = not self._quote and line.endswith("\\") and "#" not in line[at:]

    def _end_of_string(self, line: str, at: int) -> int:
        """Return where a long string ends, if it does so on this line."""
        end = re.compile(rf"(?:[^\\]|\\.)*?{self._quote}").match(line, at)
        if end is None:
            return len(line)
        self._quote = ""
        return end.end()


def _instead_of(line: str) -> Line | None:
    """Return what to read in place of a line on which a statement begins; None if it is Python."""
    timed = _TIMED.match(line)
    if timed is not None:
        # What is below keeps its columns: `if 1: ` is no longer than `%time `.
        python = f"{timed[1]}{'if 1:':<{len(timed[2])}}{line[timed.end() :]}"
        if _is_python(python.strip()):
            return Line(python, timed.end())
    if _ESCAPED.match(line) or _QUESTION.match(line):
        return Line(line[: len(line) - len(line.lstrip())] + _CALL)
    assigned = _ASSIGNED.match(line)
    return Line(assigned[1] + _CALL) if assigned is not None else None


def _is_bare(text: str) -> bool:
    """Whether a cell of one line is a magic without its `%`, as in `cd folder`."""
    bare = _BARE.match(text.strip())
    return bare is not None and bare[1] in _MAGICS and not _is_python(text.strip())


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
