"""What bases and shape of a class tell of its instances."""

from __future__ import annotations

import ast
from collections.abc import Container
from sys import stdlib_module_names

from torchdev_lint.catalog.bringing import BRINGS_WHAT_IT_IS_GIVEN
from torchdev_lint.catalog.classes import ClassKind, kinds_of
from torchdev_lint.catalog.ecosystem import LOADER_BASES, MODEL_LIBRARIES, TRANSFORMS
from torchdev_lint.catalog.metrics import COUNTING_METRICS, METRICS
from torchdev_lint.catalog.modules import (
    BUFFERS_OF_BASES,
    CONTAINERS,
    EXECUTION_DEVICE,
    LAYERS,
    LOSSES,
    METRIC_BASES,
    MODEL_ENDINGS,
    MODULE_BASES,
    MOVED_LIKE_MODULES,
    REGISTERING_METHODS,
    RESTORED_BY,
    STATELESS,
    WITH_DEVICE,
)
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.walking import walk

_PREPARING = frozenset({"_prepare_inputs", "_prepare_input", "training_step", "prediction_step"})
"""Methods of a trainer that move inputs, or decide what its `compute_loss` gets."""
_WITHOUT_FORWARD = frozenset({"object", "torch.nn.Module", "abc.ABC"})
"""Bases that say nothing of what is done with an input."""


def is_module(info: ClassInfo) -> bool:
    """Whether instances are `torch.nn.Module`s: by a base, the name of one, or by shape."""
    if info.module is None:
        info.module = _is_module(info)
    return info.module


def _is_module(info: ClassInfo) -> bool:
    if any(map(_is_base_of_modules, info.library_bases())):
        return True
    return _has_foreign_base(info) and _is_shaped_like_a_module(info)


def _is_base_of_modules(name: str) -> bool:
    last = name.rpartition(".")[2]
    if name.startswith("torch.nn.") or last in MOVED_LIKE_MODULES or last.endswith(MODEL_ENDINGS):
        return True
    return is_kind(name, ClassKind.MODULE, MODULE_BASES)


def is_kind(name: str, kind: ClassKind, otherwise: Container[str]) -> bool:
    """Whether a class of a library is of a kind.

    Args:
        name: its dotted name.
        otherwise: the last components that speak for it where its library doesn't tell.
    """
    kinds = kinds_of(name)
    return name.rpartition(".")[2] in otherwise if kinds is None else kind in kinds


def is_metric(info: ClassInfo) -> bool:
    """Whether instances are metrics of torchmetrics, which are modules.

    In its own sources, and in copies of them, its base class is in sight.
    """
    if any(is_kind(name, ClassKind.METRIC, METRIC_BASES) for name in info.library_bases()):
        return True
    return info.lookup("add_state") is not None and is_module(info)


def has_device(info: ClassInfo) -> bool:
    """Whether instances have a `device` from a library, or define it as the library itself does."""
    if any(is_kind(name, ClassKind.DEVICE, WITH_DEVICE) for name in info.library_bases()):
        return True
    return info.lookup(EXECUTION_DEVICE) is not None


def is_restored_by(info: ClassInfo, method: str) -> bool:
    """Whether a class method of a library gives a module of a class that is derived from its own.

    Args:
        method: its name, which no class in sight defines.
    """
    owners = RESTORED_BY.get(method, ())
    return any(base.endswith(owners) for base in info.library_bases())


def is_loader(name: str) -> bool:
    """Whether a class of a library is a data loader."""
    return is_kind(name, ClassKind.LOADER, LOADER_BASES)


def is_autograd_function(info: ClassInfo) -> bool:
    """Whether it is a `torch.autograd.Function`."""
    return any(base.endswith("autograd.Function") for base in info.library_bases())


def extended_layer(info: ClassInfo) -> str | None:
    """The layer of `torch.nn` that a class extends, if all its other bases are in sight.

    `nn.Module`, of which the others may be, comes behind the layer, whatever their order.
    """
    bases = {base for base in info.library_bases() if base not in _WITHOUT_FORWARD}
    if len(bases) != 1 or any(parent.opaque for parent in info.lineage()):
        return None
    (base,) = bases
    owner, _, last = base.rpartition(".")
    return base if owner == "torch.nn" and last in LAYERS else None


def inherits_buffer(info: ClassInfo, attribute: str) -> bool:
    """Whether a base of `torch.nn` has registered a buffer of a name."""
    bases = (name.rpartition(".")[2] for name in info.library_bases())
    return any(attribute in BUFFERS_OF_BASES.get(base, ()) for base in bases)


def is_loss_of_trainer(info: ClassInfo | None, method: str) -> bool:
    """Whether a method gets its model and inputs from a trainer, which has brought them along.

    Source: `training_step` and `prediction_step` of `Trainer` in `transformers/trainer.py`.
    """
    return info is not None and _computes_loss(info, method) and not _prepares_inputs(info)


def is_loss_of_own_inputs(info: ClassInfo, method: str) -> bool:
    """Whether a method gets what the trainer itself has made of its inputs, perhaps on the CPU."""
    return _computes_loss(info, method) and _prepares_inputs(info)


def _computes_loss(info: ClassInfo, method: str) -> bool:
    return trainer_above(info) is not None and method == "compute_loss"


def trainer_above(info: ClassInfo) -> str | None:
    """Return the trainer out of sight that a class inherits from, which brings things along."""
    return next((name for name in info.library_bases() if name in BRINGS_WHAT_IT_IS_GIVEN), None)


def _prepares_inputs(info: ClassInfo) -> bool:
    return any(info.lookup(name) is not None for name in _PREPARING)


def may_have_state(info: ClassInfo) -> bool:
    """Whether a base out of sight is taken to have parameters or buffers: not what only computes.

    Nor has a metric that keeps what it is given in a list; a container has those of its parts. What
    a library computes with modules, as losses, has none unless it is a layer or a model; nor has
    what changes pictures.
    """
    return not all(map(_has_none, info.library_bases()))


def _has_none(name: str) -> bool:
    owner, _, last = name.rpartition(".")
    if is_kind(name, ClassKind.METRIC, METRIC_BASES):
        return f"{METRICS}.{last}" not in COUNTING_METRICS
    if name.startswith(TRANSFORMS):
        return True
    kinds = kinds_of(name)
    if kinds is not None and not name.startswith(MODEL_LIBRARIES):
        return ClassKind.LAYER not in kinds
    return owner.startswith("torch.nn") and last in STATELESS | LOSSES | CONTAINERS


def _has_foreign_base(info: ClassInfo) -> bool:
    """Whether a base is out of sight that may be a module, as none of the standard library is."""
    foreign = (name.partition(".")[0] not in stdlib_module_names for name in info.library_bases())
    return any(foreign) or any(parent.opaque for parent in info.lineage())


def _is_shaped_like_a_module(info: ClassInfo) -> bool:
    """Whether it has a `forward`, and an `__init__` that builds layers of `torch.nn`."""
    if info.lookup("forward") is None:
        return False
    inits = (parent.methods().get("__init__") for parent in info.lineage())
    return any(init is not None and _builds_a_layer(init) for init in inits)


def _builds_a_layer(init: ast.AST) -> bool:
    """Whether `__init__` gives the object layers or state as `torch.nn.Module` keeps them."""
    for node in walk(init):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in REGISTERING_METHODS and dotted(node.func.value) == "self":
                return True
        if isinstance(node, ast.Assign):
            targets: list[ast.expr] = node.targets
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        else:
            continue
        if any(isinstance(target, ast.Attribute) for target in targets):
            assert node.value is not None
            if any(_is_layer(part.func) for part in walk(node.value) if isinstance(part, ast.Call)):
                return True
    return False


def builds_state(info: ClassInfo) -> bool:
    """Whether the `__init__` of a class in sight, or of a base, builds parameters or buffers."""
    if info.builds_state is None:
        inits = (parent.methods().get("__init__") for parent in info.lineage())
        parts = (part for init in inits if init is not None for part in walk(init))
        info.builds_state = any(map(_has_state, parts))
    return info.builds_state


def _has_state(node: ast.AST) -> bool:
    """Whether a call builds a layer or parameter, or registers a buffer."""
    if not isinstance(node, ast.Call):
        return False
    owner, _, last = (dotted(node.func) or "").rpartition(".")
    if last in LAYERS or last == "Parameter":
        return not owner or owner.endswith("nn")
    return owner == "self" and last in {"register_buffer", "register_parameter"}


def builds_container(value: ast.expr) -> bool:
    """Whether an expression builds a module that holds others, going by its name."""
    return isinstance(value, ast.Call) and last_component(value.func) in CONTAINERS


def _is_layer(callee: ast.expr) -> bool:
    owner, _, last = (dotted(callee) or "").rpartition(".")
    known = last in LAYERS or last in CONTAINERS or last == "Parameter"
    return owner in {"nn", "torch.nn"} or (known and (not owner or owner.endswith("nn")))
