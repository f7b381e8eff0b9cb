"""Whether time grows no faster than a file in which what a fixture shows stands many times.

    python -m tests.benchmark.multiplied [--every N] [--from N] [--size KB] [WAY...]

Of each fixture larger files are made: the first flagged statement is repeated where it stands
(`statement`), or all statements of its function (`body`), that also with all variables and
attributes that are assigned there under other names (`numbered`), all functions and classes under
other names (`definitions`), the first flagged method under other names (`methods`), or what a
script does besides (`script`). Each is linted with all
rules, once as small and once four times as large, in this process; what counts is CPU time.
Printed are those that take more than six times as long for the larger one, or two seconds: what is
quadratic takes sixteen times as long. Some of it shows only in larger files: `--size` makes those.
"""

from __future__ import annotations

import argparse
import ast
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.benchmark.cost import load_what_loads_late
from tests.command import FIXTURES
from tests.fixtures import expected_lines
from torchdev_lint.checking import check_file
from torchdev_lint.report import FileReport, Task
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.discovery import Target
from torchdev_lint.stack import on_new_stack

_LARGE = 24
"""How many thousand characters the larger file has, if nothing else is said."""
_TIMES = 4
"""How many times as large as the other one that is."""
_MOST = 6.0
"""How many times as long the larger one may take."""
_LEAST, _LONG = 0.3, 2.0
"""Seconds of CPU time that are worth to be told of, and that are in any case."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_Stretch = tuple[int, int]
"""The first and the last of some lines, counted from 1."""


def main() -> None:
    """Make the files, lint them, and print which take too long."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("ways", nargs="*", metavar="WAY", help=", ".join(WAYS))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each how many fixtures")
    parser.add_argument("--from", type=int, default=0, metavar="N", dest="first")
    parser.add_argument("--size", type=int, default=_LARGE, metavar="KB", help="of the larger file")
    options = parser.parse_args()
    load_what_loads_late()
    fixtures, slow = sorted(FIXTURES.glob("*/*.py"))[options.first :: options.every], 0
    with tempfile.TemporaryDirectory() as folder:
        for fixture in fixtures:
            for way in options.ways or WAYS:
                for line in _compared(fixture, way, options.size * 1000, Path(folder)):
                    slow += 1
                    print(line, flush=True)
    print(f"{slow} of {len(fixtures)} fixtures take too long when they are multiplied")


def _compared(fixture: Path, way: str, size: int, folder: Path) -> Iterator[str]:
    """Yield a line if a fixture takes too long in a file of a size."""
    text = fixture.read_text(encoding="utf-8")
    small, large = (WAYS[way](text, size) for size in (size // _TIMES, size))
    if not small or not large or not _is_python(large):
        return
    (before, _), (after, report) = _linted(small, folder), _linted(large, folder)
    if _is_slow(before, after):  # once more: what was linted before may be swept up meanwhile
        after = min(after, _linted(large, folder)[0])
    if report.problem is not None:
        yield f"{way} {fixture.relative_to(FIXTURES)}: {report.problem}"
    elif _is_slow(before, after):
        times = after / max(before, 0.001)
        yield f"{way} {fixture.relative_to(FIXTURES)}: {before:.2f} s, {after:.2f} s, x{times:.1f}"


def _is_slow(before: float, after: float) -> bool:
    return after > min(max(_LEAST, _MOST * before), _LONG)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _linted(text: str, folder: Path) -> tuple[float, FileReport]:
    """Lint a file that was never seen, alone in its project."""
    alone = Path(tempfile.mkdtemp(dir=folder))
    (alone / "pyproject.toml").touch()
    file = alone / "multiplied.py"
    file.write_text(text, encoding="utf-8")
    task = Task(Target(str(file), named=True), EVERY_RULE)
    began = time.process_time()
    report = on_new_stack(lambda: check_file(task))
    return time.process_time() - began, report


def repeated_statement(text: str, size: int) -> str:
    """Repeat the first statement that is flagged and may stand twice; empty if there is none."""
    statements = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
    for line in expected_lines(text):
        inside = [node for node in statements if node.lineno <= line <= (node.end_lineno or 0)]
        innermost = max(inside, key=lambda node: node.lineno, default=None)
        if innermost is not None and not isinstance(innermost, (*_DEFINITIONS, ast.Return)):
            lines = innermost.lineno, innermost.end_lineno or innermost.lineno
            return _with_copies(text, lines, size, lambda block, number: block)
    return ""


def repeated_body(text: str, size: int) -> str:
    """Repeat what the function does in which something is flagged; empty if that is nothing."""
    return _repeated_body(text, size, lambda block, number: block)


def numbered_body(text: str, size: int) -> str:
    """Repeat it with what it assigns under other names."""
    tree, stretch = ast.parse(text), _body_of(text)
    if stretch is None:
        return ""
    assigned = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(tree)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store)
        if stretch[0] <= node.lineno <= stretch[1]
    }
    return _repeated_body(text, size, lambda block, n: _renamed(block, sorted(assigned), n))


def _repeated_body(text: str, size: int, changed: Callable[[str, int], str]) -> str:
    stretch = _body_of(text)
    return "" if stretch is None else _with_copies(text, stretch, size, changed)


def _body_of(text: str) -> _Stretch | None:
    """The statements of the innermost function with a flagged line, without the last `return`."""
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, _FUNCTIONS)]
    for line in expected_lines(text):
        around = [node for node in functions if node.lineno <= line <= (node.end_lineno or 0)]
        function = max(around, key=lambda node: node.lineno, default=None)
        if function is not None:
            body = [node for node in function.body if not isinstance(node, ast.Return)]
            if body:
                return body[0].lineno, body[-1].end_lineno or body[-1].lineno
    return None


def repeated_definitions(text: str, size: int) -> str:
    """Repeat all functions and classes of the module, under other names each time."""
    defined = [node for node in ast.parse(text).body if isinstance(node, _DEFINITIONS)]
    if not defined:
        return ""
    lines = text.split("\n")
    stretches = [_lines_of(node) for node in defined]
    block = "\n\n".join("\n".join(lines[first - 1 : last]) for first, last in stretches)
    names = [node.name for node in defined]
    copies = (_renamed(block, names, number) for number in range(1, _count(block, size)))
    return "\n".join([*lines[: stretches[-1][1]], *copies, *lines[stretches[-1][1] :]])


def repeated_method(text: str, size: int) -> str:
    """Repeat the first method that is flagged, under other names; empty if there is none."""
    flagged = expected_lines(text).keys()
    for owner in ast.parse(text).body:
        for method in owner.body if isinstance(owner, ast.ClassDef) else ():
            if isinstance(method, ast.FunctionDef) and method.name != "__init__":
                first, last = _lines_of(method)
                if any(first <= line <= last for line in flagged):
                    return _with_copies(text, (first, last), size, partial(_called, method.name))
    return ""


def _called(name: str, block: str, number: int) -> str:
    """Return a method under another name."""
    return block.replace(f"def {name}(", f"def {name}_{number}(", 1)


def repeated_script(text: str, size: int) -> str:
    """Repeat what a module does behind its last definition; empty if that is nothing."""
    body = ast.parse(text).body
    last = max((n for n, node in enumerate(body) if isinstance(node, _DEFINITIONS)), default=-1)
    behind = [node for node in body[last + 1 :] if not isinstance(node, (ast.Import, ast.Expr))]
    if not behind:
        return ""
    lines = behind[0].lineno, body[-1].end_lineno or body[-1].lineno
    return _with_copies(text, lines, size, lambda block, number: block)


WAYS: dict[str, Callable[[str, int], str]] = {
    "statement": repeated_statement,
    "body": repeated_body,
    "numbered": numbered_body,
    "definitions": repeated_definitions,
    "methods": repeated_method,
    "script": repeated_script,
}


def _with_copies(
    text: str, stretch: _Stretch, size: int, changed: Callable[[str, int], str]
) -> str:
    """Put so many copies of some lines behind them that a file is as large as asked."""
    lines, (first, last) = text.split("\n"), stretch
    block = "\n".join(lines[first - 1 : last])
    copies = [changed(block, number) for number in range(1, _count(block, size))]
    return "\n".join([*lines[:last], *copies, *lines[last:]])


def _count(block: str, size: int) -> int:
    return max(size // (len(block) + 1), 1)


def _renamed(block: str, names: list[str], number: int) -> str:
    for name in names:
        block = re.sub(rf"\b{name}\b", f"{name}_{number}", block)
    return block


def _lines_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> _Stretch:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return first, node.end_lineno or node.lineno


if __name__ == "__main__":
    main()
