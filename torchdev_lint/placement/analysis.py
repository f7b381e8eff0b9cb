"""The analysis of one file: its entry points, run one after the other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Set
from contextlib import nullcontext
from dataclasses import dataclass, replace

from torchdev_lint.catalog import modules as catalog
from torchdev_lint.placement.defects.callers import note_returned
from torchdev_lint.placement.defects.rebuilt import excuse
from torchdev_lint.placement.domain.budget import EXPRESSION, Budget
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.heap import CELL, Obj
from torchdev_lint.placement.domain.imported import ProjectMember, ProjectModule
from torchdev_lint.placement.domain.settings import Settings
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    WIDENED,
    ClassValue,
    Function,
    Instance,
    Library,
    Place,
    Value,
    alternatives,
)
from torchdev_lint.placement.entry_arguments import entry_arguments
from torchdev_lint.placement.evidence.classes import (
    is_autograd_function,
    is_metric,
    is_module,
)
from torchdev_lint.placement.evidence.failures import is_put_aside
from torchdev_lint.placement.evidence.file_context import context_of, survey
from torchdev_lint.placement.evidence.holding import assigned_elsewhere
from torchdev_lint.placement.evidence.host_code import serves_host
from torchdev_lint.placement.evidence.preparation import prepares
from torchdev_lint.placement.facts.events import Skipped
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.interpreter import calls, expressions, imports, statements
from torchdev_lint.placement.interpreter.unregistered import note_unregistered
from torchdev_lint.placement.interpreter.watching import Watcher, watched
from torchdev_lint.placement.python import functions
from torchdev_lint.placement.python.frames import frame_for
from torchdev_lint.placement.python.left_behind import forget_moved
from torchdev_lint.placement.python.moving import move_object
from torchdev_lint.placement.run import Run
from torchdev_lint.source.source import Source
from torchdev_lint.syntax.own_attributes import handed_on
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk


@dataclass(frozen=True, slots=True)
class Project:
    """Where a file stands whose imports may lead to others.

    Args:
        path: where it lies, absolute; empty if it is of no project.
        leads: whether a definition in the file at a path can lead to a finding.
    """

    path: str = ""
    leads: Callable[[str, ast.AST], bool] = lambda path, node: True


def analyse(
    tree: ast.Module,
    source: Source,
    wanted: Callable[[ast.AST], bool],
    project: Project = Project(),  # it can't change
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
        fixable: whether rules are to look for fixes.
        watcher: is told what each expression gives, if anybody asks.
        supposing: whether an accelerator is supposed to be there, and models to be on it.

    Returns:
        What was found out; an entry point too deep for the interpreter contributes nothing.
    """
    facts = Facts(source.span, tree, source.segment, source.line_of, fixable)
    file = survey(tree, project.path, source.span)
    default = Place.UNKNOWN if default_changes or file.default_changes else Place.HOST
    env = Env({}, {}, settings=Settings(default))
    module = Frame(tree, "", False, env, file)
    run = Run(
        facts,
        watched(expressions.HANDLERS, watcher) if watcher else expressions.HANDLERS,
        statements.execute,
        calls.call_value,
        imports.member_of,
        imports.bind_late,
        project.leads,
        [module],
        supposing=supposing,
    )
    run.budget = Budget.for_file(file.nodes)
    _run_top_level(run, tree.body)
    _forget_shared_variables(run)
    forget_moved(run)
    _run_definitions(run, tree.body, wanted)
    return facts


def _run_top_level(run: Run, body: list[ast.stmt]) -> None:
    """Run the module's own statements, each an entry point, up to one that does not return."""
    going_on = True
    for statement in body:
        if not going_on:
            return
        if run.budget.is_spent_for_good:
            run.note(Skipped(statement, "", _of_the_file(run)))
            return

        def execute(statement: ast.stmt = statement) -> None:
            nonlocal going_on
            going_on = statements.execute(run, [statement])

        if not _guarded(run, statement, "", execute):
            _forget_variables(run)


def _guarded(run: Run, node: ast.AST, scope: str, body: Callable[[], object]) -> bool:
    """Run one entry point with a budget of its own; too deep code is left out.

    Args:
        node: the entry point.
        scope: its dotted name, empty for the module's own statements.
        body: runs it.

    Returns:
        Whether it was run to its end; where it was not, that is noted.
    """
    budget = run.budget
    around = budget.begin_entry()
    share = budget.limit - budget.used
    depth, nesting = len(run.frames), run.nesting
    reason = ""
    try:
        body()
    except RecursionError:
        del run.frames[depth:]
        run.nesting = nesting
        reason = "it is nested too deeply"
    else:
        if budget.is_spent:
            own = f"its budget of {share // EXPRESSION:,} expressions is spent"
            reason = own if share > 0 else _of_the_file(run)
    finally:
        budget.end_entry(around)
    if reason:
        run.note(Skipped(node, scope, reason))
    return not reason


def _of_the_file(run: Run) -> str:
    return f"the file's budget of {run.budget.total // EXPRESSION:,} expressions is spent"


def _forget_variables(run: Run) -> None:
    """Forget what globals hold and all objects: code was left out that may have changed them."""
    env = run.env
    lasting = (Library, Function, ClassValue, ProjectModule, ProjectMember)
    names: dict[str, Value] = {
        n: v if isinstance(v, lasting) else WIDENED for n, v in env.names.items()
    }
    run.env = Env(names, {}, settings=Settings(Place.UNKNOWN))


def _forget_shared_variables(run: Run) -> None:
    """Forget the globals that functions assign: nobody knows which of them was called last."""
    module = run.module
    unknown = Obj(Place.UNKNOWN, attrs={CELL: UNKNOWN})
    module.env.heap = {**module.env.heap, **dict.fromkeys(module.cells.values(), unknown)}


def _run_definitions(run: Run, body: list[ast.stmt], wanted: Callable[[ast.AST], bool]) -> None:
    """Run what the module did not run itself: methods of modules first, then the rest."""
    for statement in body:
        if isinstance(statement, (ast.ClassDef, *FUNCTIONS)):
            if not wanted(statement) or is_put_aside(statement):
                continue
            if run.budget.is_spent_for_good:
                run.note(Skipped(statement, statement.name, _of_the_file(run)))
            elif isinstance(statement, ast.ClassDef):
                _run_class(run, statement, wanted)
            else:
                _run_function(run, statement)
        elif isinstance(statement, (ast.If, ast.Try, ast.With)):
            for field in ("body", "orelse", "finalbody"):
                _run_definitions(run, getattr(statement, field, []), wanted)


def _run_function(run: Run, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    known = run.module.env.names.get(node.name)
    is_current = isinstance(known, Function) and known.node is node
    function = known if is_current else Function(node, closure=(run.module,))
    assert isinstance(function, Function)
    run.serves_host = serves_host(node, None, run.file.data_hooks, run.file.path)
    place = Place.UNKNOWN if run.serves_host else Place.GIVEN
    _run_entry(run, function, place, in_forward=False)


def _run_class(run: Run, node: ast.ClassDef, wanted: Callable[[ast.AST], bool]) -> None:
    info = _find_class(run, node)
    if info is None:
        return
    before = run.env
    run.env = before.for_entry()
    try:
        _run_methods(run, info, wanted)
    finally:
        run.env = before


def _run_methods(run: Run, info: ClassInfo, wanted: Callable[[ast.AST], bool]) -> None:
    module = is_module(info)
    holder: list[Instance] = []
    name = f"{info.name}.__init__"
    called = _called_by_init(run, info)

    def build() -> None:
        holder.append(_instantiate(run, info, module, called))

    if not _guarded(run, info.node, name, build):
        return
    instance = holder[0]
    early = called | run.file.building_names
    own = {name for name, (_, method) in _own_methods(info).items() if wanted(method)}
    for name, (owner, method) in _own_methods(info).items():
        if (
            name == "__init__"
            or not (name in own or _leads_to(run, owner, method, own))
            or is_put_aside(method)
            or (module and (name in early or prepares(method, run.file.nodes_in)))
        ):
            continue
        bound = None if functions.decorated(method, "staticmethod", "classmethod") else instance
        function = Function(method, bound, owner, owner.closure)
        entry = (module and is_entry(info, name)) or _is_differentiable(info, name)
        run.serves_host = not module and serves_host(
            method, info, run.file.data_hooks, run.file.path
        )
        if run.obj(instance).kept or run.serves_host:
            place = Place.UNKNOWN
        else:
            place = Place.ACCELERATOR if entry else Place.GIVEN
        _run_entry(run, function, place, in_forward=module or entry)


def _leads_to(run: Run, owner: ClassInfo, method: ast.AST, names: Set[str]) -> bool:
    """Whether a method that is inherited from another file calls some of the class itself."""
    if owner.file is run.main:
        return False
    return not names.isdisjoint(context_of(owner.file).own_attributes(method)[0])


def _own_methods(
    info: ClassInfo,
) -> dict[str, tuple[ClassInfo, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The methods of a class, and the entry points it inherits from classes of the file."""
    methods = {name: (info, method) for name, method in info.methods().items()}
    for parent in info.lineage()[1:]:
        for name, method in parent.methods().items():
            if is_entry(info, name):
                methods.setdefault(name, (parent, method))
    return methods


def _find_class(run: Run, node: ast.ClassDef) -> ClassInfo | None:
    value = run.module.env.names.get(node.name, UNKNOWN)
    for option in alternatives(value):
        if isinstance(option, ClassValue) and option.info.node is node:
            return option.info
    return None


def _instantiate(run: Run, info: ClassInfo, module: bool, called: Set[str]) -> Instance:
    """Build an instance from what `__init__` does with arguments that nothing is known of.

    Args:
        module: whether it is a module.
        called: the methods that `__init__` calls.
    """
    place = Place.HOST if module else Place.UNKNOWN
    instance = run.allocate(Obj(place, module=module), info)
    init = functions.as_written(info, "__init__")
    if init is not None:
        bound = replace(init, bound=instance)
        given = _run_entry(run, bound, Place.UNKNOWN, in_forward=False, keep=True)
        if module and not run.budget.is_spent:
            note_unregistered(run, instance, given, {"__init__", *called})
    obj = run.obj(instance)
    kept = obj.kept or _is_transform(run, info)
    run.update(instance, replace(obj, shaky=assigned_elsewhere(info), kept=kept))
    if module:
        _move_whole(run, instance)
    else:
        forget_moved(run, info)
    return instance


def _is_transform(run: Run, info: ClassInfo) -> bool:
    """Whether a class is a link of a chain of a library's transforms: samples are on the CPU."""
    for chain in run.file.chains:
        if isinstance(run.evaluate(chain.func), Library):
            links = (part.func for part in walk(chain) if isinstance(part, ast.Call))
            if any(_builds(run, link, info) for link in links):
                return True
    return False


def _builds(run: Run, function: ast.expr, info: ClassInfo) -> bool:
    """Whether what is called is a class."""
    return isinstance(function, ast.Name) and run.look_up(function.id) == ClassValue(info)


def _move_whole(run: Run, instance: Instance) -> None:
    """Put a module where its user moves it; one that places itself or its parts is left there."""
    if run.obj(instance).kept:
        return
    attrs = run.obj(instance).attrs.values()
    parts = [o for value in attrs for o in alternatives(value) if isinstance(o, Instance)]
    by_hand = [part for part in parts if run.obj(part).was_moved]
    move_object(run, instance, Place.UNKNOWN if by_hand else Place.ACCELERATOR, by_code=False)
    if not run.supposing:  # by which its user is told where to have it
        run.update(instance, replace(run.obj(instance), kept=bool(by_hand)))
        return
    for part in by_hand:
        move_object(run, part, Place.ACCELERATOR)


def is_entry(info: ClassInfo, name: str) -> bool:
    """Whether a method gets tensors that the framework has put on the accelerator."""
    if name == "forward" or (name == "__call__" and info.lookup("forward") is None):
        return True
    if name in catalog.LIGHTNING_STEPS:
        return info.inherits("LightningModule")
    if name in catalog.FRAMEWORK_ENTRIES and info.inherits("MessagePassing"):
        return True
    return name in {"update", "compute"} and is_metric(info)


def _is_differentiable(info: ClassInfo, name: str) -> bool:
    """Whether a method is `forward` or `backward` of a `torch.autograd.Function`.

    Modules call it with what they hold and are given.
    """
    return is_autograd_function(info) and name in {"forward", "backward"}


def _called_by_init(run: Run, info: ClassInfo) -> set[str]:
    """The methods that `__init__` calls, directly or through others."""
    called: set[str] = set()
    pending = ["__init__"]
    while pending:
        value = functions.as_written(info, pending.pop())
        if value is None:
            continue
        file = context_of(value.file)
        used = file.own_attributes(value.node)[0] - handed_on(file.nodes_in(value.node))
        for name in used - called:
            called.add(name)
            pending.append(name)
    return called


def _run_entry(
    run: Run, function: Function, place: Place, in_forward: bool, keep: bool = False
) -> Set[int]:
    """Run a function with arguments of which only annotations and uses tell something.

    Args:
        place: where tensors live that come in as arguments.
        keep: whether what it does to objects lasts.

    Returns:
        The objects that came in with the arguments.
    """
    outer = run.env
    if not keep:
        run.env = outer.for_entry()
    frame = frame_for(run, function, in_forward)
    run.frames.append(frame)
    try:
        arguments = entry_arguments(run, function, place)
    finally:
        run.frames.pop()
    given = frame.env.heap.keys() - run.env.heap.keys()
    run.env.heap = frame.env.heap

    def call() -> None:
        value = functions.call_function(run, function, arguments, in_forward=in_forward)
        note_returned(run, function.node, arguments, value)
        excuse(run, value)

    is_elsewhere = function.file is not run.main
    with run.budget.abroad_in(function.node) if is_elsewhere else nullcontext():
        if keep:
            call()
        else:
            _guarded(run, _place_of(run, function), frame.scope, call)
            run.env = outer
    return given


def _place_of(run: Run, function: Function) -> ast.AST:
    """Where an entry point stands in the file; one from another file is placed at its class."""
    if function.file is run.main:
        return function.node
    assert isinstance(function.bound, Instance)
    assert function.bound.cls is not None
    return function.bound.cls.node
