"""Changes to programs that change what names mean: deleting, binding anew, shadowing, nesting."""

from __future__ import annotations

import ast
import random
from dataclasses import dataclass

from .mutations import parses

_INSERTED = """
del {name}
--
{name} = "phone"
--
for {name} in "ab":
    pass
--
if {name}:
    {name} = "phone"
--
def {name}(*arguments, **keywords):
    return "phone"
--
class {name}:
    pass
--
try:
    raise ValueError
except ValueError as {name}:
    pass
--
def _rename():
    global {name}
    {name} = "phone"
_rename()
--
def _rename():
    nonlocal {name}
    {name} = "phone"
_rename()
--
print([{name} for {name} in "ab"])
--
(lambda {name}: print({name}))("phone")
--
if ({name} := {name}) is None:
    pass
--
match "phone":
    case {name}:
        pass
--
next = 3
--
tuple = list = None
--
device = "phone"
--
del device
--
keywords = {{"device": "cpu"}}
--
if str("phone"):
    return
--
global {name}
""".strip("\n").split("\n--\n")


@dataclass(frozen=True, slots=True)
class _Place:
    """A line that a statement begins, and the names that the code around it uses."""

    line: int
    column: int
    names: tuple[str, ...]


def disturbed(text: str, chance: random.Random) -> str:
    """Return a program in which some names mean something else, as far as it is still Python."""
    for _ in range(chance.choice([1, 1, 2, 3])):
        changed = _with_statement(text, chance)
        text = changed if parses(changed) else text
    return text


def _with_statement(text: str, chance: random.Random) -> str:
    places = list(_places(ast.parse(text)))
    if not places:
        return text
    place = chance.choice(places)
    statement = chance.choice(_INSERTED).format(name=chance.choice(place.names))
    lines = text.split("\n")
    margin = " " * place.column
    added = [margin + line for line in statement.split("\n")]
    return "\n".join([*lines[: place.line - 1], *added, *lines[place.line - 1 :]])


def _places(tree: ast.Module) -> list[_Place]:
    found: list[_Place] = []
    for scope in ast.walk(tree):
        if not isinstance(scope, (ast.Module, ast.FunctionDef, ast.ClassDef)):
            continue
        names = tuple(sorted({n.id for n in ast.walk(scope) if isinstance(n, ast.Name)}))
        for node in ast.walk(scope):
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if isinstance(block, list) and names:
                    found += [_Place(s.lineno, s.col_offset, names) for s in block]
    return found
