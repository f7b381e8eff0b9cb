"""Files whose code brings nothing to an accelerator, whatever devices they name, choose or find."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.devices import (
    ACCELERATOR_TYPES,
    DEVICE_NAMES,
    SET_DEFAULT_WHEN_IMPORTED,
    SETS_DEFAULT,
)
from torchdev_lint.catalog.factories import DTYPES
from torchdev_lint.catalog.methods import MOVES_TO_DEVICE
from torchdev_lint.placement.evidence.devices import is_of_tensor
from torchdev_lint.placement.evidence.host_files import BRINGS_BY_ITSELF, words_of
from torchdev_lint.placement.evidence.host_settings import is_host
from torchdev_lint.placement.evidence.neighbours import module_name, programs_with
from torchdev_lint.project.files import parsed_file
from torchdev_lint.project.seen import remembered
from torchdev_lint.project.users import files_that_name
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import root_name
from torchdev_lint.syntax.scripts import is_main_guard
from torchdev_lint.syntax.walking import walk

_BRINGING = BRINGS_BY_ITSELF | SETS_DEFAULT | SET_DEFAULT_WHEN_IMPORTED
"""Words for what brings models to an accelerator, or has them built there."""
_ONLY_TELL = frozenset({"device", "print", "format", "str", "isinstance", "getattr", "hasattr"})
"""Functions that are told of a device and bring nothing to it."""
_DTYPE = "dtype"
"""What a type is called that isn't written out: `x.dtype`, `self.dtype`."""
_OF_TENSORS = "Tensor"
"""How the names of types end that make tensors on an accelerator, `torch.cuda.FloatTensor`."""


@remembered
def brings_nothing(path: str) -> bool:
    """Return whether the code of a file brings nothing to an accelerator.

    It may choose a device, seed it, and ask whether there is one: only where something is moved,
    made or built on it, or another function is told of it, something may live there.

    Args:
        path: the file, absolute; empty if that is not known.
    """
    file = parsed_file(path) if path else None
    return file is not None and not any(map(brings, walk(file.tree)))


@remembered
def is_script_of_host(path: str) -> bool:
    """Return whether a file is run as a script, and brings nothing to an accelerator.

    What its functions are given is on the CPU then, unless other files call them.

    Args:
        path: the file, absolute; empty if that is not known.
    """
    file = parsed_file(path) if path else None
    if file is None or not any(map(is_main_guard, file.tree.body)) or not brings_nothing(path):
        return False
    users = files_that_name(path, [module_name(path)])
    return users.complete and all(program == path for program in programs_with(path))


def brings(node: ast.AST) -> bool:
    """Return whether a node may bring something to an accelerator, or tells what does so itself."""
    if not _BRINGING.isdisjoint(words_of(node)):
        return True
    if isinstance(node, ast.Attribute):
        return node.attr.endswith(_OF_TENSORS) and _is_accelerator(node.value)
    if isinstance(node, ast.withitem):
        context = node.context_expr
        return isinstance(context, ast.Call) and _is_device(context.func)
    if isinstance(node, ast.Assign):
        return not is_host(node.value) and any(map(_is_setting, node.targets))
    if isinstance(node, ast.Dict):
        keyed = zip(node.keys, node.values, strict=True)
        return any(isinstance(k, ast.Constant) and _is_given(k.value, v) for k, v in keyed)
    return isinstance(node, ast.Call) and _moves_or_tells(node)


def _is_setting(target: ast.expr) -> bool:
    """Whether an assignment sets the device of something else: `settings.device = pick()`."""
    is_own = root_name(target) == "self"
    return isinstance(target, ast.Attribute) and target.attr in DEVICE_NAMES and not is_own


def _moves_or_tells(call: ast.Call) -> bool:
    """Whether a call moves something to a device that isn't the CPU, or tells a function of one."""
    name = last_component(call.func)
    if any(_is_given(keyword.arg, keyword.value) for keyword in call.keywords):
        return True
    if isinstance(call.func, ast.Attribute) and name in MOVES_TO_DEVICE:
        told = [*call.args, *(k.value for k in call.keywords if k.arg not in {"non_blocking"})]
        return not told or not all(map(_leaves_place, told))
    if name in _ONLY_TELL or _is_accelerator(getattr(call.func, "value", call.func)):
        return False
    return any(_is_device(value) or _names_accelerator(value) for value in call.args)


def _leaves_place(given: ast.expr) -> bool:
    """Whether what a move is told brings nothing away: the CPU, a type, or another tensor."""
    name = last_component(given)
    return is_host(given) or name in DTYPES or name == _DTYPE or is_of_tensor(given)


def _is_given(name: object, value: ast.expr) -> bool:
    """Whether a name is given a device that may be an accelerator."""
    is_none = isinstance(value, ast.Constant) and value.value is None
    return name in DEVICE_NAMES and not (is_none or is_host(value) or is_of_tensor(value))


def _is_device(node: ast.expr) -> bool:
    return last_component(node) in DEVICE_NAMES and not is_of_tensor(node)


def _names_accelerator(node: ast.expr) -> bool:
    """Whether a text names an accelerator: `"cuda:0"`."""
    return isinstance(node, ast.Constant) and not ACCELERATOR_TYPES.isdisjoint(words_of(node))


def _is_accelerator(node: ast.expr) -> bool:
    """Whether an expression is a module of PyTorch for an accelerator: `torch.cuda`."""
    return isinstance(node, ast.Attribute) and node.attr in ACCELERATOR_TYPES
