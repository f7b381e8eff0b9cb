"""What assignments change."""

from __future__ import annotations

import ast

from torchdev_lint.placement.defects.constants import AT_IMPORT, kept, released
from torchdev_lint.placement.defects.failing import is_number
from torchdev_lint.placement.defects.meetings import find_meeting
from torchdev_lint.placement.defects.mistaken import note_index
from torchdev_lint.placement.defects.rebuilt import (
    excuse,
    excuse_parameter,
    excuse_setting,
    says_how,
)
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.heap import Obj, as_registered, is_left, number_of
from torchdev_lint.placement.domain.joins import choice, join, moved, with_same
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    MISSING,
    NONE,
    UNKNOWN,
    WIDENED,
    Bundle,
    Const,
    Instance,
    Place,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.classes import inherits_buffer
from torchdev_lint.placement.evidence.conditions import blur
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.facts.events import Excused
from torchdev_lint.placement.python.changing import can_change, lose, share, without_entry
from torchdev_lint.placement.python.entries import excuse_entry, path_by_value
from torchdev_lint.placement.python.families import with_family
from torchdev_lint.placement.python.given import as_it_is_used
from torchdev_lint.placement.python.indices import has_tensor
from torchdev_lint.placement.python.iteration import unpack
from torchdev_lint.placement.python.left_behind import join_whole, let_go
from torchdev_lint.placement.python.members import set_member
from torchdev_lint.placement.python.module_containers import is_container, put
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.made_up import family_of
from torchdev_lint.syntax.names import constant_beginning, path_of
from torchdev_lint.syntax.scopes import FUNCTIONS, root_name
from torchdev_lint.syntax.unpacking import parts_for, star_of


def assign(run: Run, target: ast.expr, value: Value) -> None:
    """Bind an assignment target, a loop target or the like.

    Args:
        target: a name, attribute, subscript, or a tuple or list of these.
        value: what it receives.
    """
    if isinstance(target, ast.Name):
        if target.id in run.frame.global_names or target.id in run.frame.nonlocal_names:
            excuse(run, value)
        elif isinstance(run.frame.node, AT_IMPORT):
            value = kept(run, target.id, value)
        run.bind(target.id, as_it_is_used(run, target.id, value))
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element, part in zip(target.elts, unpack(run, value, target.elts), strict=True):
            assign(run, element, part)
    elif isinstance(target, ast.Starred):
        assign(run, target.value, value)
    elif isinstance(target, ast.Attribute):
        _assign_attribute(run, target, value)
    elif isinstance(target, ast.Subscript):
        _assign_item(run, target, value)


def change(run: Run, node: ast.expr, old: Value, new: Value) -> None:
    """Have a list or dict become another value, whatever holds it.

    Args:
        node: the expression that gives it.
        old: what it was.
        new: what it is now.
    """
    is_own = root_name(node) in run.env.names
    if not is_own:
        excuse(run, new)
        share(old)
    same = frozenset[object]().union(*(o.same for o in alternatives(old) if can_change(o)))
    if same and can_change(new):
        new = with_same(new, same)
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and path_of(node):
        lose(run, old)
        assign(run, node, new)


def delete(run: Run, target: ast.expr) -> None:
    """Delete a variable, an attribute or an item."""
    if isinstance(target, ast.Name):
        run.bind(target.id, UNKNOWN)
    elif isinstance(target, ast.Attribute):
        assign(run, target, UNKNOWN)
    elif isinstance(target, ast.Subscript):
        base, key = run.evaluate(target.value), run.evaluate(target.slice)
        if isinstance(base, Mapping):
            change(run, target.value, base, without_entry(base, key))
        elif isinstance(base, Sequence):
            change(run, target.value, base, Sequence(None, base.element, base.kind))


def assign_around_star(run: Run, target: ast.expr, node: ast.expr) -> bool:
    """Evaluate `b, n, device = *x.shape, x.device`: what a star gives is that of its targets alone.

    Returns:
        Whether it is an assignment of that form.
    """
    star = star_of(node)
    if star is None or not isinstance(target, (ast.Tuple, ast.List)):
        return False
    parts = parts_for(target.elts, node)
    if parts is None:
        return False
    values: list[Value] = []
    for part in node.elts:  # type: ignore[attr-defined]  # a list or tuple, as it has a star
        if isinstance(part, ast.Starred):
            given = target.elts[star : star + parts.count(None)]
            values += unpack(run, run.evaluate(part.value), given)
        else:
            values.append(run.evaluate(part))
    for element, value in zip(target.elts, values, strict=True):
        assign(run, element, value)
    return True


def _assign_attribute(run: Run, target: ast.Attribute, value: Value) -> None:
    base = run.evaluate(target.value)
    if target.attr == "data" and not isinstance(base, Instance):
        _assign_data(run, target.value, value)
        return
    excuse(run, value)
    set_member(run, target, base, value)
    written = False
    for option in alternatives(base):
        if target.attr == "requires_grad":
            excuse_parameter(run, option)
        if isinstance(option, Instance):
            excuse_setting(run, option, target.attr)
            obj = run.obj(option)
            run.budget.copied(len(obj.attrs))
            held = UNKNOWN if _may_be_set_any_time(option, target.attr) else released(value)
            if _stays_registered(option, obj, target.attr):
                held = as_registered(held)
            obj = obj.assigned(target.attr, _made_late(run, obj, target, held))
            run.update(option, _with_other_state(option, obj, target.attr, value))
            join_whole(run, option, value)
            written = True
            if not obj.module and option.cls is None:
                let_go(run, value)
    if not written:
        let_go(run, value)
        excuse_entry(run, base, target.attr)
    run.budget.visited(run.env.forget_conditions({target.attr}))
    if path := path_of(target):
        run.budget.visited(run.env.paths.forget_below(path))
        run.env.paths.pop(path, None)
        if not written:
            run.env.paths[path] = value


def _stays_registered(instance: Instance, obj: Obj, attribute: str) -> bool:
    """Whether what a module is given under a name is a parameter or buffer, as what it had there.

    `Module.__setattr__` takes a parameter for a parameter alone, and keeps a buffer among them.
    What is made after the module was moved is where it was made, however.
    """
    if instance.cls is not None and inherits_buffer(instance.cls, attribute):
        return True
    held = alternatives(obj.attrs.get(attribute, UNKNOWN))
    is_state = all(isinstance(option, Tensor) and option.registered for option in held)
    return is_state and obj.module and not obj.place.is_device


def _may_be_set_any_time(instance: Instance, attribute: str) -> bool:
    """Whether a hook that the class of an object has handed to others sets an attribute."""
    lineage = instance.cls.lineage() if instance.cls else ()
    return any(attribute in context_of(i.file).set_by_hooks(i.node) for i in lineage)


def _made_late(run: Run, obj: Obj, target: ast.Attribute, value: Value) -> Value:
    """A parameter that a module is given on the CPU when it has been moved is not where it is.

    It is on the CPU for sure where each call of `forward` sets it anew: no move comes in between.
    """
    if not (obj.module and obj.place.is_device):
        return value
    stays = _is_set_each_time(run, target)
    return choice([_as_made(option, stays) for option in alternatives(value)])


def _is_set_each_time(run: Run, target: ast.Attribute) -> bool:
    function = run.frame.node
    if not run.frame.in_forward or not isinstance(function, FUNCTIONS):
        return False
    return any(isinstance(s, ast.Assign) and target in s.targets for s in function.body)


def _as_made(value: Value, stays: bool) -> Value:
    if isinstance(value, Tensor) and value.registered and value.place is Place.HOST:
        return replace(value, registered=False) if stays else Tensor(Place.UNKNOWN, value.scalar)
    return value


def set_by_name(
    run: Run, instance: Instance, name: tuple[Value, ast.expr | None], value: Value
) -> None:
    """Evaluate `setattr`: with a name that is made up, it may replace all that begin like it.

    Args:
        name: the attribute's name, with the expression that gives it.
    """
    obj, (known, written) = run.obj(instance), name
    if isinstance(known, Const) and isinstance(known.value, str):
        if _stays_registered(instance, obj, known.value):
            value = as_registered(value)
        obj = obj.with_attributes({**obj.attrs, known.value: value})
    else:
        beginning = "" if written is None else constant_beginning(written)
        family = family_of(written)
        others = {n: WIDENED for n in obj.attrs if n.startswith(beginning) and n != family}
        obj = obj.with_attributes({**obj.attrs, **others})
        obj = with_family(obj, family, value).with_part(value)
    run.update(instance, obj)


def _with_other_state(module: Instance, obj: Obj, name: str, value: Value) -> Obj:
    """A layer that was given a parameter from elsewhere: it lives where that does.

    A module that is given another part is where it was, and one that is told how to compute.

    Args:
        name: the attribute that was set.
    """
    if says_how(module, name) or (isinstance(value, Instance) and (is_left(obj) or number_of(obj))):
        return obj
    if module.cls is None and obj.module:
        moved = obj.place is Place.HOST and _is_state_elsewhere(value)
        if moved or obj.origin is not None:
            return replace(obj, place=Place.UNKNOWN, origin=None)
    return obj


def _is_state_elsewhere(value: Value) -> bool:
    """Whether a value is a tensor that is not on the host for certain."""
    options = alternatives(value)
    return any(isinstance(each, Tensor) and each.place is not Place.HOST for each in options)


def _assign_data(run: Run, base: ast.expr, value: Value) -> None:
    """`x.data = y` puts `x` where `y` is."""
    current = run.evaluate(base)
    excuse_parameter(run, current)
    if isinstance(current, Tensor) and current.origin is not None and current.registered:
        if current.origin.kind is OriginKind.MODULE:
            run.note(Excused(current.origin))  # the code moves the parameters itself
    owner = run.evaluate(base.value) if isinstance(base, ast.Attribute) else None
    if isinstance(current, Tensor) and current.registered and current.place.is_device:
        if _is_on_host(value):
            if _keeps_late(run, base, owner, value):
                return
            _leave_open(run, current.place)
    if isinstance(owner, Instance) and run.obj(owner).module:
        if not _is_on_host(value):
            run.update(owner, _with_other_state(owner, run.obj(owner), "", value))
    elif isinstance(current, Tensor) and isinstance(value, Tensor):
        assign(run, base, replace(current, place=value.place, origin=value.origin, axes=None))
    elif isinstance(base, ast.Name):
        assign(run, base, UNKNOWN)


def _keeps_late(run: Run, base: ast.expr, owner: Value | None, value: Value) -> bool:
    """Have a module in sight keep what one of its own parameters is given; whether it does.

    That is then where its data is, until the module is moved again.
    """
    if not (isinstance(base, ast.Attribute) and isinstance(owner, Instance)):
        return False
    obj = run.obj(owner)
    if not obj.module or owner.cls is None:
        return False
    run.update(owner, obj.registering(base.attr, value))
    return True


def _leave_open(run: Run, place: Place) -> None:
    """Forget which modules are somewhere: a parameter of one of them was brought to the host."""
    modules = {ref: obj for ref, obj in run.env.heap.items() if obj.module and obj.place is place}
    run.budget.visited(len(run.env.heap))
    run.put({ref: replace(obj, place=Place.UNKNOWN) for ref, obj in modules.items()})


def _is_on_host(value: Value) -> bool:
    return isinstance(value, Tensor) and value.place is Place.HOST


def _assign_item(run: Run, target: ast.Subscript, value: Value) -> None:
    base = run.evaluate(target.value)
    index = run.evaluate(target.slice)
    note_index(run, target, base, index)
    if root_name(target) not in run.env.names or not isinstance(base, (Mapping, Sequence)):
        excuse(run, value)
        if not isinstance(base, Instance):
            let_go(run, value)
    if isinstance(base, Tensor):
        excuse_parameter(run, base)
        _put(run, target, base, index, value)
        return
    if any(isinstance(option, (Mapping, Sequence)) for option in alternatives(base)):
        now = choice([_with(option, index, value) for option in alternatives(base)])
        root, entry = path_of(target.value), path_by_value(target.value, index)
        kept = run.env.paths.beside(root, entry) if root and entry else {}
        run.budget.visited(len(kept))
        change(run, target.value, base, now)
        for path, part in kept.items():
            run.env.paths[path] = part  # of an entry that is what it was
    elif isinstance(base, Instance) and is_container(run.obj(base)):
        put(run, base, index, value, target)
    elif all(isinstance(o, (Bundle, Unknown)) or o == NONE for o in alternatives(base)):
        _assign_part(run, target, base, index, value)


def _assign_part(run: Run, target: ast.Subscript, base: Value, index: Value, value: Value) -> None:
    """Replace an entry of a structure, or of one of a few; each of them, where the key varies."""
    bundles = [option for option in alternatives(base) if isinstance(option, Bundle)]
    for bundle in bundles:
        if bundle.origin is not None and _is_held_elsewhere(run, bundle.origin, index):
            for excused in Excused.with_wholes(bundle.origin):  # what holds it has changed as well
                run.note(excused)
    if isinstance(index, Const):
        excuse_entry(run, base, index.value)
    if bundles and not isinstance(index, Const):
        if path_of(target.value) and not _moves_no_part(index, value):
            assign(run, target.value, moved(base, Place.UNKNOWN))
        return
    for path in (path_of(target), path_by_value(target.value, index)):
        if path is not None:
            run.env.paths[path] = value


def _moves_no_part(index: Value, value: Value) -> bool:
    """Whether all tensors of a structure are where they were behind `x[index] = value`.

    A number is no tensor that comes from somewhere else, and what is indexed by a tensor is one
    itself, into which values are copied: `mask[mask > 0] = 1`.
    """
    return is_number(value) or has_tensor(index)


def _is_held_elsewhere(run: Run, origin: Origin, index: Value) -> bool:
    """Whether more than the variable at hand holds a structure that gets other entries.

    That is what holds it as an element, or whoever has called the function with it.
    """
    return origin.is_element or (not isinstance(index, Const) and origin.scope != run.frame.scope)


def _put(run: Run, target: ast.Subscript, base: Tensor, index: Value, value: Value) -> None:
    """`tensor[index] = value`: the value is copied across, unless the index is a tensor.

    The index itself may live anywhere; `make_info` in TensorAdvancedIndexing.cpp moves it. So
    may a value with one element, which arrives 0-dim: see `slicePrefix1sSize` in
    python_variable_indexing.cpp and `_index_put_impl_` in TensorAdvancedIndexing.cpp.
    """
    if has_tensor(index) and all(map(_has_elements, alternatives(value))):
        operands = [Operand(base, target.value), Operand(value, target)]
        find_meeting(run, "indexed assignment", target, operands, Policy.ELEMENTWISE)


def _has_elements(value: Value) -> bool:
    """Whether a value certainly has more than one element."""
    if isinstance(value, Bundle):
        return True
    if not isinstance(value, Tensor) or value.scalar is not False:
        return False
    return value.origin is None or value.origin.count != 1


def _with(base: Value, index: Value, value: Value) -> Value:
    """A container with another value under a key or at a position."""
    if isinstance(base, Mapping):
        return _with_key(base, index, value)
    return _with_position(base, index, value) if isinstance(base, Sequence) else base


def _with_key(base: Mapping, index: Value, value: Value) -> Mapping:
    if isinstance(index, Const):
        return base.with_item(index.value, value)
    if base.items or base.rest not in (MISSING, value):
        return Mapping((), WIDENED)  # whatever entry it was, it is not what it was before
    return Mapping((), value)


def _with_position(base: Sequence, index: Value, value: Value) -> Sequence:
    if base.items is not None and isinstance(index, Const) and isinstance(index.value, int):
        items = list(base.items)
        if -len(items) <= index.value < len(items):
            items[index.value] = value
            return Sequence(tuple(items), join(base.element, value), base.kind)
    if base.element == value:
        return base
    # Any element may be the one that is replaced, or all of them, one by one.
    return Sequence(None, join(_unless_on_host(base.element), value), base.kind)


def _unless_on_host(value: Value) -> Value:
    """Forget where values live that may have been replaced."""
    return choice(
        [
            blur(o) if isinstance(o, (Tensor, Bundle)) and o.place is Place.HOST else o
            for o in alternatives(value)
        ]
    )
