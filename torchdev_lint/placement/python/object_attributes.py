"""What objects of classes, and modules, give when they are asked for attributes."""

from __future__ import annotations

from torchdev_lint.catalog.bringing import HELD_BY_TRAINERS, INPUT_PREPARATION
from torchdev_lint.catalog.ecosystem import LIBRARY_METHODS
from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.catalog.modules import (
    DEVICE_PROPERTIES,
    HANDS_OUT_PARTS,
    STATE_ATTRIBUTES,
    WITH_WEIGHT,
)
from torchdev_lint.placement.defects.rebuilt import excuse_reading
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping
from torchdev_lint.placement.domain.heap import Obj, is_left, settle, unsettled
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import (
    PART,
    UNKNOWN,
    UNSET,
    ClassValue,
    Const,
    DeviceValue,
    DtypeValue,
    Function,
    Instance,
    Library,
    Method,
    Place,
    Scalar,
    ScalarKind,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.classes import (
    has_device,
    trainer_above,
)
from torchdev_lint.placement.python import functions
from torchdev_lint.placement.python.bases import build_bases
from torchdev_lint.placement.python.holding import with_holder
from torchdev_lint.placement.python.left_behind import let_go
from torchdev_lint.placement.python.module_containers import (
    element,
    held_by_name,
    is_backbone,
    is_container,
)
from torchdev_lint.placement.python.namespaces import forget_attributes
from torchdev_lint.placement.python.own_optimizers import of_optimizer
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace

_PARTS = HANDS_OUT_PARTS - {"apply"}
"""What gives parts of a module to whoever reads it."""


def instance_attribute(run: Run, base: Instance, name: str) -> Value:
    """Return an attribute of an object: what was assigned, else what its class defines."""
    obj = run.obj(base)
    found = None if base.cls is None else base.cls.lookup(name)
    if obj.origin is not None and found is None:
        excuse_reading(run, base, obj, name)
    if run.leaves_modules and name in _PARTS and is_left(obj):
        let_go(run, base)
    if isinstance(found, Function) and functions.decorated(found.node, "property"):
        value = _of_class(run, base, found)  # whatever a module has registered by that name
        asks_parts = name in DEVICE_PROPERTIES and not obj.module
        return _device_asked_for(run, value) if asks_parts else value
    if name in obj.attrs:
        return _as_it_was_set(run, base, obj, name)
    if name in DEVICE_PROPERTIES and not obj.module and base.cls and has_device(base.cls):
        return DeviceValue(Place.ACCELERATOR)  # where models are, as with those of modules
    if found is not None:
        return _of_class(run, base, found)
    if obj.module:
        again = build_bases(run, base, name)
        return instance_attribute(run, base, name) if again else _module_attribute(obj, base, name)
    held = _held_by_trainer(run, base, name) or of_optimizer(base, name)
    if held is not None:
        return held
    if name in MOVES and base.cls is not None and base.cls.library_bases():
        forget_attributes(run, base)  # which a method that is out of sight moves
    known = name in MOVES or name in LIBRARY_METHODS.get(base.library, ())
    return Method(base, name) if known else UNKNOWN


def _held_by_trainer(run: Run, base: Instance, name: str) -> Value | None:
    """What an object has from a trainer out of sight that its class inherits from."""
    if name not in HELD_BY_TRAINERS or base.cls is None or trainer_above(base.cls) is None:
        return preparation_above(base, name)
    device: dict[str, Value] = {"device": DeviceValue(Place.ACCELERATOR)}
    held = run.allocate(Obj(Place.UNKNOWN, attrs=device), None, HELD_BY_TRAINERS[name])
    run.update(base, run.obj(base).with_attributes({**run.obj(base).attrs, name: held}))
    return held


def preparation_above(base: Instance, name: str) -> Library | None:
    """Return the method of a trainer out of sight that brings inputs along, if that is asked for.

    Args:
        base: an object of a class that may inherit from such a trainer.
        name: the method.
    """
    if name != INPUT_PREPARATION or base.cls is None:
        return None
    trainer = trainer_above(base.cls)
    return None if trainer is None else Library(f"{trainer}.{name}")


def _device_asked_for(run: Run, value: Value) -> Value:
    """What a property gives that asks the parts of an object for their device.

    Where that isn't known, it is as with what is out of sight.
    """
    options = alternatives(value)
    is_open = any(o == DeviceValue(Place.UNKNOWN) or isinstance(o, Unknown) for o in options)
    return DeviceValue(place_of_any(run)) if is_open else value


def _as_it_was_set(run: Run, base: Instance, obj: Obj, name: str) -> Value:
    """What an object has been given, as far as that is sure to be there still."""
    is_new = getattr(run.frame.node, "name", "") == "__init__" and run.frame.bound == base
    raw = unsettled(obj.attrs[name]) if is_new and obj.module else obj.attrs[name]
    value = _set_or_inherited(run, base, name, settle(obj, raw))
    if obj.module and value == UNKNOWN:
        return PART
    value = with_holder(run, base, name, value)
    return choice([value, UNKNOWN]) if obj.is_shaky(name) else value


def _set_or_inherited(run: Run, base: Instance, name: str, value: Value) -> Value:
    """What an attribute holds that some path may not have set.

    There it is what the class defines, or else can't be read at all. What a class out of sight
    does about that is not known.
    """
    options = alternatives(value)
    if UNSET not in options:
        return value
    were_set = [option for option in options if option != UNSET]
    found = None if base.cls is None else base.cls.lookup(name)
    if found is not None:
        return choice([*were_set, _of_class(run, base, found)])
    if base.cls is None or base.cls.lookup("__getattr__") is not None:
        return choice([*were_set, UNKNOWN])
    is_seen = not any(info.opaque for info in base.cls.lineage())
    return choice(were_set) if is_seen and were_set else choice([*were_set, UNKNOWN])


def _of_class(run: Run, base: Instance, found: Value) -> Value:
    """What an object has from its class: a method is bound to it, a property asked."""
    if not isinstance(found, Function):
        return found
    bound = bind_method(found, base)
    if functions.decorated(found.node, "property", "cached_property"):
        return functions.call_function(run, bound, Arguments())
    return bound


def bind_method(function: Function, base: Value, static: bool = False) -> Function:
    """Bind a function that was found in a class to what it was read from.

    Args:
        static: whether it was read from the class itself.
    """
    if functions.decorated(function.node, "staticmethod"):
        return function
    if functions.decorated(function.node, "classmethod"):
        owner = base.cls if isinstance(base, Instance) else None
        return replace(function, bound=ClassValue(owner) if owner else base)
    return function if static else replace(function, bound=base)


def _inherits_weight(base: Instance) -> bool:
    """Whether an object of a class of the file has the `weight` of a layer that it extends."""
    if base.cls is None or any(info.opaque for info in base.cls.lineage()):
        return False
    bases = (name.rpartition(".") for name in base.cls.library_bases())
    return any(owner.startswith("torch.nn") and last in WITH_WEIGHT for owner, _, last in bases)


def _module_attribute(obj: Obj, base: Instance, name: str) -> Value:
    if (held := held_by_name(obj, name)) is not None:
        return held
    if name == "weight" and not obj.is_shaky(name) and _inherits_weight(base):
        return Tensor(obj.place, scalar=False, registered=True)
    if is_backbone(base, name):
        return base  # it has the weights that count, and moves with it
    if name == "device":
        return DeviceValue(obj.place)
    if name in STATE_ATTRIBUTES and base.cls is None:
        return Tensor(obj.place, scalar=False, origin=obj.origin, registered=True)
    if name == "_modules":
        return Mapping((), element(obj) if is_container(obj) else PART)
    if name == "training":
        return Const(True) if is_left(obj) else Scalar(ScalarKind.BOOL)  # as it was built
    if name == "dtype":
        return DtypeValue()
    return Method(base, name)


def place_of_any(run: Run) -> Place:
    """Where what is asked for its device may be, if nothing else is known of it."""
    may_be_given = run.entry is not None and not (run.serves_host or run.frame.in_forward)
    return Place.GIVEN if may_be_given else Place.UNKNOWN
