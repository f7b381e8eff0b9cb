"""What attributes give."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.arrays import HAVE_NUMBERS, HELD_NUMBERS, NUMBERS, OF_NUMBERS
from torchdev_lint.catalog.devices import BEGINNING, GIVEN_SETTINGS, IS_THERE
from torchdev_lint.catalog.factories import DOUBLE, DTYPES
from torchdev_lint.catalog.methods import (
    FLAG_ATTRIBUTES,
    NUMBER_ATTRIBUTES,
    ON_HOST_ALWAYS,
    SAME_TENSOR,
    STRUCTURE_METHODS,
    TENSOR_ATTRIBUTES,
    TENSOR_METHODS,
    may_be_of_tensor,
)
from torchdev_lint.placement.defects.failing import fails, lacks_attribute
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.imported import ProjectModule
from torchdev_lint.placement.domain.joins import choice, size_of
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.values import (
    ARGUMENT,
    ARRAY,
    ITEM,
    NUMERIC,
    UNKNOWN,
    Bundle,
    Choice,
    ClassValue,
    Const,
    DeviceValue,
    DtypeValue,
    Function,
    Instance,
    Library,
    Loader,
    Method,
    Place,
    Scalar,
    ScalarKind,
    Size,
    Super,
    Tensor,
    Unknown,
    Value,
)
from torchdev_lint.placement.evidence.classes import (
    is_autograd_function,
    is_restored_by,
)
from torchdev_lint.placement.python.chosen_parts import as_chosen
from torchdev_lint.placement.python.containers import named_part
from torchdev_lint.placement.python.devices import asked_here, may_be_setting
from torchdev_lint.placement.python.holding import read_here
from torchdev_lint.placement.python.iteration import part_of
from torchdev_lint.placement.python.namespaces import (
    give_namespace,
    namespace_of,
)
from torchdev_lint.placement.python.object_attributes import (
    bind_method,
    instance_attribute,
    place_of_any,
)
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import canonical, names_in
from torchdev_lint.syntax.namespaces import NAMESPACE
from torchdev_lint.syntax.scopes import FUNCTIONS, parameter_names

_OF_DEVICES = frozenset({"type", BEGINNING})
"""What a device is asked for, and its name as a text."""
_ARRAYS: dict[str, Value] = {
    "T": ARRAY, "shape": Size(False), "size": Scalar(ScalarKind.INT), "ndim": Scalar(ScalarKind.INT)
}  # fmt: skip
"""What attributes of an array with an axis give."""


def attribute(run: Run, base: Value, node: ast.Attribute) -> Value:
    """Evaluate an attribute of a value.

    Args:
        base: what the attribute is read from.
        node: the expression.
    """
    if not isinstance(base, Choice):
        return _attribute_of(run, base, node)
    value = choice([_attribute_of(run, option, node) for option in base.options])
    goes_by_place = node.attr in IS_THERE and isinstance(value, Choice)
    return Scalar(ScalarKind.PLACE) if goes_by_place else value


def _attribute_of(run: Run, base: Value, node: ast.Attribute) -> Value:
    name = node.attr
    if isinstance(base, Library) and lacks_attribute(base.name, name):
        fails(run, node)
    if isinstance(base, (Library, ProjectModule)):
        return _imported_member(run, base, name)
    if isinstance(base, Tensor):
        value = _tensor_attribute(base, name)
        is_asked = base.registered and value == DeviceValue(Place.HOST)
        return asked_here(run, node) if is_asked else value
    if isinstance(base, Bundle):
        return _bundle_attribute(base, node)
    if isinstance(base, Instance):
        return _attribute_at(run, base, node)
    if isinstance(base, ClassValue):
        return _class_attribute(base, name)
    if isinstance(base, DeviceValue) and name in _OF_DEVICES:
        return _device_type(base.place) if name == "type" else Method(base, name)
    if isinstance(base, (Sequence, Mapping, Loader, Size, Const, Scalar)):
        return named_part(base, name) or Method(base, name)
    if isinstance(base, (Unknown, Method, Super)):
        return _unknown_attribute(run, base, node)
    return UNKNOWN


def _attribute_at(run: Run, base: Instance, node: ast.Attribute) -> Value:
    """An attribute of an object, for the code that reads it there."""
    if node.attr == NAMESPACE:
        give_namespace(run, base, node)
    return read_here(run, as_chosen(run, instance_attribute(run, base, node.attr)), node)


def _unknown_attribute(run: Run, base: Unknown | Method | Super, node: ast.Attribute) -> Value:
    """An attribute of something that is not known, but perhaps was handed to `forward`."""
    if node.attr in ON_HOST_ALWAYS:
        return Tensor(Place.HOST, scalar=False)
    if base == ARRAY:
        return _ARRAYS.get(node.attr) or Method(base, node.attr)
    if base == NUMERIC and node.attr in HELD_NUMBERS | OF_NUMBERS:
        return NUMERIC if node.attr in HELD_NUMBERS else Method(base, node.attr)
    if base in (ARGUMENT, ITEM):
        if node.attr in SAME_TENSOR:
            return base
        if node.attr not in TENSOR_ATTRIBUTES | TENSOR_METHODS:
            return ITEM
    if node.attr == "shape":
        return Size(None)  # whatever has one, its parts are numbers
    if node.attr == "device" and not may_be_setting(run, node):
        is_handed = base in (ARGUMENT, ITEM) and run.frame.in_forward
        return DeviceValue((_place_handed if is_handed else _place_of_part)(run, node))
    if node.attr in IS_THERE and not may_be_setting(run, node):
        return Scalar(ScalarKind.PLACE)
    return Method(base if isinstance(base, Super) else UNKNOWN, node.attr)


def _place_handed(run: Run, node: ast.Attribute) -> Place:
    """Where something is that `forward` was handed, and that is asked for its device.

    As where a variable is that holds it: with the module, unless it is moved in parts.
    """
    off = run.file.off_accelerator(run.frame.node)
    return Place.UNKNOWN if off.intersection(names_in(node.value)) else Place.ACCELERATOR


def _place_of_part(run: Run, node: ast.Attribute) -> Place:
    """Where something unknown lives that is asked for its device: a module's part, or anything.

    In a function that is wherever its caller has it: what is moved there, or made there, is no more
    on the host for certain than the arguments are.
    """
    bound = run.frame.bound
    if isinstance(bound, Instance) and run.obj(bound).module and run.frame.in_forward:
        if any(run.look_up(name) == bound for name in names_in(node.value)):
            return run.obj(bound).place
    if _was_handed_on(run, node.value):
        return Place.UNKNOWN
    return place_of_any(run)


def _was_handed_on(run: Run, value: ast.expr) -> bool:
    """Whether something unknown is what code in sight has called a function with.

    It may have been computed there, of whatever: that is not where the entry point's caller is.
    """
    if run.entry is None or not isinstance(value, ast.Name):
        return False
    for frame in (run.frame, *run.frame.closure[:-1]):
        is_function = isinstance(frame.node, (*FUNCTIONS, ast.Lambda))
        if is_function and value.id in parameter_names(frame.node):
            return frame.node is not run.entry
    return False


def _class_attribute(base: ClassValue, name: str) -> Value:
    found = base.info.lookup(name)
    if isinstance(found, Function):
        return bind_method(found, base, static=True)
    if found is None and name == "apply" and is_autograd_function(base.info):
        forward = base.info.lookup("forward")
        if isinstance(forward, Function) and base.info.lookup("setup_context") is None:
            return replace(forward, bound=Scalar(ScalarKind.OTHER))
    if found is None and is_restored_by(base.info, name):
        return Method(base, name)
    return UNKNOWN if found is None else found


def _imported_member(run: Run, module: Library | ProjectModule, name: str) -> Value:
    if name == NAMESPACE and (namespace := namespace_of(module)) is not None:
        return namespace
    if isinstance(module, ProjectModule):
        return run.member(run, module, name)
    return library_member(module.name, name)


def library_member(module: str, name: str) -> Value:
    """Return a member of an imported library."""
    if module == "torch" and name in DTYPES:
        return DtypeValue(double=name in DOUBLE)
    if name in NUMBERS and module in HAVE_NUMBERS:
        return Scalar(ScalarKind.FLOAT)
    return Library(canonical(f"{module}.{name}"))


def _device_type(place: Place) -> Value:
    if place.is_device:
        return Const("cuda")
    return Const("cpu") if place is Place.HOST else Scalar(ScalarKind.STR)


def device_of(base: Tensor | Bundle) -> DeviceValue:
    """Return the device of a tensor, which for one on the host is that of what made it.

    That of a parameter is where its module is, which may be moved.
    """
    if base.place is not Place.HOST or (isinstance(base, Tensor) and base.registered):
        return DeviceValue(base.place)
    return DeviceValue(base.place, origin=base.origin, entered=base.entered)


def _tensor_attribute(base: Tensor, name: str) -> Value:
    if name == "device":
        return device_of(base)
    if name == "dtype":
        return DtypeValue()
    if name == "shape":
        return size_of(base)
    if name in {"is_cuda", "is_cpu"} and (base.place is Place.HOST or base.place.is_device):
        return Const(base.place.is_device is (name == "is_cuda"))
    if name in NUMBER_ATTRIBUTES:
        return Scalar(ScalarKind.INT)
    if name in FLAG_ATTRIBUTES:
        return Scalar(ScalarKind.PLACE if name in IS_THERE else ScalarKind.BOOL)
    if name in SAME_TENSOR:
        return replace(base, registered=False)
    if not may_be_of_tensor(name):
        return UNKNOWN  # set on it by the code, or of an object that was taken for a tensor
    return Method(base, name)


def _bundle_attribute(base: Bundle, node: ast.Attribute) -> Value:
    name = node.attr
    if name == "device":
        is_setting = base.origin is not None and base.origin.kind is OriginKind.CHECKPOINT
        return DeviceValue(Place.UNKNOWN) if is_setting else device_of(base)
    if name == "shape":
        return Size(False)
    if name in {"is_cuda", "is_cpu"} and (base.place is Place.HOST or base.place.is_device):
        return Const(base.place.is_device is (name == "is_cuda"))
    if name == "dtype":
        return DtypeValue()
    if name in {"data", "T"}:
        return base
    if name in ON_HOST_ALWAYS:
        return Tensor(Place.HOST, scalar=False)
    if name in STRUCTURE_METHODS:
        return Method(base, name)
    if name in GIVEN_SETTINGS:
        return UNKNOWN  # it was a model that was moved, out of sight
    if base.part and base.place.is_device:
        # what has further attributes is no plain tensor, and these may be of any type
        base = replace(base, supposed=True)
    return part_of(base, name, node)
