"""What annotations say about values."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.arrays import AXES, AXES_CLASSES
from torchdev_lint.catalog.classes import STRUCTURE, ClassKind, kinds_of
from torchdev_lint.catalog.ecosystem import JAXTYPING, LOADERS
from torchdev_lint.catalog.factories import TENSOR_CLASSES
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.imported import ProjectModule
from torchdev_lint.placement.domain.joins import choice, sequence
from torchdev_lint.placement.domain.values import (
    LISTED,
    NO_TENSOR,
    NONE,
    UNKNOWN,
    Bundle,
    ClassValue,
    DeviceValue,
    DtypeValue,
    Library,
    Place,
    Scalar,
    ScalarKind,
    Tensor,
    TypeForm,
    Value,
)
from torchdev_lint.placement.evidence.bringing_back import brings_back
from torchdev_lint.placement.evidence.classes import builds_state, is_loader, is_module
from torchdev_lint.placement.python.iteration import loader_out_of_sight
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import dotted, last_component

_SCALARS = {
    "int": ScalarKind.INT,
    "float": ScalarKind.FLOAT,
    "bool": ScalarKind.BOOL,
    "str": ScalarKind.STR,
    "Number": ScalarKind.FLOAT,
    "bytes": ScalarKind.STR,
}
_LISTS = frozenset({"List", "list", "Sequence", "Iterable", "Tuple", "tuple", "Set", "Collection"})
_PLAIN_LISTS = frozenset({"builtins.list", "typing.List"})
"""Those that say of the whole what it is, where they say nothing of its elements."""
_ANYTHING = frozenset({"Any", "object"})
"""Types of which everything is."""
_STREAMS = frozenset({"Iterator", "AsyncIterator", "Generator", "AsyncGenerator"})
"""What gives one thing after the other, as loaders do: on the host, or where somebody moves it."""
_DICTS = frozenset({"Dict", "dict", "Mapping", "MutableMapping", "OrderedDict"})


def annotated_value(run: Run, annotation: ast.expr | None, place: Place) -> Value:
    """Return what a parameter holds, judged by its annotation alone.

    Args:
        annotation: the annotation, if there is one.
        place: where tensors that come in this way live.

    Returns:
        The value; unknown where the annotation says nothing about placement.
    """
    annotation = _written(annotation)
    if annotation is None:
        return UNKNOWN
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return _union(run, [annotation.left, annotation.right], place)
    if isinstance(annotation, ast.Subscript):
        return _generic(run, annotation, place)
    if isinstance(annotation, ast.Constant) and annotation.value is None:
        return NONE
    return _plain(run, annotation, place)


def _written(annotation: ast.expr | None) -> ast.expr | None:
    """An annotation, or what stands in it as a text; None if that is no expression."""
    if not (isinstance(annotation, ast.Constant) and isinstance(annotation.value, str)):
        return annotation
    try:
        return ast.parse(annotation.value, mode="eval").body
    except SyntaxError:
        return None


def annotated_class(run: Run, annotation: ast.expr | None) -> ClassInfo | None:
    """Return the class in sight that a parameter is annotated with, None if that is none.

    Args:
        annotation: the annotation, if there is one.
    """
    annotation = _written(annotation)
    name = dotted(annotation) if annotation is not None else None
    if annotation is None or name is None:
        return None
    meaning = _meaning(run, annotation, name)
    return meaning.info if isinstance(meaning, ClassValue) else None


def says_nothing(annotation: ast.expr | None) -> bool:
    """Return whether an annotation leaves open what a parameter holds, as if there were none.

    `Any` does, and so does what only tells of axes: `Float["batch n 3"]`.
    """
    if annotation is None or isinstance(annotation, ast.Constant):
        return annotation is None or annotation.value is None
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return says_nothing(annotation.left) and says_nothing(annotation.right)
    if isinstance(annotation, ast.Subscript):
        if last_component(annotation.value) == "Optional":
            return says_nothing(annotation.slice)
        return last_component(annotation.value) != "Literal" and _tells_axes(annotation.slice)
    return last_component(annotation) in _ANYTHING


def _tells_axes(node: ast.expr) -> bool:
    """Whether a text names several axes: no type has such a name."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    return any(isinstance(text, str) and (" " in text or "..." in text) for text in texts)


def _union(run: Run, members: list[ast.expr], place: Place) -> Value:
    values = [annotated_value(run, member, place) for member in members]
    rest = [_one_of_several(value) for value in values if value != NONE]
    if Tensor(place) in rest:
        rest = [NO_TENSOR if value == UNKNOWN else value for value in rest]
    return choice(rest) if rest else NONE


def _one_of_several(value: Value) -> Value:
    """What one of several types tells: a device that may be left out is none for certain."""
    return UNKNOWN if isinstance(value, DeviceValue) else value


def _generic(run: Run, annotation: ast.Subscript, place: Place) -> Value:
    name = (dotted(annotation.value) or "").rpartition(".")[2]
    inner = annotation.slice
    members = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name in {"Tuple", "tuple"} and not any(_is_ellipsis(m) for m in members):
        return sequence([annotated_value(run, m, place) for m in members], SequenceKind.TUPLE)
    if not members:
        return UNKNOWN
    if name == "Optional":
        return _one_of_several(annotated_value(run, inner, place))
    if name == "Union":
        return _union(run, members, place)
    if name == "Annotated" or name in JAXTYPING:
        return annotated_value(run, members[0], place)
    if name in _STREAMS:
        return Sequence(None, annotated_value(run, members[0], Place.UNKNOWN))
    if name in _LISTS:
        return Sequence(None, annotated_value(run, members[0], place))
    if name in _DICTS:
        return Mapping((), annotated_value(run, members[-1], place))
    return _plain(run, annotation.value, place)


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _plain(run: Run, annotation: ast.expr, place: Place) -> Value:
    name = dotted(annotation) or ""
    last = name.rpartition(".")[2]
    if last in TENSOR_CLASSES:
        if _is_namesake(_meaning(run, annotation, name)):
            return NO_TENSOR
        return Tensor(place, scalar=False if place is Place.ACCELERATOR else None)
    if last in _SCALARS:
        return Scalar(_SCALARS[last])
    if last == "dtype":
        return DtypeValue()
    meaning = _meaning(run, annotation, name)
    if isinstance(meaning, Library) and meaning.name in _PLAIN_LISTS:
        return LISTED
    if isinstance(meaning, TypeForm):
        return _generic(run, meaning.node, place)
    if isinstance(meaning, ClassValue) and run.frames and is_module(meaning.info):
        return _module_of_class(run, meaning.info, place)
    return _library_class(run, meaning.name if isinstance(meaning, Library) else name, place)


def _meaning(run: Run, annotation: ast.expr, name: str) -> Value:
    """What the name in an annotation stands for: a class, or a type that is written out elsewhere.

    Args:
        name: the dotted name.
    """
    root, _, rest = name.partition(".")
    if not (run.frames and root):
        return UNKNOWN
    owner = run.look_up(root)
    if rest and isinstance(owner, Library):
        return Library(f"{owner.name}.{rest}")
    if rest and isinstance(owner, (ClassValue, ProjectModule)):
        return run.evaluate(annotation)
    return owner


def declares_number(run: Run, annotation: ast.expr | None, name: str) -> bool:
    """Return whether a class that an annotation names declares an attribute to be a number.

    Args:
        annotation: of a parameter; None if it has none.
        name: the attribute's.
    """
    meaning = UNKNOWN if annotation is None else _meaning(run, annotation, dotted(annotation) or "")
    declared = meaning.info.declared(name) if isinstance(meaning, ClassValue) else None
    return isinstance(declared, ast.Name) and declared.id in {"int", "float"}


def _is_namesake(meaning: Value) -> bool:
    """Whether a name means a class of the project that no class out of sight is above."""
    return isinstance(meaning, ClassValue) and not any(
        parent.opaque or parent.libraries for parent in meaning.info.lineage()
    )


def _module_of_class(run: Run, info: ClassInfo, place: Place) -> Value:
    """A module of a class in sight, or of one that inherits from it, which other code has built.

    What it computes is where it is, unless its `forward` brings that back. What it is called with
    it may move itself.
    """
    if brings_back(info):
        return UNKNOWN
    has_state = builds_state(info)
    if place is Place.GIVEN:
        return run.allocate(Obj(place, module=True, stateful=has_state or None), None)
    if place is Place.ACCELERATOR and has_state:
        return run.allocate(Obj(place, module=True, stateful=True, moves_inputs=True), None)
    return UNKNOWN


def _library_class(run: Run, name: str, place: Place) -> Value:
    """What a parameter holds that is annotated with a class out of sight.

    A device is the one that the user runs on, as it is where only its name tells that it is one.
    """
    if name == "torch.device":
        return DeviceValue(Place.ACCELERATOR)
    if name in AXES_CLASSES:
        return Library(AXES)
    if name in LOADERS or is_loader(name):
        return loader_out_of_sight(run, Bundle(Place.HOST))
    kinds = kinds_of(name)
    if kinds == STRUCTURE:
        return Bundle(place, in_place=True)
    if kinds is None and name.rpartition(".")[2] == "Module" and run.frames:
        return run.allocate(Obj(place, module=True, stateful=True), None)
    if ClassKind.MODULE in (kinds or ()) and run.frames:
        return run.allocate(Obj(place, module=True), None, name)
    return UNKNOWN
