"""Running `try`: what its body has done when a handler takes over, and which handlers count."""

from __future__ import annotations

import ast
from functools import partial

from torchdev_lint.catalog.factories import ACCELERATOR_LEGACY
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import UNKNOWN, Function, Library, alternatives
from torchdev_lint.placement.evidence import failures
from torchdev_lint.placement.interpreter.loops import continue_from
from torchdev_lint.placement.run import Run


def execute_try(run: Run, node: ast.Try) -> bool:
    """Run a `try`; see `execute` for what it returns."""
    before = run.fork()
    with run.moods.within(Mood.CAUGHT, run.file.survives(node)):
        falls = run.execute(run, node.body)
    after_body = run.env
    if falls:
        falls = run.execute(run, node.orelse)
    ends = [run.env] if falls else []
    only_imports = all(map(_imports, node.body))
    tries_to_move = failures.tries_to_move(node, partial(_gives_what_it_moves, run))
    for handler in node.handlers:
        if only_imports or _is_for_imports(run, handler):
            continue
        run.env = run.join_states(before, after_body)
        if handler.name:
            run.bind(handler.name, UNKNOWN)
        with run.moods.within(Mood.DOUBT, tries_to_move):
            if run.execute(run, handler.body):
                ends.append(run.env)
    reached = continue_from(run, ends, after_body)
    return run.execute(run, node.finalbody) and reached


def _imports(statement: ast.stmt) -> bool:
    """Whether a statement imports, or notes that what stands before it could be imported."""
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass))


def _is_for_imports(run: Run, handler: ast.ExceptHandler) -> bool:
    text = run.file.text_of(handler.type) if handler.type is not None else ""
    return "ImportError" in text or "ModuleNotFoundError" in text


def _gives_what_it_moves(run: Run, name: ast.Name) -> bool:
    """Whether a function is one that gives back what it moves, `cuda(x)`, or a type on CUDA."""
    function = run.look_up(name.id)
    if any(isinstance(o, Library) and o.name in ACCELERATOR_LEGACY for o in alternatives(function)):
        return True
    return isinstance(function, Function) and failures.gives_what_it_moves(
        run.file.nodes_in(function.node)
    )
