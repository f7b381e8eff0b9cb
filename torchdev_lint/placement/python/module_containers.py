"""The containers of `torch.nn`: lists, dicts and sequences of modules or parameters.

What such a container takes is a module (or a parameter), so that much is known even of one
whose class is out of sight: it moves with the container.
"""

from __future__ import annotations

import ast

from torchdev_lint.catalog.data_sets import DATASET, SPLITS
from torchdev_lint.catalog.ecosystem import BACKBONES, TRANSFORMS
from torchdev_lint.catalog.modules import CONTAINERS
from torchdev_lint.placement.defects.rebuilt import excuse, hand_on
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.heap import CONTAINED, Obj, number_of, settle
from torchdev_lint.placement.domain.joins import choice, iterator, sequence
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.domain.values import (
    MISSING,
    UNKNOWN,
    Const,
    Instance,
    Library,
    Place,
    Scalar,
    ScalarKind,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.python.moving import has_state
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.walking import walk

_CONTAINERS = frozenset(f"torch.nn.{name}" for name in CONTAINERS)


def build_container(
    run: Run, name: str, arguments: Arguments, node: ast.AST, made: Origin | None
) -> Value:
    """Evaluate the construction of a container.

    Args:
        name: the qualified name.
        made: the origin of a layer that is built here, if this is in `forward`.
    """
    items = _given(run, name, arguments, node)
    parts = _parts(items)
    modules = [run.obj(part) for part in parts if isinstance(part, Instance)]
    states = {obj.stateful for obj in modules} if len(modules) == len(parts) else {None}
    stateful = True if True in states else (False if states <= {False} else None)
    if stateful is None and _holds_transforms(run, node):
        stateful = False
    known = [obj for obj in modules if obj.stateful or has_state(run, obj)]
    places = {obj.place for obj in known}
    place = places.pop() if len(places) == 1 else Place.UNKNOWN
    origin = made if stateful else None
    if not all(obj.origin and not number_of(obj) for obj in modules if obj.stateful):
        origin = run.frame.construction
    for part in parts:
        if origin is not None and isinstance(part, Instance) and run.obj(part).stateful:
            hand_on(run, run.obj(part).origin, origin)
            run.update(part, replace(run.obj(part), origin=origin))  # one defect, one finding
    stateful = stateful if stateful is not None or not known else True
    obj = Obj(place, module=True, stateful=stateful, attrs={CONTAINED: items}, origin=origin)
    return run.allocate(obj, None, name, site=node)


def _holds_transforms(run: Run, node: ast.AST) -> bool:
    """Whether a container that is not known holds a transform of torchvision among others.

    Such a chain prepares pictures, on the CPU as a rule, and most transforms have no state.
    """
    calls = (part.func for part in walk(node) if isinstance(part, ast.Call))
    return any(
        _library_name(run, name).startswith(TRANSFORMS) for name in map(dotted, calls) if name
    )


def _library_name(run: Run, name: str) -> str:
    """The qualified name of what a dotted one stands for in a library, empty if it is in none."""
    root, _, rest = name.partition(".")
    value = run.look_up(root)
    return f"{value.name}.{rest}".rstrip(".") if isinstance(value, Library) else ""


def fill_inherited(run: Run, module: Instance, arguments: Arguments, node: ast.AST) -> None:
    """Put into an object of a class that extends a container what that is built with."""
    container = _library_of(module)
    if container in _CONTAINERS:
        obj = run.obj(module)
        attrs = {**obj.attrs, CONTAINED: _given(run, container, arguments, node)}
        run.update(module, replace(obj, attrs=attrs))


def _library_of(module: Instance) -> str:
    """The qualified name of the container that an object is, or that its class extends."""
    bases = module.cls.library_bases() if module.cls is not None else []
    return next((name for name in bases if name in _CONTAINERS), module.library)


def _given(run: Run, name: str, arguments: Arguments, node: ast.AST) -> Sequence | Mapping:
    given = [value for value, _ in arguments.positional]
    source = arguments.node(0) or node
    if len(given) == 1 and isinstance(given[0], (Sequence, Mapping)):
        return _known_items(run, name, given[0], source)
    if name.endswith("Dict") and not arguments.positional and not arguments.open_ended:
        return Mapping((), MISSING)
    if arguments.open_ended or (name.endswith(("List", "Dict")) and given):
        bundles = arguments.bundles
        spread = bundles[0][0] if bundles else UNKNOWN
        return Sequence(None, _part(run, name, spread, bundles[0][1] if bundles else source))
    pairs = arguments.positional
    return sequence([_part(run, name, value, place) for value, place in pairs])


def _known_items(
    run: Run, name: str, given: Sequence | Mapping, source: ast.AST
) -> Sequence | Mapping:
    if isinstance(given, Mapping):
        items = tuple((key, _part(run, name, value, source)) for key, value in given.items)
        rest = given.rest if given.rest == MISSING else _part(run, name, given.rest, source)
        return Mapping(items, rest)
    if given.items is None:
        return Sequence(None, _part(run, name, given.element, source))
    return sequence([_part(run, name, value, source) for value in given.items])


def _part(run: Run, container: str, value: Value, source: ast.AST) -> Value:
    """What a container holds when it is given a value: a module or parameter in any case."""
    if "Parameter" in container:
        kept = value if isinstance(value, Tensor) else Tensor(Place.UNKNOWN)
        return replace(kept, registered=True, origin=None)
    if not isinstance(value, Unknown) or run.budget.is_spent:
        return value
    return run.allocate(Obj(Place.UNKNOWN, module=True), None, site=source)


def _parts(items: Value) -> list[Value]:
    if isinstance(items, Mapping):
        values = [value for _, value in items.items]
        values += [] if items.rest == MISSING and values else [items.rest]
    elif isinstance(items, Sequence):
        values = list(items.items or (items.element,))
    else:
        values = [UNKNOWN]
    return [option for value in values for option in alternatives(value)]


def contained(obj: Obj) -> tuple[Value, ...] | None:
    """The modules in a list of them, in order; None where they are not all known."""
    held = obj.attrs.get(CONTAINED)
    return held.items if isinstance(held, Sequence) else None


def only_computes(run: Run, obj: Obj) -> bool:
    """Whether nothing that a container holds has state, as transforms that are no modules don't."""
    parts = contained(obj) if obj.stateful is None else None
    held = [run.obj(part) for part in parts or () if isinstance(part, Instance)]
    is_known = bool(held) and len(held) == len(parts or ())
    return is_known and all(part.stateful is False or not part.module for part in held)


def is_container(obj: Obj) -> bool:
    """Whether an object is a container of modules or parameters."""
    return CONTAINED in obj.attrs


def element(obj: Obj) -> Value:
    """Return what any one element of a container is."""
    return settle(obj, choice(_parts(obj.attrs.get(CONTAINED, UNKNOWN))))


def item(run: Run, base: Instance, index: Value, node: ast.Subscript) -> Value:
    """Return what a subscript of a container gives, or of data sets by their names."""
    if base.library == DATASET:
        return base if isinstance(index, Const) and index.value in SPLITS else UNKNOWN
    obj = run.obj(base)
    items = obj.attrs.get(CONTAINED)
    if isinstance(node.slice, ast.Slice):
        # of the same modules or parameters, and of the same type; or the first ones of a model's
        return base if node.slice.lower is None or is_container(obj) else UNKNOWN
    if isinstance(items, Mapping) and isinstance(index, Const):
        found = items.get(index.value)
        return element(obj) if found is None else settle(obj, found)
    if isinstance(items, Sequence) and (found := items.at(index)) is not None:
        return settle(obj, found)
    return element(obj) if items is not None else UNKNOWN


def held_by_name(obj: Obj, name: str) -> Value | None:
    """Return what a dict of modules holds under a name, which is an attribute of it as well.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html, `add_module`.
    """
    items = obj.attrs.get(CONTAINED)
    found = items.get(name) if isinstance(items, Mapping) else None
    return None if found is None else settle(obj, found)


def is_backbone(base: Instance, name: str) -> bool:
    """Return whether a part of a model of torchvision certainly has parameters."""
    return name in BACKBONES and base.library.startswith("torchvision.models.")


def put(run: Run, base: Instance, index: Value, value: Value, node: ast.AST) -> None:
    """Evaluate `container[index] = value`."""
    obj = run.obj(base)
    items = obj.attrs[CONTAINED]
    added = _part(run, _library_of(base), value, node)
    if isinstance(items, Mapping) and isinstance(index, Const):
        grown: Value = items.with_item(index.value, added)
    elif isinstance(items, Mapping):
        known = [o for o in _parts(items) if o != MISSING]
        grown = Mapping((), choice([*known, added]))
    else:
        grown = Sequence(None, choice([*_parts(items), added]))
    _grow(run, base, grown, added)


def extend(run: Run, base: Instance, name: str, arguments: Arguments) -> None:
    """Evaluate `append`, `extend` or `insert`."""
    position = 1 if name == "insert" else 0
    value = arguments.get(position)
    if value is None:
        return
    given = value.element if isinstance(value, Sequence) else value
    source = arguments.node(position)
    assert source is not None
    added = _part(run, _library_of(base), given, source)
    items = run.obj(base).attrs.get(CONTAINED)
    if isinstance(items, Sequence) and items.items == ():
        _grow(run, base, Sequence(None, added), added)
    else:
        _grow(run, base, Sequence(None, choice([*_parts(items or UNKNOWN), added])), added)


def update(run: Run, base: Instance, arguments: Arguments) -> None:
    """Evaluate `update`: a dict takes what another one holds, or pairs of names and values."""
    given, source = arguments.get(0), arguments.node(0)
    if given is None or source is None:
        return
    taken = given if isinstance(given, Mapping) else Mapping((), UNKNOWN)
    library = _library_of(base)
    for key, value in taken.items:
        added = _part(run, library, value, source)
        _grow(run, base, _entries(run, base).with_item(key, added), added)
    if taken.rest != MISSING:
        added, items = _part(run, library, taken.rest, source), _entries(run, base)
        _grow(run, base, replace(items, rest=choice([items.rest, added])), added)


def _entries(run: Run, base: Instance) -> Mapping:
    """What a `ModuleDict` holds, by name as far as that is known."""
    obj = run.obj(base)
    held = obj.attrs.get(CONTAINED)
    return held if isinstance(held, Mapping) else Mapping((), element(obj))


def _grow(run: Run, base: Instance, items: Value, added: Value) -> None:
    obj = run.obj(base)
    if obj.origin is None:
        excuse(run, added)
    empty = _parts(obj.attrs.get(CONTAINED, UNKNOWN)) in ([UNKNOWN], [MISSING])
    place, stateful = obj.place, obj.stateful
    if isinstance(added, Instance):
        place = run.obj(added).place if empty else obj.place
        stateful = obj.stateful or run.obj(added).stateful
    attrs = {**obj.attrs, CONTAINED: items}
    run.update(base, replace(obj, attrs=attrs, place=place, stateful=stateful))


def view(obj: Obj, name: str) -> Value:
    """Return what `items`, `values`, `keys`, `children` or `named_children` gives."""
    if name == "keys":
        return iterator(Scalar(ScalarKind.STR))
    if name in {"values", "children"}:
        return iterator(element(obj))
    return iterator(sequence([Scalar(ScalarKind.STR), element(obj)], SequenceKind.TUPLE))
