"""What a program downloads, as the names of the functions that it calls say it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.reaching import reached_from
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk

_DOWNLOAD = re.compile("download|(?<![a-z])url", re.I)
"""Words in the names of functions that fetch a file."""
_RUNNERS = frozenset({"system", "run", "call", "check_call", "check_output", "Popen"})
"""Functions of `os` and `subprocess` that run a program."""
_PROGRAM = re.compile(r"\s*(wget|curl|gdown)\b")
"""How a command begins that fetches a file."""
EXISTENCE = frozenset({"exists", "isfile", "is_file"})
"""Functions that tell whether there is a file."""


def _names_program(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return False
    return _PROGRAM.match(node.value) is not None


class Downloads:
    """What the calls of one file fetch.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax

    def fetches(self, call: ast.Call) -> bool:
        """Whether a call fetches a file, by the words of a library's name: `load_from_url`.

        What a function of the file does is told by the calls in it, and not by its name. Or it runs
        a program that does so: `os.system("wget ...")`.
        """
        name = last_component(call.func)
        if name in _RUNNERS:
            return any(map(_names_program, walk(call)))
        return self._own_fetchers.get(name, _DOWNLOAD.search(name) is not None)

    @cached_property
    def _own_fetchers(self) -> dict[str, bool]:
        return _fetchers(self._syntax.tree)

    @cached_property
    def files(self) -> list[ast.expr]:
        """What calls download to, or are there for if it doesn't exist."""
        found: list[ast.expr] = []
        for node in walk(self._syntax.tree):
            if isinstance(node, ast.Call) and self.fetches(node):
                found += _operands(node)
                for part in self._syntax.around(node):
                    if isinstance(part, ast.If):
                        found += _asked_for(part.test)
        return found


def _fetchers(tree: ast.Module) -> dict[str, bool]:
    """Which functions of a file fetch one, by themselves or by others that they call."""
    calls: dict[str, set[str]] = {}
    for function in walk(tree):
        if isinstance(function, FUNCTIONS):
            called = (n.func for n in walk(function) if isinstance(n, ast.Call))
            calls.setdefault(function.name, set()).update(map(last_component, called))
    found = {
        own for own, names in calls.items() if any(map(_DOWNLOAD.search, names - calls.keys()))
    }
    callers: dict[str, set[str]] = {}
    for own, names in calls.items():
        for name in names & calls.keys():
            callers.setdefault(name, set()).add(own)
    reached = reached_from(found, callers)
    return {name: name in reached for name in calls}


def _asked_for(test: ast.expr) -> Iterator[ast.expr]:
    """Yield the paths that a condition asks about, whether they exist."""
    for part in walk(test):
        if isinstance(part, ast.Call) and last_component(part.func) in EXISTENCE:
            yield from _operands(part)


def _operands(call: ast.Call) -> Iterator[ast.expr]:
    """Yield what a call is given, and what its method is called on."""
    if isinstance(call.func, ast.Attribute):
        yield call.func.value
    yield from call.args
    yield from (keyword.value for keyword in call.keywords)
