"""The entry points of classes: one is built, and its methods are run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Set

from torchdev_lint.catalog import modules as catalog
from torchdev_lint.catalog.builtins import CONSTRUCTING
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.heap import Obj, number_of
from torchdev_lint.placement.domain.values import (
    NEVER,
    UNKNOWN,
    ClassValue,
    Function,
    Instance,
    Place,
    alternatives,
)
from torchdev_lint.placement.entries import guarded, run_entry
from torchdev_lint.placement.entry_places import is_called_for_samples
from torchdev_lint.placement.entry_settings import let_set, run_setter, set_later
from torchdev_lint.placement.entry_steps import after_steps, fill_lists
from torchdev_lint.placement.evidence.classes import (
    is_autograd_function,
    is_loss_of_own_inputs,
    is_loss_of_trainer,
    is_metric,
    is_module,
)
from torchdev_lint.placement.evidence.failures import is_put_aside
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.holding import assigned_elsewhere, taken_along
from torchdev_lint.placement.evidence.host_code import has_the_host_as_its_device, works_on_host
from torchdev_lint.placement.evidence.left_to_host import left_to_host
from torchdev_lint.placement.evidence.making import gives_what_it_makes
from torchdev_lint.placement.evidence.preparation import prepares
from torchdev_lint.placement.evidence.self_checks import is_run_where_built
from torchdev_lint.placement.evidence.unbuildable import raises_when_built
from torchdev_lint.placement.interpreter.unregistered import note_unregistered
from torchdev_lint.placement.python import functions
from torchdev_lint.placement.python.bases import build_bases
from torchdev_lint.placement.python.fields import after_fields, leave_open
from torchdev_lint.placement.python.left_behind import forget_moved
from torchdev_lint.placement.python.library_calls import library_called
from torchdev_lint.placement.python.moving import move_object
from torchdev_lint.placement.run import Run
from torchdev_lint.project.users import is_run_as_test
from torchdev_lint.records import replace
from torchdev_lint.syntax.held import walk_held
from torchdev_lint.syntax.own_attributes import asked_of_super, handed_on
from torchdev_lint.syntax.private import is_private
from torchdev_lint.syntax.reaching import reached_from


def run_class(run: Run, node: ast.ClassDef, wanted: Callable[[ast.AST], bool]) -> None:
    """Run the entry points of a class: it is built, then each of its methods is called."""
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
        instance = _instantiate(run, info, module)
        if instance is not None:
            holder.append(instance)

    if not guarded(run, info.node, name, build) or raises_when_built(info) or not holder:
        return
    instance = holder[0]
    early = called | run.file.building_names
    on_host = not module and works_on_host(info)
    methods = _own_methods(info)
    only_then = _of_init_alone(info, called)
    own = {name for name, (_, method) in methods.items() if wanted(method)}
    nodes = (node for method in info.methods().values() for node in run.file.nodes_in(method))
    own -= left_to_host(run.facts.syntax, nodes, own)
    leading = _leading(info, own)
    fill_lists(run, info, instance, own)
    bound = {name for name, (_, method) in methods.items() if _is_of_object(method)}
    possible = bound - called
    late = set_later(run, info, instance, possible) if possible else {}
    if module:
        let_set(run, methods, instance, late)
        late = {}
    setters = set(late.values())
    own |= setters
    for name, (owner, method) in sorted(methods.items(), key=lambda each: each[0] not in setters):
        if (
            name in CONSTRUCTING
            or name in only_then
            or not (name in own or (owner is not info and name in leading))
            or is_put_aside(method)
            or _takes_gradients_of_host(owner, name)
            or (module and (name in early or prepares(method, run.file.nodes_in)))
        ):
            continue
        of_class = functions.decorated(method, "staticmethod", "classmethod")
        function = Function(method, None if of_class else instance, owner, owner.closure)
        entry = (module and is_entry(info, name)) or _is_differentiable(info, name)
        entry = entry or is_loss_of_trainer(info, name)
        run.serves_host = (
            on_host
            or is_loss_of_own_inputs(info, name)
            or is_called_for_samples(run, instance, method, entry)
        )
        if run.obj(instance).kept or run.serves_host:
            place = Place.UNKNOWN
        else:
            place = Place.ACCELERATOR if entry else Place.GIVEN
        if module and not entry and _may_run_where_built(run, info, name, method):
            _run_where_built(run, function, instance)
        elif name in setters:
            run_setter(run, function, place, [a for a, setter in late.items() if setter == name])
        else:
            with after_steps(run, info, instance, name) as outputs:
                run_entry(run, function, place, module or entry, first=outputs)


def _may_run_where_built(
    run: Run, info: ClassInfo, name: str, method: ast.FunctionDef | ast.AsyncFunctionDef
) -> bool:
    """Whether a method may run while its module is on the CPU, or only works there."""
    nodes = run.file.nodes_in(method)
    return is_run_where_built(method, nodes) or _runs_without_trainer(info, name)


def _runs_without_trainer(info: ClassInfo, name: str) -> bool:
    """Whether a method of a LightningModule leads to its loaders, and no hook calls it.

    A trainer has brought the module back to the CPU when it ends.
    """
    if not info.inherits("LightningModule"):
        return False
    used = {
        method: context_of(each.file).own_attributes(node)[0]
        for each in info.lineage()
        for method, node in each.methods().items()
    }
    hooks = {method for method in used if catalog.LIGHTNING_HOOKS.match(method)}
    if name in reached_from(hooks, used):
        return False
    return not catalog.LIGHTNING_LOADERS.isdisjoint(reached_from({name}, used) - {name})


def _of_init_alone(info: ClassInfo, called: Set[str]) -> set[str]:
    """The private methods that `__init__` calls, directly or not, and no other method does.

    Nobody calls them for an object that is complete.

    Args:
        called: all that `__init__` calls.
    """
    found, context = {name for name in called if is_private(name)}, context_of(info.file)
    methods = info.methods()
    others = [name for name in methods if name != "__init__" and name not in found]
    while others and found:
        used = found & context.own_attributes(methods[others.pop()])[0]
        found -= used
        others += used & methods.keys()
    return found


def _run_where_built(run: Run, function: Function, instance: Instance) -> None:
    """Run a method of a module that may not have been moved yet."""
    before = run.env
    run.env = before.for_entry()
    move_object(run, instance, Place.UNKNOWN, by_code=False)
    run_entry(run, function, Place.UNKNOWN, in_forward=True)
    run.env = before


def _leading(info: ClassInfo, names: Set[str]) -> set[str]:
    """The inherited methods that call some of the class itself, or use what that keeps.

    They call it themselves; what it keeps others may use for them.

    Args:
        info: the class.
        names: the methods that are run in any case.
    """
    if not info.bases:
        return set()
    context = context_of(info.file)
    kept = set[str]().union(*(context.own_attributes(m)[1] for m in info.methods().values()))
    methods = {n: (p, m) for p in reversed(info.lineage()) for n, m in p.methods().items()}
    readers: dict[str, set[str]] = {}
    leading: set[str] = set()
    for name, (parent, method) in methods.items():
        read = context_of(parent.file).own_attributes(method)[0]
        for each in read:
            readers.setdefault(each, set()).add(name)
        if parent is not info and not read.isdisjoint(names):
            leading.add(name)
    return leading.union(
        *(reached_from({name}, readers) - {name} for name in kept & readers.keys())
    )


def _own_methods(
    info: ClassInfo,
) -> dict[str, tuple[ClassInfo, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The methods of a class, and the entry points it inherits.

    Of a class that is no module these are all: a loop that calls a step.
    """
    methods = {name: (info, method) for name, method in info.methods().items()}
    module = is_module(info)
    for parent in info.lineage()[1:]:
        for name, method in parent.methods().items():
            if (not module and _is_of_object(method)) or is_entry(info, name):
                methods.setdefault(name, (parent, method))
    return methods


def _is_of_object(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method is called for an object."""
    return not functions.decorated(method, "staticmethod", "classmethod", "property")


def _find_class(run: Run, node: ast.ClassDef) -> ClassInfo | None:
    value = run.module.env.names.get(node.name, UNKNOWN)
    for option in alternatives(value):
        if isinstance(option, ClassValue) and option.info.node is node:
            return option.info
    return None


def _instantiate(run: Run, info: ClassInfo, module: bool) -> Instance | None:
    """Build an instance from what `__init__` does with arguments that nothing is known of.

    There is none if that raises on every machine.

    Args:
        module: whether it is a module.
    """
    place = Place.HOST if module else Place.UNKNOWN
    instance = run.allocate(Obj(place, module=module), info)
    init = functions.as_written(info, "__init__")
    bound = after_fields(info, instance) if init is None else replace(init, bound=instance)
    if init is None and bound is not None:
        leave_open(run, info, instance)
    if bound is not None:
        settings = run.env.settings
        if info.name in run.placed:
            run.env.settings = replace(settings, default=Place.UNKNOWN)
        came_of = run_entry(run, bound, Place.UNKNOWN, in_forward=False, keep=True)
        run.env.settings = settings
        if came_of.value == NEVER:
            return None
        if module and not run.budget.is_spent:
            note_unregistered(run, instance, came_of.given, lambda of: _building(run, of))
    if module:
        _build_bases(run, instance, info)
    obj = run.obj(instance)
    stays = module and (_is_for_tests(run, info) or has_the_host_as_its_device(info))
    kept = obj.kept or stays or _is_transform(run, info)
    if module and (along := taken_along(info) & obj.attrs.keys()):
        obj = obj.with_attributes({**obj.attrs, **dict.fromkeys(along, UNKNOWN)})
    run.update(instance, replace(obj, shaky=assigned_elsewhere(info), kept=kept))
    if module:
        _move_whole(run, instance)
    else:
        forget_moved(run, info)
    return instance


def _build_bases(run: Run, instance: Instance, info: ClassInfo) -> None:
    """Give a module what constructors of other files set that its class reads."""
    read = context_of(info.file).own_attributes(info.node)[0]
    for name in sorted(read - run.obj(instance).attrs.keys()):
        if build_bases(run, instance, name):
            break


def _is_transform(run: Run, info: ClassInfo) -> bool:
    """Whether a class, or its heir, is a link of a library's transforms: samples are on the CPU."""
    for chain in run.file.chains:
        if library_called(run, chain):
            held = run.file.held_in(run.facts.syntax.scope(chain))
            links = (part.func for part in walk_held(chain, held) if isinstance(part, ast.Call))
            if any(_builds(run, link, info) for link in links):
                return True
    return False


def _is_for_tests(run: Run, info: ClassInfo) -> bool:
    """Whether a class is there for the tests of its file, which never move it."""
    tree = run.module.node
    if not (isinstance(tree, ast.Module) and run.file.path and is_run_as_test(run.file.path)):
        return False
    return run.file.moved_by_tests(tree).leave_on_host(info.node)


def _builds(run: Run, function: ast.expr, info: ClassInfo) -> bool:
    """Whether what is called is a class, or an heir of it."""
    value = run.look_up(function.id) if isinstance(function, ast.Name) else UNKNOWN
    return isinstance(value, ClassValue) and info in value.info.lineage()


def _move_whole(run: Run, instance: Instance) -> None:
    """Put a module where its user moves it; one that places itself or its parts is left there."""
    if run.obj(instance).kept:
        return
    attrs = run.obj(instance).attrs.values()
    parts = [o for value in attrs for o in alternatives(value) if isinstance(o, Instance)]
    put = [(part, number_of(run.obj(part))) for part in parts if _was_put(run.obj(part))]
    by_hand = any(run.obj(part).was_moved for part, _ in put)
    move_object(run, instance, Place.UNKNOWN if by_hand else Place.ACCELERATOR, by_code=False)
    if not run.supposing:  # by which its user is told where to have it
        run.update(instance, replace(run.obj(instance), kept=by_hand))
        return
    for part, number in put if by_hand else ():
        move_object(run, part, Place.ACCELERATOR, put=number)


def _was_put(part: Obj) -> bool:
    """Whether code has moved a part, or built it somewhere, that has something to be moved."""
    return (part.was_moved or part.place.is_device) and part.stateful is not False


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


def _takes_gradients_of_host(info: ClassInfo, name: str) -> bool:
    """Whether a method is given gradients of what another one makes on the CPU: they are there."""
    forward = info.methods().get("forward") if name == "backward" else None
    is_own = forward is not None and is_autograd_function(info)
    return is_own and forward is not None and gives_what_it_makes(forward)


def _building(run: Run, info: ClassInfo) -> set[str]:
    """The methods that build an object."""
    return {"__init__", *_called_by_init(run, info)}


def _called_by_init(run: Run, info: ClassInfo) -> set[str]:
    """The methods that `__init__` calls, directly or through others.

    Of those that the constructor of a base calls but the entry points: these are for users, too.
    """
    called, seen = set[str](), set[ast.AST]()
    pending = [(info, "__init__", False)]
    while pending:
        cls, name, is_of_base = pending.pop()
        value = functions.as_written(cls, name)
        if value is None or value.node in seen:
            continue
        seen.add(value.node)
        file = context_of(value.file)
        used = file.own_attributes(value.node)[0] - handed_on(file.nodes_in(value.node))
        called |= {each for each in used if not (is_of_base and is_entry(info, each))}
        pending += [(info, each, is_of_base) for each in used]
        above = [] if value.owner is None else value.owner.bases
        asked = file.of_nodes(asked_of_super, value.node)
        pending += [(base, each, True) for base in above for each in asked]
    return called
