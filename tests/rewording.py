"""The same program in other words: what is found doesn't depend on how things are put."""

from __future__ import annotations

import ast
from collections.abc import Callable

Rewording = Callable[[ast.Module], ast.Module]


def reworded(text: str, rewording: Rewording) -> str:
    """Return a program in other words.

    Args:
        text: the program.
        rewording: one of the functions below, which changes the tree.
    """
    return ast.unparse(ast.fix_missing_locations(rewording(ast.parse(text))))


def annotated(tree: ast.Module) -> ast.Module:
    """`x = f()` as `x: object = f()`, but in classes, whose fields that would declare."""
    declared = (ast.Global, ast.Nonlocal)
    kept = {name for n in ast.walk(tree) if isinstance(n, declared) for name in n.names}

    def put(statement: ast.stmt) -> list[ast.stmt]:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                if name not in kept:
                    return [ast.AnnAssign(target, ast.Name("object", ast.Load()), value, 1)]
        return [statement]

    return _each(tree, put)


def returned_by_name(tree: ast.Module) -> ast.Module:
    """`return f()` as `result = f()` and `return result`."""
    numbers = iter(range(1_000_000))

    def put(statement: ast.stmt) -> list[ast.stmt]:
        match statement:
            case ast.Return(value=ast.expr() as value):
                if not isinstance(value, (ast.Name, ast.Constant)):
                    name = f"result_{next(numbers)}_"
                    assigned = ast.Assign([ast.Name(name, ast.Store())], value)
                    return [assigned, ast.Return(ast.Name(name, ast.Load()))]
        return [statement]

    return _each(tree, put)


def inherited(tree: ast.Module) -> ast.Module:
    """`class C(B)` as `class Base(B)` and `class C(Base)`, unless the class mentions itself."""
    body: list[ast.stmt] = []
    for statement in tree.body:
        body.append(statement)
        if isinstance(statement, ast.ClassDef) and _may_be_base(statement):
            name, statement.name = statement.name, f"Base{statement.name}_"
            base: ast.expr = ast.Name(statement.name, ast.Load())
            heir = ast.parse(f"class {name}: pass").body[0]
            assert isinstance(heir, ast.ClassDef)
            heir.bases = [base]
            body.append(heir)
    tree.body = body
    return tree


def _may_be_base(node: ast.ClassDef) -> bool:
    if node.decorator_list or node.keywords:
        return False
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in {"__class__", node.name}:
            return False
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            if part.func.id == "super" and part.args:
                return False
    return True


def by_keyword(tree: ast.Module) -> ast.Module:
    """`x.to(device)` as `x.to(device=device)`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="to"), args=[ast.Name(id="device") as given], keywords=[]
            ):
                node.args, node.keywords = [], [ast.keyword("device", given)]
    return tree


def _each(tree: ast.Module, put: Callable[[ast.stmt], list[ast.stmt]]) -> ast.Module:
    """Put something in the place of each statement that is not one of a class itself."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and not isinstance(node, ast.ClassDef):
                setattr(node, field, [new for statement in block for new in put(statement)])
    return tree


REWORDINGS: tuple[Rewording, ...] = (annotated, returned_by_name, inherited, by_keyword)
"""What means the same in any program, or in those of which it leaves nothing out."""
