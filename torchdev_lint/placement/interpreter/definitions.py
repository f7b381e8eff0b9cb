"""What `def` and `class` bind."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.values import (
    ClassValue,
    Function,
    Library,
    alternatives,
)
from torchdev_lint.placement.interpreter.decorators import as_decorated
from torchdev_lint.placement.interpreter.expressions import closure_here
from torchdev_lint.placement.python.summaries import pass_on_reads
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import dotted


def define_function(run: Run, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Bind a function, as what its decorators make of it."""
    run.bind(node.name, as_decorated(run, node, Function(node, closure=closure_here(run))))


def define_class(run: Run, node: ast.ClassDef) -> None:
    """Bind a class, running its body for its namespace."""
    info = _with_bases(run, node)
    frame = _run_class_body(run, node)
    info.namespace = {
        name: replace(value, owner=info) if isinstance(value, Function) else value
        for name, value in frame.env.names.items()
    }
    run.bind(node.name, as_decorated(run, node, ClassValue(info)))


def _with_bases(run: Run, node: ast.ClassDef) -> ClassInfo:
    """What is known of a class before its body is run: what it inherits from."""
    bases, libraries = list[ClassInfo](), list[str]()
    opaque = any(word.arg == "metaclass" and _builds(run, word.value) for word in node.keywords)
    for base in node.bases:
        if isinstance(base, ast.Subscript):
            base = base.value
        for option in alternatives(run.evaluate(base)):
            if isinstance(option, ClassValue):
                bases.append(option.info)
            elif isinstance(option, Library):
                libraries.append(option.name)
            elif (name := dotted(base)) != "object":
                opaque = True
                if name is not None:
                    libraries.append(f"?.{name}")
    closure = closure_here(run)
    return ClassInfo(node.name, node, run.frame.file, closure, bases, libraries, opaque=opaque)


def _builds(run: Run, metaclass: ast.expr) -> bool:
    """Whether a metaclass has a way of its own to build objects, after which more may be done."""
    options = alternatives(run.evaluate(metaclass))
    return any(isinstance(o, ClassValue) and o.info.lookup("__call__") for o in options)


def _run_class_body(run: Run, node: ast.ClassDef) -> Frame:
    """Run a class's body in a frame of its own, which functions in it don't see."""
    outer = run.frame
    frame = Frame(
        node,
        outer.scope,
        outer.in_forward,
        Env({}, outer.env.heap, settings=outer.env.settings),
        outer.file,
        closure=closure_here(run),
        entry_heap=outer.env.heap,
    )
    run.frames.append(frame)
    try:
        run.execute(run, node.body)
    finally:
        run.frames.pop()
        pass_on_reads(outer, frame.reads)
    outer.env.heap, outer.env.settings = frame.env.heap, frame.env.settings
    return frame
