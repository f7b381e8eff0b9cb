"""What factories give for something that may be a tensor already: it stays where it is."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.factories import MAKE_TENSORS, TAKE_TENSORS
from torchdev_lint.placement.defects.meetings import find_meeting, is_tensor_like
from torchdev_lint.placement.defects.operations import operate
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.joins import leaves, with_rank
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    ARGUMENT,
    ITEM,
    NO_TENSORS,
    Bundle,
    Const,
    Instance,
    Method,
    Place,
    Scalar,
    Size,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.bound_uses import BoundUses
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.made_of import Placed
from torchdev_lint.placement.evidence.parsed_code import parsed_code
from torchdev_lint.placement.evidence.plain_data import is_read_as_data
from torchdev_lint.placement.evidence.uses import Uses
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.scopes import FUNCTIONS


def followed(run: Run, last: str, arguments: Arguments, node: ast.AST) -> Value | None:
    """Return what a factory gives of something that may be a tensor already.

    Args:
        last: the factory's own name.

    Returns:
        A tensor where the given one is, or nowhere for certain; None where it makes a new one.
    """
    if last.startswith("sparse_"):
        return _sparse(run, last, arguments, node)
    if last == "normal":
        return _drawn(run, arguments, node)
    if last not in TAKE_TENSORS:
        return None
    data = arguments.get(0, "data")
    if data is None or (last == "Tensor" and len(arguments.positional) > 1):
        return None
    options = alternatives(data)
    if any(isinstance(option, (Tensor, Bundle)) for option in options):
        source = next(o for o in options if isinstance(o, (Tensor, Bundle)))
        # What stands in a batch may be plain numbers, of which the call makes a tensor on the host.
        certain = isinstance(source, Tensor) or source.place is Place.HOST
        # Who makes a tensor of what a caller gives has most likely been given numbers.
        made = last in MAKE_TENSORS and source.place is Place.GIVEN
        if not certain or len(options) > 1 or made:
            return Tensor(Place.UNKNOWN)
        origin = source.origin if source.place is Place.HOST else None
        return Tensor(source.place, source.scalar, origin)
    return _of_unknown(run, last, arguments, data)


def _of_unknown(run: Run, last: str, arguments: Arguments, data: Value) -> Value | None:
    """What a factory gives of data that is no tensor for certain, as `followed` says it."""
    options = alternatives(data)
    is_open = any(isinstance(o, Unknown) and o not in NO_TENSORS for o in options)
    if is_open and _may_be_tensor(run, arguments, by_its_uses=last == "Tensor"):
        return None if _is_plain(run, arguments) else Tensor(Place.UNKNOWN)
    if _is_given_by_parts(run, arguments.node(0, "data")):
        return Tensor(Place.UNKNOWN)
    if is_open and isinstance(arguments.node(0, "data"), ast.Compare):
        return Tensor(Place.UNKNOWN)  # of an array or a tensor: there is one truth of numbers
    if last == "Tensor":
        return None  # of numbers, or of as many as are told
    if is_open and {ARGUMENT, ITEM}.intersection(options):
        return Tensor(Place.UNKNOWN)
    if any(map(_is_attribute, options)) and _is_no_array(run, arguments):
        return Tensor(Place.UNKNOWN)
    if last != "tensor" and any(map(_is_unknown, leaves(data))):
        return Tensor(Place.UNKNOWN)
    return None


def _is_plain(run: Run, arguments: Arguments) -> bool:
    """Whether the data is read from a file of settings, by whoever gives it."""
    node = arguments.node(0, "data")
    file = run.facts.file
    if run.frame.file is not run.main:
        file = parsed_code(run.frame.file)
    return file is not None and isinstance(node, ast.expr) and is_read_as_data(Placed(file, node))


def _is_unknown(value: Value) -> bool:
    """Whether a value may be a tensor."""
    return (isinstance(value, Unknown) and value not in NO_TENSORS) or _is_attribute(value)


def _is_attribute(value: Value) -> bool:
    """Whether a value is called a method of something unknown, which may be any attribute."""
    return isinstance(value, Method) and isinstance(value.bound, Unknown)


def _is_no_array(run: Run, arguments: Arguments) -> bool:
    """Whether the data has, by its other uses, what only tensors have."""
    node = arguments.node(0, "data")
    uses = run.uses_of(path_of(node) or "") if node is not None else None
    return uses is not None and uses.is_no_array()


def _drawn(run: Run, arguments: Arguments, node: ast.AST) -> Value | None:
    """What `normal(mean, std)` gives is where those are, if one of them is a tensor."""
    given = [arguments.get(0, "mean"), arguments.get(1, "std")]
    if all(isinstance(value, (Tensor, Bundle)) for value in given):
        find_meeting(run, "normal", node, arguments.operands()[:2], Policy.CHECKED)
    options = [option for value in given if value is not None for option in alternatives(value)]
    tensors = [option for option in options if isinstance(option, (Tensor, Bundle))]
    certain = len(options) == len([value for value in given if value is not None])
    if certain and len({tensor.place for tensor in tensors}) == 1:
        flat = any(isinstance(t, Bundle) or t.scalar is False for t in tensors)
        return Tensor(tensors[0].place, False if flat else None, tensors[0].origin)
    numbers = all(isinstance(option, (Const, Scalar)) for option in options)
    return None if numbers else Tensor(Place.UNKNOWN)


def _sparse(run: Run, last: str, arguments: Arguments, node: ast.AST) -> Value | None:
    """A sparse tensor lives where its indices and values live, which may be tensors.

    These have to live in one place, unless a device is named, to which they are moved.
    """
    parts = [leaf for value in arguments.values() for leaf in leaves(value)]
    if all(isinstance(part, (Const, Scalar, Size)) for part in parts):
        return None
    if "device" in arguments.keywords or arguments.open_ended or arguments.any_keyword:
        return Tensor(Place.UNKNOWN, False)
    operands = [operand for operand in arguments.operands() if is_tensor_like(operand.value)]
    return with_rank(operate(run, last, node, operands, Policy.STRICT), False)


def _may_be_tensor(run: Run, arguments: Arguments, by_its_uses: bool = False) -> bool:
    """Whether the data, of which nothing else is known, is a tensor by its other uses.

    So it may be where it is the result of arithmetic: lists have none.

    Args:
        by_its_uses: whether only these count, as it may as well be a size.
    """
    node = arguments.node(0, "data")
    if isinstance(node, (ast.BinOp, ast.UnaryOp)) and not by_its_uses:
        return True
    path = path_of(node) if node is not None else None
    uses = _uses_of(run, node, path) if path else None
    if uses is not None and uses.can_only_be_tensor():
        return True
    return not by_its_uses and isinstance(node, ast.Name) and _is_given_to_constructor(run, node.id)


def _is_given_by_parts(run: Run, node: ast.AST | None) -> bool:
    """Whether a method of the class keeps in an attribute what the module, or a part, gives."""
    owner, path = run.frame.owner, path_of(node) if isinstance(node, ast.Attribute) else None
    if owner is None or path is None or not path.startswith("self."):
        return False
    obj = run.obj(run.frame.bound) if isinstance(run.frame.bound, Instance) else None
    parts = obj.attrs.items() if obj is not None else ()
    calling = {("self", "")} | {("self", name) for name, v in parts if isinstance(v, Instance)}
    return any(
        not calling.isdisjoint(
            context_of(parent.file).of_nodes(_results_kept, method).get(path, ())
        )
        for parent in owner.lineage()
        for method in parent.methods().values()
    )


def _results_kept(nodes: list[ast.AST]) -> dict[str, set[tuple[str, str]]]:
    """Where code keeps what calls with arguments give, with the beginning and the rest of these."""
    found: dict[str, set[tuple[str, str]]] = {}
    for part in nodes:
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call) and part.value.args:
            owner, _, name = (path_of(part.value.func) or "").partition(".")
            for target in filter(None, map(path_of, part.targets)):
                found.setdefault(target, set()).add((owner, name))
    return found


def _uses_of(run: Run, node: ast.AST | None, path: str) -> Uses | None:
    """How data is used, but for what comes to be called like it: `x = torch.tensor(x)`."""
    if isinstance(node, ast.Name) and not run.is_elsewhere:
        return run.facts.syntax.derived(BoundUses).of(node, run.file.torch_names)
    return run.uses_of(path)


def _is_given_to_constructor(run: Run, name: str) -> bool:
    """Whether the constructor of a module is given something, without a word of what it is.

    What is made of a tensor on a device is there as well, and what is made of numbers is not: that
    matters for what the module keeps.
    """
    function = run.frame.node
    if not run.builds_module or not isinstance(function, FUNCTIONS):
        return False
    arguments = function.args
    given = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return any(one.arg == name and one.annotation is None for one in given)
