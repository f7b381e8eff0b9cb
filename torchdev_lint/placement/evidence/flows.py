"""What a name is, judged by where its value comes from and goes to in a scope."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import field

from torchdev_lint.catalog.factories import FACTORY_NAMES
from torchdev_lint.catalog.methods import NEXT_METHODS
from torchdev_lint.placement.evidence.carriers import carrier
from torchdev_lint.placement.evidence.uses import Uses
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import dotted, path_of

FLOWS = frozenset({ast.For, ast.Call, ast.Assign, ast.BinOp})
"""The code through which values flow from loops into calls and operators, and into variables."""


def conclude(flows: list[ast.AST], uses: dict[str, Uses], torch_names: frozenset[str]) -> None:
    """Draw conclusions from how values flow, and note them with the uses of the names.

    Args:
        flows: the code of a scope through which they do.
        torch_names: first components of names that mean `torch` or something in it.
    """
    batches = _Batches(uses)
    tensors: set[str] = set()
    calls = [node for node in flows if isinstance(node, ast.Call)]
    assignments = [node for node in flows if isinstance(node, ast.Assign)]
    for node in flows:
        if isinstance(node, (ast.For, ast.Assign)):
            batches.take_apart(node)
    for call in calls:
        _stacked(call, uses)
    for assignment in assignments:
        if _makes_tensor(assignment.value, torch_names):
            tensors.update(path for name in assignment.targets if (path := path_of(name)))
    _precede(flows, uses, tensors, torch_names)
    for assignment in assignments:
        _put_into(assignment, uses, tensors)
        _negated(assignment, uses)
    _named(assignments, uses)
    beside = batches.parts()
    if beside.groups:
        for call in calls:
            _taken_by_module(call, uses, beside)
        beside.find_tensors()
        for assignment in assignments:
            _computed_from(assignment, uses, beside)


def takes_next(node: ast.expr) -> bool:
    """Whether an expression is the next one of an iterator: `next(it)` or `it.__next__()`."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else dotted(node.func)
    return called in NEXT_METHODS


@dataclass(slots=True, eq=False)
class _Group:
    """The parts of one thing.

    Args:
        tensor: the first of them that is known to be a tensor.
    """

    names: set[str]
    tensor: str | None = None


@dataclass(slots=True)
class _Beside:
    """What stands beside each part of something that was taken apart.

    Of a thing with many parts each would have as many beside it: they are kept as groups.

    Args:
        groups: those that each part is in.
        near: the parts beside which there is a tensor.
    """

    uses: dict[str, Uses]
    groups: dict[str, list[_Group]] = field(default_factory=dict)
    near: set[str] = field(default_factory=set)

    def find_tensors(self) -> None:
        """Find the parts that are tensors by now."""
        for name in self.groups:
            self.look_at(name)

    def look_at(self, name: str) -> None:
        """Note of a part that it is a tensor, if it is one."""
        for group in self.groups[name] if _is_tensor(self.uses, name) else ():
            if group.tensor is None:
                group.tensor = name
                self.near |= group.names - {name}
            elif group.tensor != name:
                self.near.add(group.tensor)


@dataclass(slots=True)
class _Batches:
    """What is taken apart in a scope: which names hold parts of one thing.

    Args:
        unpacked: the names that a loop, or an assignment, gives the parts of one thing.
        picked: the names that are given single parts, by the name of the whole.
    """

    uses: dict[str, Uses]
    unpacked: list[set[str]] = field(default_factory=list)
    picked: dict[str, set[str]] = field(default_factory=dict)

    def take_apart(self, node: ast.For | ast.Assign) -> None:
        """Note what a statement takes out of something."""
        if isinstance(node, ast.For):
            self.unpacked.append(_paths(_without_count(node)))
            return
        target = node.targets[0]
        if isinstance(node.value, ast.Name) or takes_next(node.value):
            self.unpacked.append(_paths(target))
        for name, value in _pairs(target, node.value):
            whole, path = _whole_of(value), path_of(name)
            if whole is not None and path is not None:
                self.picked.setdefault(whole, set()).add(path)

    def parts(self) -> _Beside:
        """Return the names of parts that may be tensors, and what is beside each.

        None of something that has a structure as a part, such as a graph: then others may be
        structures as well, and one that stands alone may be anything.
        """
        beside = _Beside(self.uses)
        for names in (*self.unpacked, *self.picked.values()):
            if len(names) > 1 and not any(map(self._is_structure, names)):
                group = _Group(names)
                for name in names & self.uses.keys():
                    beside.groups.setdefault(name, []).append(group)
                    self.uses[name].apart = True
        return beside

    def _is_structure(self, path: str) -> bool:
        return path in self.uses and self.uses[path].is_structure()


def _without_count(node: ast.For) -> ast.expr:
    """What a loop takes out of what it goes through, without the number of `enumerate`."""
    target = node.target
    counted = isinstance(node.iter, ast.Call) and any(
        isinstance(part, ast.Call) and dotted(part.func) == "enumerate"
        for part in (node.iter, *node.iter.args)
    )
    if counted and isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == 2:
        return target.elts[1]
    return target


def _paths(target: ast.expr) -> set[str]:
    """The names in the innermost tuple of a target with several names."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return set()
    inner = [item for item in target.elts if isinstance(item, (ast.Tuple, ast.List))]
    items = inner[0].elts if len(inner) == 1 and isinstance(inner[0], ast.Tuple) else target.elts
    return {path for item in items if (path := path_of(item))}


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(target, (ast.Tuple, ast.List)):
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
            return list(zip(target.elts, value.elts, strict=True))
        return []
    return [(target, value)]


def _whole_of(node: ast.expr) -> str | None:
    """The name of what an expression takes a part of: `batch["image"].to(device)`, `batch[0]`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "get" and node.args and isinstance(node.args[0], ast.Constant):
            return path_of(node.func.value)
        node = node.func.value
    if not isinstance(node, ast.Subscript):
        return None
    key = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
    return path_of(node.value) if isinstance(key, ast.Constant) else None


def _taken_by_module(call: ast.Call, uses: dict[str, Uses], beside: _Beside) -> None:
    """What is taken apart, and handed to a module or a method of one, is a tensor."""
    path = path_of(call.func) or ""
    while path and path != "self":
        if path in uses and uses[path].speak_for_module():
            for argument in _given(call):
                if (given := path_of(argument)) in beside.groups:
                    uses[given].handed_over = True
            return
        path = path.rpartition(".")[0]


def _computed_from(node: ast.Assign, uses: dict[str, Uses], beside: _Beside) -> None:
    """What a tensor is computed from is a tensor, if what was taken apart with it is one."""
    if not isinstance(node.value, ast.Call):
        return
    target = node.targets[0]
    results = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    results = [part.value if isinstance(part, ast.Starred) else part for part in results]
    if any(_is_tensor(uses, path_of(part)) for part in results):
        for argument in _given(node.value):
            path = path_of(argument)
            if path in beside.near and path in beside.groups:
                uses[path].handed_over = True
                beside.look_at(path)


def _stacked(call: ast.Call, uses: dict[str, Uses]) -> None:
    """What is appended to a list that an operation on tensors takes is a tensor."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "append" and call.args:
        gathered = uses.get(path_of(call.func.value) or "")
        if gathered is not None and gathered.passed_to_torch:
            _is_combined(uses, call.args[0])


def _put_into(node: ast.Assign, uses: dict[str, Uses], tensors: set[str]) -> None:
    """What is written into a part of a tensor is a tensor, or a number."""
    target = node.targets[0]
    if isinstance(target, ast.Subscript) and path_of(target.value) in tensors:
        _is_combined(uses, node.value)


def _named(assignments: list[ast.Assign], uses: dict[str, Uses]) -> None:
    """What becomes of a part of something tells of that part, if it has a name of its own."""
    parts: dict[str, set[str]] = {}
    for assignment in assignments:
        for name, value in _pairs(assignment.targets[0], assignment.value):
            if isinstance(name, ast.Name):
                is_part = isinstance(value, (ast.Attribute, ast.Subscript))
                parts.setdefault(name.id, set()).add((is_part and path_of(value)) or "")
    for called, sources in parts.items():
        path, own = sources.pop(), uses.get(called)
        if path and not sources and own is not None and own.are_of_tensor_alone():
            part = uses.setdefault(path, Uses())
            part.passed_to_torch = True
            part.has_axes |= own.has_axes


def _negated(node: ast.Assign, uses: dict[str, Uses]) -> None:
    """What `~x` or `-x` gives a tensor of is a tensor."""
    if isinstance(node.value, ast.UnaryOp) and (use := uses.get(path_of(node.value.operand) or "")):
        result = uses.get(path_of(node.targets[0]) or "")
        use.handed_over |= result is not None and result.is_computed_with()


def _makes_tensor(node: ast.expr, torch_names: frozenset[str]) -> bool:
    """Whether an expression makes a tensor, and perhaps moves or reshapes it."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if dotted(node.func) is not None:
            break
        node = node.func.value
    root, _, _ = ((isinstance(node, ast.Call) and dotted(node.func)) or "").partition(".")
    return root in torch_names and _last(node) in FACTORY_NAMES


def _gives_tensor(node: ast.expr, tensors: set[str], torch_names: frozenset[str]) -> bool:
    """Whether an expression gives a tensor that code makes, or something computed of one.

    Args:
        tensors: the variables that are given tensors.
    """
    while not _makes_tensor(node, torch_names):
        if isinstance(node, ast.Call) and node.args and dotted(node.func):
            if (dotted(node.func) or "").partition(".")[0] not in torch_names:
                return False
            node = node.args[0]
        elif isinstance(node, ast.BinOp):
            is_plain = isinstance(node.right, ast.Constant) or path_of(node.right)
            node = node.left if is_plain else node.right
        elif isinstance(node, ast.UnaryOp):
            node = node.operand
        else:
            return path_of(node) in tensors
    return True


def _precede(
    flows: list[ast.AST], uses: dict[str, Uses], tensors: set[str], torch_names: frozenset[str]
) -> None:
    """Note what stands before an operator and a tensor."""
    for node in flows:
        if isinstance(node, ast.BinOp) and _gives_tensor(node.right, tensors, torch_names):
            source = carrier(node.left)
            if use := uses.get((source is not None and path_of(source)) or ""):
                use.precedes_tensor = True


def _last(node: ast.expr) -> str:
    called = dotted(node.func) if isinstance(node, ast.Call) else None
    return (called or "").rpartition(".")[2]


def _given(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield keyword.value


def _is_tensor(uses: dict[str, Uses], path: str | None) -> bool:
    return path in uses and uses[path].can_only_be_tensor()


def _is_combined(uses: dict[str, Uses], node: ast.expr) -> None:
    if use := uses.get(path_of(node) or ""):
        use.combined = True
