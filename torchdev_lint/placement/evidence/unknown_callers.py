"""Whether those who call a function may do so with what they have brought to the CPU.

What the analysis knows of a caller's values it goes by. Where it knows nothing of them, scripts and
classes that bring results to the CPU have most likely handed over these: of 24 such findings that
had been read, 20 were wrong. Calls with what is on the CPU for certain tell nothing of the others.
A `forward` hands on what it is given, wherever that is; what asks for a device may be given
anything; what nobody calls is for users, who may have it anywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.placement.evidence.feeding import brings_back, is_move
from torchdev_lint.placement.evidence.host_callers import is_given_host_values
from torchdev_lint.placement.evidence.made_of import Placed, made_of
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition, defined_in
from torchdev_lint.project.uses import uses_of, uses_of_method
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk

_MAX_NAMES = 12
"""How many functions are asked about, each called by the one before."""
_MAX_STEPS = 3
"""Over how many variables it is looked for a move."""


def may_be_called_on_host(file: ParsedFile, scope: str) -> bool:
    """Return whether those of the project who call something may call it with what is on the CPU.

    Args:
        file: the file that defines it.
        scope: the function at its top, or a method of a class there: `Replay.sample`.
    """
    owner, _, rest = scope.partition(".")
    method = rest.partition(".")[0]
    own = defined_in(file, owner)
    if own is None or _knows_devices(own):
        return False
    if method:
        places = uses_of_method(file, owner, method).places
    elif isinstance(own, ast.ClassDef):
        return False  # its methods are called
    else:
        places = list(_callers(file, owner))
    files = [file, *(user for user, _ in places)]
    places = [place for place in places if not is_given_host_values(*place)]
    around = [user.syntax.outermost(node) for user, node in places]
    last = around if method else [outer for outer in around if not isinstance(outer, FUNCTIONS)]
    if not last or any(map(_is_module, last)) or any(_is_told_device(*p) for p in places):
        return False
    by_classes = all(isinstance(outer, ast.ClassDef) for outer in last)
    return by_classes or any(user.derived(_brings_some_back) for user in files)


def _knows_devices(own: ast.AST) -> bool:
    """Whether a function or class asks something for its device: what it is given may be on any."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "device"
        and not (isinstance(node.value, ast.Name) and node.value.id == "torch")
        for node in walk(own)
    )


def _callers(file: ParsedFile, name: str) -> Iterator[tuple[ParsedFile, ast.expr]]:
    """Yield where a function is called, and those that call it: in functions, classes or files.

    A function that nobody calls is for users. Who calls one that brings it to the CPU is not asked.
    """
    pending, asked = [Definition(file.path, name)], set[Definition]()
    while pending and len(asked) < _MAX_NAMES:
        definition = pending.pop()
        if definition in asked:
            continue
        asked.add(definition)
        for user, node in uses_of(file, definition).places:
            outer = user.syntax.outermost(node)
            yield user, node
            if isinstance(outer, FUNCTIONS) and not is_given_host_values(user, node):
                pending.append(Definition(user.path, outer.name))


def _is_told_device(file: ParsedFile, node: ast.expr) -> bool:
    """Whether something that is called there is given what code certainly moves to a device."""
    call = file.syntax.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return False
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    return any(_is_moved(Placed(file, value), _MAX_STEPS) for value in given)


def _is_moved(of: Placed, steps: int) -> bool:
    """Whether an expression holds a move to a device, or is a variable that some path moves there.

    Args:
        steps: over how many variables to look.
    """
    if isinstance(of.node, ast.Name):
        return steps > 0 and any(_is_moved(each, steps - 1) for each in made_of(of))
    calls = [part for part in walk(of.node) if isinstance(part, ast.Call)]
    return any(map(is_move, calls)) and not any(map(brings_back, calls))


def _is_module(around: ast.AST | None) -> bool:
    """Whether something is a class whose objects are called: what they are given they hand on."""
    parts = around.body if isinstance(around, ast.ClassDef) else []
    return any(isinstance(part, FUNCTIONS) and part.name == "forward" for part in parts)


def _brings_some_back(file: ParsedFile) -> bool:
    """Whether a file moves something to the CPU, or reads it there."""
    return any(
        isinstance(node, ast.Call) and (brings_back(node) or _reads_to_host(node))
        for node in walk(file.tree)
    )


def _reads_to_host(call: ast.Call) -> bool:
    told = by_keyword(call, "map_location")
    return any(isinstance(node, ast.Constant) and node.value == "cpu" for node in told)
