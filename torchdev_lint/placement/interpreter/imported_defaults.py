"""Default devices that other files set when they are imported."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.devices import SETS_DEFAULT
from torchdev_lint.catalog.generators import SPLITTING
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.origins import Site
from torchdev_lint.placement.domain.values import Place
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.neighbours import brings_together, reached_by, run_by
from torchdev_lint.placement.interpreter.import_branches import apart
from torchdev_lint.placement.interpreter.imports import frame_of
from torchdev_lint.placement.run import Run
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.users import files_that_name, is_test
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.top_level import is_script_test
from torchdev_lint.syntax.walking import walk

_DRAWS = ("shuffle", *(name.rpartition(".")[2] for name in SPLITTING))
"""What a file names that draws on the default device, whatever that is."""


def bring_default(run: Run, node: ast.Import | ast.ImportFrom) -> None:
    """Note that what is imported has made the accelerator the default device, if it certainly has.

    It is the last word: nothing else in what is run may say where factories put their tensors.
    Where the constants of other files are then depends on what was imported first, so that only
    what draws is told of it.
    """
    file = run.facts.file
    if run.is_elsewhere or run.file.default_changes or file is None or not run.supposing:
        return
    if not file.derived(_draws):
        return
    users = files_that_name(file.path, SETS_DEFAULT)
    setters = [path for path in users.files if not is_test(path)]
    if not setters or not users.complete:
        return
    run_here = run_by(file.path, node)
    told = {path: _set_in(run, path) for path in setters if path in run_here}
    sites = [site for site in told.values() if site is not None]
    if not sites or None in told.values():
        return
    reached = reached_by(file.path)
    others = (path for path in setters if path not in told)
    if any(_is_of_program(run, path, reached) for path in others):
        return
    run.env.settings = replace(run.env.settings, brought=sites[-1])


def _draws(file: ParsedFile) -> bool:
    return any(name in file.source.text for name in _DRAWS)


def _is_of_program(run: Run, setter: str, reached: frozenset[str]) -> bool:
    """Whether a file that may set another default is of a program that the one at hand is of."""
    path = context_of(run.main).path
    related = setter in reached or brings_together(setter, path)
    return related and _set_in(run, setter) is None


def _set_in(run: Run, path: str) -> Site | None:
    """Where a file makes the accelerator the default device when it is imported.

    None if it doesn't, or may set another one as well, perhaps when something in it is called.
    """
    parsed, frame = parsed_file(path), frame_of(run, path)
    if parsed is None or frame is None:
        return None
    found: Site | None = None
    for statement in parsed.tree.body:
        calls = [node for node in walk(statement) if _sets_default(node)]
        if not calls:
            continue
        if not isinstance(statement, (ast.Expr, ast.If)) or not _puts_there(run, path, statement):
            return None
        found = run.site(frame.file, calls[0])
    return found


def _sets_default(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_component(node.func) in SETS_DEFAULT


def _puts_there(run: Run, path: str, statement: ast.Expr | ast.If) -> bool:
    """Whether the accelerator is the default device behind a statement of another file."""
    frame = frame_of(run, path)
    branches = (node for node in walk(statement) if isinstance(node, ast.If))
    if frame is None or any(is_script_test(branch.test) for branch in branches):
        return False
    before = frame.env
    frame.env = Env(dict(before.names), {}, settings=before.settings)
    try:
        with apart(run, frame):
            run.execute(run, [statement])
        return frame.env.settings.default is Place.ACCELERATOR
    finally:
        frame.env = before
