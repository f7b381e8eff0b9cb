"""The analysis of one file: its entry points, run one after the other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Set

from torchdev_lint.placement.domain.budget import Budget
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.heap import CELL, Obj
from torchdev_lint.placement.domain.imported import ProjectMember, ProjectModule
from torchdev_lint.placement.domain.settings import Settings
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    WIDENED,
    ClassValue,
    Const,
    DeviceValue,
    DtypeValue,
    Function,
    Library,
    Place,
    Scalar,
    Value,
)
from torchdev_lint.placement.entries import guarded, of_the_file, run_entry
from torchdev_lint.placement.entry_classes import run_class
from torchdev_lint.placement.evidence.failures import is_put_aside
from torchdev_lint.placement.evidence.host_code import serves_host
from torchdev_lint.placement.evidence.host_settings import put_on_host
from torchdev_lint.placement.evidence.surveying import survey
from torchdev_lint.placement.facts.events import Extent, Skipped
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.interpreter import calls, expressions, imports, statements
from torchdev_lint.placement.interpreter.watching import Watcher, watched
from torchdev_lint.placement.objects import Built
from torchdev_lint.placement.python.functions import call_unwritten
from torchdev_lint.placement.python.left_behind import forget_moved
from torchdev_lint.placement.run import Run
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.records import dataclass
from torchdev_lint.source.source import Source, is_notebook
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.top_level import bound_names
from torchdev_lint.syntax.walking import walk

_DEFINED = (Library, Function, ClassValue, ProjectModule, ProjectMember)
"""What definitions and imports bind, and hardly anything else."""
_CONSTANT = (Const, Scalar, DeviceValue, DtypeValue)
"""What no code changes but by setting the variable anew."""


@dataclass(frozen=True, slots=True)
class Project:
    """Where a file stands whose imports may lead to others.

    Args:
        file: the file itself, with its syntax tree; None if it is of no project.
        leads: whether a definition in the file at a path can lead to a finding.
        placed: the classes of the file that are built under a device as context.
        beside: another file of the project, whose tree is the one that is asked about.
    """

    file: ParsedFile | None = None
    leads: Callable[[str, ast.AST], bool] = lambda path, node: True
    placed: Set[str] = frozenset()
    beside: ParsedFile | None = None


_OF_ITS_OWN = Project()


def analyse(
    tree: ast.Module,
    source: Source,
    wanted: Callable[[ast.AST], bool],
    project: Project = _OF_ITS_OWN,
    default_changes: bool = False,
    fixable: bool = True,
    watcher: Watcher | None = None,
    supposing: bool = True,
) -> Facts:
    """Run the analysis on one file.

    Args:
        tree: the file's syntax tree.
        source: its text.
        wanted: whether an entry point (a function, class or the module) can lead to a finding.
        project: where the file stands among others.
        default_changes: whether another file may have set another default device.
        fixable: whether rules are to look for fixes. They never do where the budget of the file is
            spent.
        watcher: is told what each expression gives, if anybody asks.
        supposing: whether an accelerator is supposed to be there, and models to be on it.

    Returns:
        What was found out; an entry point too deep for the interpreter contributes nothing.
    """
    itself = project.file if project.file is not None and project.file.path else None
    facts = Facts(source.span, tree, source.segment, source.line_of, fixable, file=itself)
    file = survey(tree, itself.path if itself else "", source.span)
    default = Place.UNKNOWN if default_changes or file.default_changes else Place.HOST
    env = Env({}, {}, settings=Settings(default))
    module = Frame(tree, "", False, env, file)
    run = Run(
        [module],
        Budget.for_file(file.nodes),
        Built(),
        facts,
        watched(expressions.HANDLERS, watcher) if watcher else expressions.HANDLERS,
        statements.execute,
        calls.call_value,
        call_unwritten,
        imports.member_of,
        imports.bind_late,
        project.leads,
        supposing=supposing,
        placed=project.placed,
    )
    if project.beside is not None:
        run.modules[project.beside.path] = imports.late_frame(project.beside)
    is_there = _run_top_level(run, tree.body) or is_notebook(source.path)
    _forget_shared_variables(run)
    forget_moved(run)
    if is_there:  # cells are run one by one
        _run_definitions(run, tree.body, wanted)
    if any(skipped.extent is Extent.FILE for skipped in facts.of(Skipped)):
        facts.fixable = False
    facts.work = run.budget.expressions
    return facts


def _run_top_level(run: Run, body: list[ast.stmt]) -> bool:
    """Run the module's own statements, each an entry point, up to one that does not return.

    Functions were written for what the statements behind that one make, as long as they were run.

    Returns:
        Whether anybody can import the module: none of its statements raises on every machine.
    """
    going_on, settings = True, run.env.settings
    for statement in body:
        if not going_on:
            _forget_variables(run, settings)
            return True
        if run.budget.is_spent_for_good:
            run.note(Skipped(statement, "", of_the_file(run), Extent.FILE))
            return True

        def execute(statement: ast.stmt = statement) -> None:
            nonlocal going_on
            run.module.failed = False
            going_on = statements.execute(run, [statement])

        if not guarded(run, statement, "", execute):
            bound = {*bound_names(statement), *run.file.global_names}
            _forget_variables(run, settings, kept=run.env.names.keys() - bound)
        if not going_on and run.module.failed and not isinstance(statement, (ast.If, ast.Try)):
            return False
        for name in put_on_host(statement):
            if _is_accelerator(run.env.names.get(name)):
                run.env.names[name] = DeviceValue(Place.UNKNOWN)
    return True


def _is_accelerator(value: Value | None) -> bool:
    return isinstance(value, DeviceValue) and value.place is Place.ACCELERATOR


def _forget_variables(run: Run, settings: Settings, kept: Set[str] = frozenset()) -> None:
    """Forget what globals hold and all objects: code was left out that may have changed them.

    Args:
        settings: what holds for the file whatever is run: what code may set is unknown there.
        kept: the variables that it doesn't set: what can't be changed in place is still there.
    """
    names: dict[str, Value] = {
        name: value
        if isinstance(value, _DEFINED) or (name in kept and isinstance(value, _CONSTANT))
        else WIDENED
        for name, value in run.env.names.items()
    }
    run.env = Env(names, {}, settings=settings)


def _forget_shared_variables(run: Run) -> None:
    """Forget the globals that functions assign: nobody knows which of them was called last."""
    module = run.module
    unknown = Obj(Place.UNKNOWN, attrs={CELL: UNKNOWN})
    module.env.heap = {**module.env.heap, **dict.fromkeys(module.cells.values(), unknown)}


def _run_definitions(run: Run, body: list[ast.stmt], wanted: Callable[[ast.AST], bool]) -> None:
    """Run what the module did not run itself: methods of modules first, then the rest.

    What is defined again is what counts: nobody calls what was there before.
    """
    replaced = _replaced(body)
    for statement in body:
        if isinstance(statement, (ast.ClassDef, *FUNCTIONS)):
            if statement in replaced or not wanted(statement) or is_put_aside(statement):
                continue
            if run.budget.is_spent_for_good:
                run.note(Skipped(statement, statement.name, of_the_file(run), Extent.FILE))
            elif isinstance(statement, ast.ClassDef):
                run_class(run, statement, wanted)
            else:
                _run_function(run, statement)
        elif isinstance(statement, (ast.If, ast.Try, ast.With)):
            for field in ("body", "orelse", "finalbody"):
                _run_definitions(run, getattr(statement, field, []), wanted)


def _replaced(body: list[ast.stmt]) -> set[ast.stmt]:
    """The functions of a block that are defined again, and that nothing has kept before that.

    What only calls one of them before is run itself, with what it gives.
    """
    functions = [statement for statement in body if isinstance(statement, FUNCTIONS)]
    if len({function.name for function in functions}) == len(functions):
        return set()
    replaced: set[ast.stmt] = set()
    last: dict[str, ast.stmt] = {}
    for statement in reversed(body):
        if isinstance(statement, FUNCTIONS):
            if statement.name in last and not statement.decorator_list:
                replaced.add(statement)
            last[statement.name] = statement
        else:
            nodes = list(walk(statement))
            called = {node.func for node in nodes if isinstance(node, ast.Call)}
            for node in nodes:
                if isinstance(node, ast.Name) and node not in called:
                    last.pop(node.id, None)
    return replaced


def _run_function(run: Run, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    known = run.module.env.names.get(node.name)
    is_current = isinstance(known, Function) and known.node is node
    function = known if is_current else Function(node, closure=(run.module,))
    assert isinstance(function, Function)
    run.serves_host = serves_host(node, run.file.data_hooks, run.file.path)
    place = Place.UNKNOWN if run.serves_host else Place.GIVEN
    run_entry(run, function, place, in_forward=False)
