"""What `def`, `class` and `import` bind."""

from __future__ import annotations

import ast
from dataclasses import replace

from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.run import Env, Run
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    ClassValue,
    Function,
    Library,
    Value,
    alternatives,
)
from torchdev_lint.placement.interpreter.expressions import closure_here
from torchdev_lint.placement.python.attributes import library_member
from torchdev_lint.syntax.names import canonical, dotted


def define_function(run: Run, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Bind a function; one whose decorator is a function of this file is unknown."""
    value: Value = Function(node, closure=closure_here(run))
    for decorator in node.decorator_list:
        name = decorator.func if isinstance(decorator, ast.Call) else decorator
        if dotted(name) is None or isinstance(run.evaluate(name), (Function, ClassValue)):
            value = UNKNOWN
    run.env.assign(node.name, value)


def define_class(run: Run, node: ast.ClassDef) -> None:
    """Bind a class, running its body for its namespace."""
    info = ClassInfo(node.name, node)
    for base in node.bases:
        if isinstance(base, ast.Subscript):
            base = base.value
        for option in alternatives(run.evaluate(base)):
            if isinstance(option, ClassValue):
                info.bases.append(option.info)
            elif isinstance(option, Library):
                info.libraries.append(option.name)
            elif (name := dotted(base)) is not None:
                info.libraries.append(f"?.{name}")
                info.opaque = True
            else:
                info.opaque = True
    outer = run.env
    run.env = Env({}, outer.heap, default=outer.default)
    run.execute(run, node.body)
    info.namespace = {
        name: replace(value, owner=info, closure=_closure_around(outer, run))
        if isinstance(value, Function)
        else value
        for name, value in run.env.names.items()
    }
    heap = run.env.heap
    run.env = outer
    run.env.heap = heap
    run.env.assign(node.name, ClassValue(info))


def _closure_around(outer: Env, run: Run) -> tuple[dict[str, Value], ...]:
    """What a method of a class defined here can see besides the globals."""
    if len(run.frames) == 1:
        return ()
    return (outer.names, *run.frame.closure)


def import_names(run: Run, node: ast.Import | ast.ImportFrom) -> None:
    """Bind what an import brings."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                run.env.assign(alias.asname, Library(canonical(alias.name)))
            else:
                root = alias.name.partition(".")[0]
                run.env.assign(root, Library(root))
        return
    module = "." * node.level + (node.module or "")
    for alias in node.names:
        if alias.name == "*":
            run.star_imports.append(module)
        else:
            name = (
                canonical(f"{module}.{alias.name}")
                if module.strip(".")
                else f"{module}{alias.name}"
            )
            run.env.assign(alias.asname or alias.name, _member(module, alias.name, name))


def _member(module: str, name: str, full: str) -> Value:
    return library_member(module, name) if module == "torch" else Library(full)
