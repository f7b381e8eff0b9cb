"""Which expression names the device at some place of the program."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.placement.facts import Facts, View
from torchdev_lint.placement.names import path_of
from torchdev_lint.placement.syntax import root_name


def device_in_view(facts: Facts, node: ast.AST, partner: ast.AST) -> str | None:
    """Return the device of what a value meets, as it can be had at a place in `forward`.

    A variable that holds the device comes first, then the tensor it meets, another tensor in
    sight, the module's own state, and what the script calls its device.

    Args:
        facts: what is known of the file.
        node: the place: where the value is made, or where it fails.
        partner: what it meets.
    """
    view = facts.views.get(node)
    if view is None or facts.syntax.in_string(node):
        return None
    for text in _candidates(facts, node, partner, view):
        if facts.syntax.is_visible(text, node):
            return text
    return None


def _candidates(facts: Facts, node: ast.AST, partner: ast.AST, view: View) -> Iterator[str]:
    yield from view.devices
    met = tensors_in(facts, partner, node)
    for path in sorted(view.tensors, key=lambda path: path not in met):
        yield f"{path}.device"
    yield from (f"{path}.device" for path in met if _is_own_attribute(facts, path, node))
    yield from view.state
    yield from _named_by_script(facts, node)


def _is_own_attribute(facts: Facts, path: str, node: ast.AST) -> bool:
    """Whether a path is that of an attribute of the object whose method a node is in."""
    method = facts.syntax.method(node)
    if method is None or not method[0].args.args or facts.syntax.scope(node) is not method[0]:
        return False
    owner, _, attribute = path.partition(".")
    return owner == method[0].args.args[0].arg and attribute.isidentifier()


def tensors_in(facts: Facts, partner: ast.AST, node: ast.AST) -> list[str]:
    """Return the paths that an expression is made of, if it is in the same function as a node."""
    if facts.syntax.scope(partner) is not facts.syntax.scope(node):
        return []
    around = facts.syntax.parent(partner) or partner
    called = {part.func for part in ast.walk(around) if isinstance(part, ast.Call)}
    return [p for part in ast.walk(partner) if part not in called and (p := path_of(part))]


def _named_by_script(facts: Facts, node: ast.AST) -> Iterator[str]:
    """Settings that other code of the same class or file uses as its device."""
    method = facts.syntax.method(node)
    if method is not None and any(
        isinstance(part, ast.Attribute)
        and part.attr == "device"
        and isinstance(part.ctx, ast.Store)
        and root_name(part) == "self"
        for part in ast.walk(method[1])
    ):
        yield "self.device"
    for statement in facts.tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            name = path_of(statement.targets[0]) or ""
            if name in {"device", "DEVICE"} and facts.syntax.is_own(name, statement):
                yield name
