"""Classes that a call makes: `Point = namedtuple("Point", "x y")`."""

from __future__ import annotations

import ast


def class_of_fields(call: ast.Call) -> ast.ClassDef | None:
    """Return the class that a call of `namedtuple` makes, as if it was written out.

    That is one with an annotation for each field; None where these are not written in the call.
    """
    if len(call.args) != 2 or not isinstance(call.args[0], ast.Constant):
        return None
    name, fields = call.args[0].value, _names(call.args[1])
    if not isinstance(name, str) or not fields or not all(map(str.isidentifier, fields)):
        return None
    body: list[ast.stmt] = [
        ast.AnnAssign(ast.Name(field, ast.Store()), ast.Constant(...), None, 1) for field in fields
    ]
    made = ast.ClassDef(name, bases=[], keywords=[], body=body, decorator_list=[])
    return ast.fix_missing_locations(ast.copy_location(made, call))


def _names(fields: ast.expr) -> list[str]:
    """The names of fields: each a text, or all in one, apart by commas or spaces.

    `typing.NamedTuple` has pairs of a name and a type.
    """
    if isinstance(fields, ast.Constant) and isinstance(fields.value, str):
        return fields.value.replace(",", " ").split()
    if not isinstance(fields, (ast.List, ast.Tuple)):
        return []
    first = [
        part.elts[0] if isinstance(part, ast.Tuple) and part.elts else part for part in fields.elts
    ]
    named = [part.value for part in first if isinstance(part, ast.Constant)]
    texts = [name for name in named if isinstance(name, str)]
    return texts if len(texts) == len(fields.elts) else []
