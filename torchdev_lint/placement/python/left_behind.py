"""Modules that the code builds on the host, outside of other modules, and never moves.

Such a module remembers its construction as long as nothing has moved it, and nothing out of sight
could have. What is registered in it is where it is, and came to be by the same construction.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from torchdev_lint.catalog.classes import is_known
from torchdev_lint.catalog.optimizers import OPTIMIZERS
from torchdev_lint.placement.defects.views import note_view
from torchdev_lint.placement.domain.arguments import Arguments, Operand
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.heap import Heap, Obj, is_left, put_back_by
from torchdev_lint.placement.domain.isomorphism import parts_of
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import Choice, Instance, Place, Value, alternatives
from torchdev_lint.placement.evidence.parsed_code import parsed_code
from torchdev_lint.placement.evidence.staying import Staying, staying_in
from torchdev_lint.placement.python.moving import change_parts, move_object
from torchdev_lint.placement.run import Run
from torchdev_lint.proof.proof import Proof
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import short


def built_apart(run: Run, node: ast.AST, label: str, cls: ClassInfo | None = None) -> Origin | None:
    """Return the origin of a module that is built at a node; None if it is part of another one.

    A part of one that has moved itself already stays behind. What an expression has built before
    is the same object here, and may have been moved since.

    Args:
        label: what its class is called.
        cls: its class, if that is in sight.
    """
    if run.is_elsewhere or run.frame.in_forward:
        return None
    for frame in reversed(run.frames):
        module = frame.module_in(run.env.heap)
        if module is not None and not module.was_moved:
            return None
    before = run.built_before(node, cls)
    if before is not None and not is_left(before):
        return None
    run.leaves_modules = True
    note_view(run, node)
    return run.made(node, OriginKind.MODULE, label)


def put_back_elsewhere(run: Run, call: ast.Call) -> None:
    """Have modules that another file moved to the CPU remember the call that leads there."""
    if not run.puts_back:
        return
    changed: dict[int, Obj] = {}
    for ref, obj in run.env.heap.items():
        origin = put_back_by(obj)
        if origin is not None and origin.file is not run.main:
            there = run.site(origin.file, origin.node)
            here = run.made(call, OriginKind.PUT_BACK, short(call))
            here = replace(here, elsewhere=there, names=origin.names)
            changed[ref] = replace(obj, origin=here)
    run.budget.visited(len(run.env.heap))
    run.put(changed)


def build_elsewhere(run: Run, value: Value, call: ast.Call, before: Heap) -> None:
    """Have modules that another file's function has built remember the call that gives them.

    Args:
        value: what the call gives.
        before: the objects that were there before the call.
    """
    for option in alternatives(value):
        for key, part in _parts_by_key(option):
            for module in alternatives(part):
                _built_by(run, module, call, before, key)
        _built_by(run, option, call, before, None)


def _parts_by_key(value: Value) -> Iterator[tuple[object, Value]]:
    """Yield what a list, tuple or dict holds, as far as that is known one by one."""
    if isinstance(value, Sequence):
        yield from enumerate(value.items or ())
    elif isinstance(value, Mapping):
        yield from value.items


def build_parts_elsewhere(run: Run, whole: Instance, call: ast.Call, before: Heap) -> None:
    """Have modules that an object of another file's class has built remember what led there.

    Args:
        whole: the object.
        call: what has built it, or has it exchange its parts.
        before: the objects that were there before that.
    """
    attributes = run.obj(whole).attrs
    run.budget.visited(len(attributes))
    for name, value in attributes.items():
        for module in alternatives(value):
            if isinstance(module, Instance) and module.ref not in before:
                forget_layer(run, module)
            _built_by(run, module, call, before, name)


def forget_layer(run: Run, module: Instance) -> None:
    """Forget of a module that was built elsewhere, or before, with its parts, that a method did so.

    Args:
        module: the module.
    """

    def forgetting(obj: Obj) -> Obj | None:
        is_layer = obj.origin is not None and obj.origin.kind is OriginKind.LAYER
        return replace(obj, origin=None) if is_layer else None

    change_parts(run, module, forgetting)


def _built_by(run: Run, module: Value, call: ast.Call, before: Heap, key: object) -> None:
    """Have a module remember a call, if that has built it.

    Args:
        key: which part, or attribute, of what the call gives it is, None if it is all.
    """
    if not isinstance(module, Instance) or module.ref in before:
        return
    obj = run.obj(module)
    if not obj.module or obj.place is not Place.HOST or obj.origin is not None:
        return
    known = module.library.startswith("torch.nn.")
    if known or (module.cls is not None and stays_where_built(module.cls, Arguments())):
        origin = built_apart(run, call, short(call.func))
        remember_construction(run, module, None if origin is None else replace(origin, key=key))


def stays_where_built(info: ClassInfo, arguments: Arguments) -> bool:
    """Whether all that places a module when it is built is in sight.

    What it inherits from is known, and is not told a device that it may put its own state on.
    """
    bases = info.library_bases()
    known = all(
        name.startswith("torch.") or is_known(name.partition(".")[0]) for name in bases
    ) and not any(parent.opaque for parent in info.lineage())
    is_told = arguments.any_keyword or "device" in arguments.keywords
    return known and not (is_told and bases != ["torch.nn.Module"])


def remember_construction(run: Run, module: Instance, origin: Origin | None) -> None:
    """Have a module on the host, with all that is registered in it, remember its construction."""
    if origin is None:
        return

    def remembering(obj: Obj) -> Obj | None:
        if obj.place is not Place.HOST or obj.kept or not (obj.origin is None or is_left(obj)):
            return None
        return replace(obj, origin=origin)

    # a whole that becomes part of another one is made anew
    run.budget.joined(change_parts(run, module, remembering) - 1)


def join_whole(run: Run, whole: Instance, part: Value) -> None:
    """Have what becomes part of a module that was never moved remember that one's construction."""
    obj = run.obj(whole)
    if is_left(obj) and isinstance(part, Instance) and is_left(run.obj(part)):
        remember_construction(run, part, obj.origin)


@contextmanager
def applying(run: Run, node: ast.Call, given: Operand) -> Iterator[None]:
    """Remember the call of a module that was left on the host, while its code is run.

    Args:
        given: what it is given that is on the accelerator.
    """
    run.applied = node, given
    try:
        yield
    finally:
        run.applied = None


def let_go(run: Run, value: Value) -> None:
    """Forget where modules are that a value holds: code out of sight has them, and may move them.

    Those on the host, that is: it is not known of others that they were not moved.
    """
    for module in _modules_in(run, value):
        obj = run.obj(module)
        is_left_there = obj.place is Place.HOST and (obj.origin is None or is_left(obj))
        if is_left_there or put_back_by(obj):
            move_object(run, module, Place.UNKNOWN, by_code=False, by_others=True)


def holds_left(run: Run, value: Value) -> bool:
    """Whether code that is handed a value can reach modules that were left on the host."""
    return run.leaves_modules and any(is_left(run.obj(m)) for m in _modules_in(run, value))


def has_parts_left(run: Run, module: Instance) -> bool:
    """Whether a module has parts, or others in plain containers, that were left on the host."""
    if not run.leaves_modules:
        return False
    attributes = run.obj(module).attrs
    run.budget.visited(len(attributes))
    return any(holds_left(run, held) for held in attributes.values())


def forget_moved(run: Run, info: ClassInfo | None = None) -> None:
    """Forget where modules are that functions may have moved before the one that is run next.

    That is any that was moved to the CPU: functions are called before that, or it is moved anew.

    Args:
        info: the class whose objects keep those that were built last, if it is one that does.
    """
    if not run.leaves_modules:
        return
    staying, proof = run.facts.derived(Staying), partial(run.facts.derived, Proof)
    path = "" if run.facts.file is None else run.facts.file.path
    bases = () if info is None else _bases_elsewhere(run, info)

    def stays(made: ast.AST) -> bool:
        return bases is not None and staying.stays(made, path, proof, bases)

    changed = {
        ref: replace(obj, place=Place.UNKNOWN, origin=None)
        for ref, obj in run.env.heap.items()
        if obj.origin is not None and (is_left(obj) or put_back_by(obj))
        if put_back_by(obj) or not stays(obj.origin.node)
    }
    run.budget.visited(len(run.env.heap))
    run.put(changed)


def _bases_elsewhere(run: Run, info: ClassInfo) -> tuple[Staying, ...] | None:
    """What the files of a class's bases do; None: some of its code is not the project's.

    Python's own library does nothing with modules.
    """
    if not all(map(_inherits_nothing, info.lineage())):
        return None
    others = {parent.file for parent in info.lineage()} - {run.main}
    files = list(map(parsed_code, others))
    known = [file for file in files if file is not None]
    return tuple(map(staying_in, known)) if len(known) == len(files) else None


def _inherits_nothing(info: ClassInfo) -> bool:
    """Whether no base of a class that is out of sight knows what modules are."""
    roots = {name.partition(".")[0] for name in info.libraries}
    return not (info.opaque or roots - sys.stdlib_module_names)


def let_go_of_given(run: Run, info: ClassInfo, arguments: Arguments) -> None:
    """Forget where modules are that a constructor out of sight is given, which may move them.

    So do trainers, by whatever name an heir hands the model on; PyTorch's own classes don't.

    Args:
        info: the class that is built, which inherits the constructor.
    """
    foreign = any(not name.startswith("torch.") for name in info.library_bases())
    if run.leaves_modules and (foreign or any(parent.opaque for parent in info.lineage())):
        for value in arguments.values():
            let_go(run, value)


def _modules_in(run: Run, value: Value) -> Iterator[Instance]:
    """The modules that code can reach which is handed a value."""
    pending, seen = [value], set[int]()
    while pending:
        current = pending.pop()
        if not isinstance(current, Instance):
            if run.leaves_modules or isinstance(current, Choice):
                pending += parts_of(current)
        elif current.ref not in seen:
            seen.add(current.ref)
            obj = run.obj(current)
            if obj.module:
                yield current
            elif run.leaves_modules and current.library not in OPTIMIZERS:
                run.budget.visited(len(obj.attrs))
                pending += obj.attrs.values()
