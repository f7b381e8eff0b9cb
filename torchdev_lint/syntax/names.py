"""Names: dotted paths in the syntax, canonical names of library members."""

from __future__ import annotations

import ast
from collections.abc import Set
from itertools import islice

from torchdev_lint.catalog.ecosystem import REEXPORTS
from torchdev_lint.catalog.factories import DTYPES, FACTORIES
from torchdev_lint.catalog.modules import (
    CONTAINERS,
    JOINING,
    LAYERS,
    LAZY_LAYERS,
    LOSSES,
    OPTIONAL_LAYERS,
    STATELESS,
)
from torchdev_lint.syntax.walking import children, walk

_TORCH_MEMBERS = {
    "torch": frozenset(name.removeprefix("torch.") for name in FACTORIES)
    | DTYPES
    | frozenset({"nn", "device", "cat", "stack", "matmul", "optim", "utils", "cuda"}),
    "torch.nn": LAYERS
    | CONTAINERS
    | LOSSES
    | STATELESS
    | JOINING
    | LAZY_LAYERS
    | OPTIONAL_LAYERS.keys()
    | frozenset({"Module", "Parameter", "functional"}),
}
"""What `from torch import *` and `from torch.nn import *` bring, as far as the analysis cares."""

_FUNCTIONAL = "torch.nn.functional"
_CUSTOMARY = {
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "optim": "torch.optim",
    "np": "numpy",
}
"""What an unbound name means in a file with `import *`, under its usual name."""

_MAX_STARRED = 32
"""Of how many modules a file is taken to import all members, at most."""

_LEFT_OUT = {
    "DataLoader": "torch.utils.data.DataLoader",
    "TensorDataset": "torch.utils.data.TensorDataset",
    "Variable": "torch.autograd.Variable",
    "pl": "pytorch_lightning",
}
"""What it means as well where nothing else may have brought it; fastai has its own `DataLoader`."""

_RENAMED = {
    "torch.autograd.Variable": "torch.autograd.Variable",
    "torch.autograd.variable.Variable": "torch.autograd.Variable",
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.nn.parallel.DataParallel": "torch.nn.DataParallel",
    "torch.nn.modules.module.Module": "torch.nn.Module",
    "torch.nn.modules.Module": "torch.nn.Module",
    **{prefix + name: own for prefix, names in REEXPORTS.items() for name, own in names.items()},
}


_HOMES = {
    "torch.functional.": "torch.",
    "torch.autograd.function.": "torch.autograd.",
    "torch.utils.data.dataset.": "torch.utils.data.",
    "torch.utils.data.dataloader.": "torch.utils.data.",
    "pytorch_lightning.metrics.": "torchmetrics.",
}
"""Modules in which functions and classes are, or were, defined, and those that document them.

The last has been a library of its own since version 1.3 of pytorch-lightning.
"""


_MOST_STEPS = 50


def dotted(node: ast.AST) -> str | None:
    """Return `a.b.c` for an attribute chain on a name, None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
        return ".".join(reversed(parts))
    return None


def last_component(node: ast.expr) -> str:
    """Return the last component of a name, or of an attribute of whatever; else nothing."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def path_of(node: ast.AST) -> str | None:
    """Return the access path of a name, attribute or constant subscript, such as `x["a"].b`.

    None for anything else, and for what has more steps than anybody writes.
    """
    parts: list[str] = []
    while not isinstance(node, ast.Name):
        step = _step(node) if len(parts) < _MOST_STEPS else None
        if step is None:
            return None
        part, node = step
        parts.append(part)
    return node.id + "".join(reversed(parts))


def _step(node: ast.AST) -> tuple[str, ast.expr] | None:
    """The last step of an access path, and what stands before it; None for what is none."""
    if isinstance(node, ast.Attribute):
        return f".{node.attr}", node.value
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return None if is_too_large(node.slice) else (f"[{node.slice.value!r}]", node.value)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
        return f"[{node.slice.id}]", node.value
    return None


class Paths:
    """The access paths of the expressions in some code, each made from that of what it reads."""

    def __init__(self) -> None:
        self._known: dict[ast.AST, tuple[str, int] | None] = {}

    def of(self, node: ast.AST) -> str | None:
        """Return what `path_of` does."""
        if isinstance(node, ast.Name):
            return node.id
        steps: list[tuple[ast.AST, str]] = []
        while node not in self._known and (step := _step(node)) is not None:
            steps.append((node, step[0]))
            node = step[1]
        found = (node.id, 0) if isinstance(node, ast.Name) else self._known.get(node)
        for part, last in reversed(steps):
            if found is not None:
                found = (found[0] + last, found[1] + 1) if found[1] < _MOST_STEPS else None
            self._known[part] = found
        return found[0] if found is not None else None


def names_on_the_way(node: ast.AST) -> list[str]:
    """Return the names by which something is looked up, the first variable's first.

    `self.config["train"].get("device", "cpu")` is looked up by `self`, `config`, `train` and
    `device`; empty for what is looked up in another way.
    """
    names: list[str] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        elif (looked_up := _looked_up(node)) is not None:
            node, key = looked_up
            names.append(key)
        else:
            return []
    return [node.id, *reversed(names)]


def _looked_up(node: ast.AST) -> tuple[ast.expr, str] | None:
    """In what something is looked up, and by which name; None where that is not written there."""
    if isinstance(node, ast.Subscript):
        owner, key = node.value, node.slice
    elif not isinstance(node, ast.Call) or not node.args:
        return None
    elif isinstance(node.func, ast.Attribute) and node.func.attr in {"get", "pop"}:
        owner, key = node.func.value, node.args[0]
    elif dotted(node.func) == "getattr" and len(node.args) > 1:
        owner, key = node.args[:2]
    else:
        return None
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return owner, key.value
    return None


def names_in(node: ast.AST) -> set[str]:
    """Return the variables that code mentions."""
    return {part.id for part in walk(node) if isinstance(part, ast.Name)}


def constant_beginning(node: ast.expr) -> str:
    """Return how a string that is made up certainly begins: `f"conv{i}"` begins with `conv`."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return constant_beginning(node.values[0]) if node.values else ""
    if isinstance(node, ast.BinOp):
        text = constant_beginning(node.left)
        return text.partition("%")[0] if isinstance(node.op, ast.Mod) else text
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        text = constant_beginning(node.func.value) if node.func.attr == "format" else ""
        return text.partition("{")[0]
    return ""


def canonical(name: str) -> str:
    """Return the documented name of a library member that was reached by another one."""
    if name in _RENAMED:
        return _RENAMED[name]
    if name.startswith("torch.nn.modules."):
        return "torch.nn." + name.rpartition(".")[2]
    for home, documented in _HOMES.items():
        if name.startswith(home):
            return documented + name.removeprefix(home)
    return name


def star_imported(modules: list[str], module: str) -> list[str]:
    """Return the modules of which all members were imported.

    Args:
        modules: those so far.
        module: another one, whose members hide theirs.

    Returns:
        The last of many, behind an empty name for the others, of which nothing is known.
    """
    found = [*(known for known in modules if known != module), module]
    return found if len(found) <= _MAX_STARRED else ["", *found[1 - _MAX_STARRED :]]


def star_member(name: str, modules: list[str]) -> str | None:
    """Return what a name means that came with `from torch import *` or the like."""
    if modules and name in _CUSTOMARY:
        return _CUSTOMARY[name]
    for module in reversed(modules):
        members = _TORCH_MEMBERS.get(module)
        if members and name in members:
            return f"{module}.{name}"
        if module == _FUNCTIONAL and name.islower():
            return f"{module}.{name}"
    return None


def customary(name: str, has_stars: bool) -> str | None:
    """Return what a name means by custom that nothing in a file binds.

    Questions and notebooks leave imports out that everybody knows, or have them elsewhere.

    Args:
        has_stars: whether the file imports all members of some module.
    """
    return _CUSTOMARY.get(name) or (None if has_stars else _LEFT_OUT.get(name))


def imported_from(node: ast.Import | ast.ImportFrom, libraries: Set[str]) -> list[str]:
    """Return the names that an import binds to libraries, or to something in them.

    Args:
        libraries: the libraries, by the first component of their names.
    """
    if isinstance(node, ast.ImportFrom):
        if (node.module or "").partition(".")[0] not in libraries:
            return []
        return [alias.asname or alias.name for alias in node.names]
    inside = [alias for alias in node.names if alias.name.partition(".")[0] in libraries]
    return [alias.asname or alias.name.partition(".")[0] for alias in inside]


def bound_by(node: ast.AST) -> str | None:
    """Return the name that a node by itself binds, or unbinds, wherever it stands."""
    if isinstance(node, ast.Name):
        return None if isinstance(node.ctx, ast.Load) else node.id
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, ast.alias):
        return None if node.name == "*" else (node.asname or node.name).partition(".")[0]
    if isinstance(node, ast.MatchMapping):
        return node.rest
    # Definitions, handlers, captures of patterns, and parameters of types.
    name = getattr(node, "name", None)
    return name if isinstance(name, str) else None


_MOST_BITS = 10_000
"""How large a number may be to be written out: Python refuses to for more than 4,300 digits.

Source: https://docs.python.org/3/library/stdtypes.html#integer-string-conversion-length-limitation
"""


def is_too_large(node: ast.AST) -> bool:
    """Whether a node is a number that can't be written out."""
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, int) and value.bit_length() > _MOST_BITS


def text_of(node: ast.AST) -> str:
    """Return an expression as source text, "..." where it holds a number that is too large."""
    try:
        return ast.unparse(node)
    except ValueError:
        return "..."


_LONGEST = 50
"""How many nodes an expression has at the most that is written out for a message."""
_IS_LONG = "is long"
"""What a node has that has more: no name of a field."""


def short(node: ast.AST, limit: int = 40) -> str:
    """Return an expression as one short piece of source text, for a message.

    Of a dotted name its end says more than its beginning, of anything else the beginning.
    """
    if isinstance(node, ast.keyword):
        node = node.value
    path = dotted(node)  # many are, and need not be taken apart
    if path is None and is_long(node):
        return f"{short(node.func)}(...)" if isinstance(node, ast.Call) else "..."
    text = path or " ".join(text_of(node).split())
    if len(text) <= limit:
        return text
    if isinstance(node, ast.IfExp):  # neither of both alone is what is meant
        return f"... if {short(node.test, limit - len('... if  else ...'))} else ..."
    return text[: limit - 3] + "..." if path is None else "..." + text[3 - limit :].lstrip(".")


def is_long(node: ast.AST) -> bool:
    """Whether an expression is too long to be written out, which takes time."""
    is_known = any(_IS_LONG in vars(part) for part in children(node))
    if is_known or any(True for _ in islice(walk(node), _LONGEST, None)):
        vars(node)[_IS_LONG] = True  # so that what it is a part of needs not be gone through
        return True
    return False
