"""Which calls put something elsewhere than the rest, going by names.

To the host, where it goes on being a tensor, or to another accelerator than the first one.
"""

from __future__ import annotations

import ast
import re

from torchdev_lint.catalog.devices import ACCELERATOR_TYPES, HOST_TYPE, SETS_DEFAULT
from torchdev_lint.catalog.factories import HOST_ONLY
from torchdev_lint.catalog.generators import GENERATOR_ARGUMENT, SPLITTING
from torchdev_lint.catalog.methods import TO_ACCELERATOR
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import last_component

_READERS = frozenset({"numpy", "item", "tolist", "to", "cuda"})
"""Methods after which a tensor on the host is no more: it is read, or moved once again."""
_NUMBERED = TO_ACCELERATOR | {"device"}
"""Functions that take the number of an accelerator."""
_DRAW = SETS_DEFAULT.union(name.rpartition(".")[2] for name in SPLITTING)
"""Functions by the last component of their names that draw with the generator of the CPU, or have
others draw elsewhere."""
_ANOTHER = re.compile(rf"({'|'.join(sorted(ACCELERATOR_TYPES))}):0*[1-9]\d*")
"""What accelerators are called but the first one."""
_TAKES_STATE, _ASSIGN = "load_state_dict", "assign"
"""What gives a model the tensors of a state, wherever they are, if it is told to."""
_BEFORE_ASSIGN = 2
"""How many arguments it takes before that."""
_TYPES = frozenset(name.rpartition(".")[2] for name in HOST_ONLY)


def may_take_apart(node: ast.Call) -> bool:
    """Whether a call may put something on the host, or another accelerator than the first one.

    Args:
        node: the call: `x.cpu()`, `x.to("cpu")`, `torch.device("cuda:1")`, `x.cuda(1)`,
            `model.load_state_dict(state, assign=True)`.
    """
    if last_component(node.func) in _DRAW or by_keyword(node, GENERATOR_ARGUMENT):
        return True
    if any(map(_is_another, (*node.args, *(keyword.value for keyword in node.keywords)))):
        return True
    if last_component(node.func) in _NUMBERED:
        return any(isinstance(a, ast.Constant) and a.value in range(1, 64) for a in node.args)
    if last_component(node.func) == _TAKES_STATE:
        is_told = bool(by_keyword(node, _ASSIGN)) or len(node.args) > _BEFORE_ASSIGN
        return is_told and isinstance(node.func, ast.Attribute)
    return may_bring_to_host(node)


def may_bring_to_host(node: ast.Call) -> bool:
    """Return whether a call is a move that may go to the host: `x.cpu()`, `x.to("cpu")`."""
    if not isinstance(node.func, ast.Attribute):
        return False
    name = node.func.attr
    if name == "cpu":
        return True
    given = [*node.args[:1], *(keyword.value for keyword in node.keywords)]
    if name == "type":
        return any(last_component(value) in _TYPES or _is_text(value) for value in given)
    return name == "to" and any(may_be_host(value) for value in given)


def read_at_once(node: ast.Call) -> ast.expr | None:
    """Return what a call reads as soon as it is on the host: `x.cpu()` in `x.cpu().numpy()`."""
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr in _READERS:
        return function.value
    return None


def may_be_host(node: ast.expr) -> bool:
    """Return whether what a move is given may be the host: a variable may hold anything."""
    if isinstance(node, ast.Constant):
        return node.value == HOST_TYPE
    if isinstance(node, ast.Call):
        return any(map(may_be_host, node.args[:1]))
    return isinstance(node, ast.Name) and HOST_TYPE in node.id.lower()


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_another(node: ast.expr) -> bool:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return _ANOTHER.fullmatch(node.value) is not None
