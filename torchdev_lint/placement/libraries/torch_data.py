"""torch.utils.data: data sets, and loaders that give batches of them on the host."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog import ecosystem
from torchdev_lint.catalog.data_sets import COLLATING
from torchdev_lint.catalog.generators import SHUFFLING_LOADERS, SPLITTING
from torchdev_lint.placement.defects.draws import note_order
from torchdev_lint.placement.defects.pinning import note_pinned_there
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.joins import choice, leaves, sequence
from torchdev_lint.placement.domain.values import (
    NONE,
    NUMBER_KINDS,
    OF_NUMPY,
    PART_ANYWHERE,
    UNKNOWN,
    WIDENED,
    Bundle,
    Choice,
    Const,
    Function,
    Instance,
    Library,
    Loader,
    Place,
    Scalar,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.devices import mentions_devices
from torchdev_lint.placement.libraries.collating import collated_by, collated_by_default
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members
from torchdev_lint.placement.libraries.sample_functions import brings, may_bring_samples, may_move
from torchdev_lint.placement.libraries.torch_pinning import given_to_pin
from torchdev_lint.placement.python.code_behind import class_of
from torchdev_lint.placement.python.iteration import loader_out_of_sight
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.held import held_once, meant_by
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.scopes import Syntax, own_nodes, read_around
from torchdev_lint.syntax.walking import walk

_MOST_STEPS = 3
"""Over how many variables it is followed what a data set is made of."""


@handles("torch.utils.data.TensorDataset")
def _tensor_dataset(call: Call) -> Value:
    items = [_dataset_item(value) for value in call.arguments.values()]
    return Sequence(None, sequence(items, SequenceKind.TUPLE), SequenceKind.DATASET)


def _dataset_item(value: Value) -> Value:
    """A sample's part: a tensor in any case, where the whole one is."""
    if isinstance(value, Tensor) and value.place is Place.ACCELERATOR:
        return replace(value, registered=False)
    if isinstance(value, Tensor) and value.place is Place.HOST:
        return Bundle(Place.HOST, part=True, single=True)
    return PART_ANYWHERE


@handles_members(*ecosystem.HOST_DATASETS)
def _dataset_of_library(call: Call) -> Value | None:
    """What its samples are is not known, but that a loader makes batches on the host of them."""
    return Sequence(None, UNKNOWN, SequenceKind.DATASET) if call.last[:1].isupper() else None


@handles("torch.utils.data.Subset")
def _same_elements(call: Call) -> Value | None:
    return call.get(0)


@handles("torch.utils.data.ConcatDataset")
def _joined(call: Call) -> Value | None:
    """One data set of several: its samples are those of any of them."""
    whole = call.get(0)
    parts = [] if not isinstance(whole, Sequence) else list(whole.items or (whole.element,))
    return choice(parts) if parts else whole


@handles(*SPLITTING)
def _random_split(call: Call) -> Value | None:
    note_order(call.run, call.node, call.arguments, position=2)
    whole = call.get(0)
    return None if whole is None else Sequence(None, whole, SequenceKind.LIST)


@handles(*ecosystem.LOADERS)
def _loader(call: Call) -> Value:
    if call.get(-1, "pin_memory") == Const(True):
        note_pinned_there(call.run, call.node, given_to_pin(call))
    if call.name in SHUFFLING_LOADERS and call.get(2, "shuffle") == Const(True):
        note_order(call.run, call.node, call.arguments, later=True)
    return make_loader(call.run, call.arguments)


def make_loader(run: Run, arguments: Arguments) -> Loader:
    """Evaluate the construction of a data loader: what its batches are.

    Under another default device, batches made of numbers are there:
    `torch.utils.data.default_collate` makes them with `torch.tensor`. Of what a data set in sight
    may have moved no loop tells where it was.
    """
    collate = arguments.get(-1, "collate_fn")
    if arguments.open_ended or (
        collate is not None and collate != NONE and _collate_may_move(run, collate)
    ):
        told = is_told_device(run, arguments.node(-1, "collate_fn"))
        pinned = arguments.get(-1, "pin_memory") == Const(True) and not told
        moves = isinstance(collate, (Function, Instance))
        unknown = WIDENED if moves else UNKNOWN
        return Loader(Bundle(Place.HOST, own=True)) if pinned else Loader(unknown)
    dataset = arguments.get(0, "dataset")
    if isinstance(dataset, Choice) and any(isinstance(o, Sequence) for o in dataset.options):
        cases = [_with_dataset(arguments, option) for option in dataset.options]
        return Loader(choice([make_loader(run, case).batch for case in cases]))
    own = collate is not None and collate != NONE and _makes_structures(run, collate)
    whole = Bundle(Place.HOST, own=own)
    if isinstance(dataset, Sequence) and dataset.kind is SequenceKind.DATASET:
        known = dataset.element != UNKNOWN and collate in (None, NONE)
        return Loader(_batch_of(dataset.element, whole) if known else whole)
    if run.env.settings.default is not Place.HOST:
        return Loader(UNKNOWN)
    if not isinstance(collate, Function):
        return _loader_over(run, arguments, dataset, whole, by_default=collate in (None, NONE))
    batch, is_made = collated_by(run, collate, dataset or UNKNOWN, whole)
    return Loader(batch) if is_made else _loader_over(run, arguments, dataset, batch)


def _loader_over(
    run: Run, arguments: Arguments, dataset: Value | None, batch: Value, by_default: bool = False
) -> Loader:
    """A loader that gives what a data set holds, wherever that is.

    Args:
        batch: what is known of a batch if the samples are on the host.
        by_default: whether PyTorch puts it together.
    """
    if isinstance(dataset, (Sequence, Tensor)) and not _is_on_host(dataset):
        return Loader(UNKNOWN)
    in_sight = [o for o in alternatives(dataset or UNKNOWN) if isinstance(o, Instance) and o.cls]
    if any(_may_move_samples(run, option) for option in in_sight):
        return Loader(WIDENED)
    if any(_gives_what_is_unknown(run, option) for option in in_sight):
        return loader_out_of_sight(run, batch)
    if _may_be_anything(dataset or UNKNOWN):
        told = is_told_device(run, arguments.node(0, "dataset"))
        return Loader(WIDENED) if told else loader_out_of_sight(run, batch)
    if by_default and isinstance(batch, Bundle):
        return Loader(_collated(run, dataset or UNKNOWN, batch))
    return Loader(batch)


def _with_dataset(arguments: Arguments, dataset: Value) -> Arguments:
    """The arguments of a loader, with one of the data sets that it may be given."""
    if "dataset" in arguments.keywords:
        node = arguments.keywords["dataset"][1]
        return replace(arguments, keywords={**arguments.keywords, "dataset": (dataset, node)})
    (_, node), *rest = arguments.positional
    return replace(arguments, positional=[(dataset, node), *rest])


def _batch_of(sample: Value, otherwise: Value) -> Value:
    """A batch of samples that are alike: of tuples PyTorch makes a list, of numbers a tensor.

    Source: `collate` in torch/utils/data/_utils/collate.py

    Args:
        sample: one of them, or one of each kind that there may be.
        otherwise: the batch where it isn't known what a sample is.
    """
    made = (
        _put_together(option)
        if isinstance(option, Sequence) and option.kind is SequenceKind.TUPLE
        else otherwise
        if option == UNKNOWN
        else option
        for option in alternatives(sample)
    )
    return choice(list(made))


def _put_together(sample: Sequence) -> Sequence:
    """What PyTorch makes of samples that are such tuples."""
    if sample.items is None:
        return replace(sample, kind=SequenceKind.LIST, element=_stacked(sample.element))
    return sequence([_stacked(item) for item in sample.items])


def _stacked(value: Value) -> Value:
    is_number = isinstance(value, Scalar) and value.kind in NUMBER_KINDS
    return Bundle(Place.HOST, part=True, single=True) if is_number else value


def _collated(run: Run, dataset: Value, batch: Bundle) -> Value:
    """What PyTorch makes of samples: a list, if all of them are tuples of as many parts."""
    counts = {n for option in alternatives(dataset) for n in _parts_given(option)}
    count = counts.pop() if len(counts) == 1 else None
    if count is None:
        return collated_by_default(run, dataset, batch)
    return sequence([replace(batch, part=True)] * count, SequenceKind.LIST)


def _parts_given(dataset: Value) -> Iterator[int | None]:
    """Of how many parts the samples of a data set in sight are; None where one is no tuple."""
    info = dataset.cls if isinstance(dataset, Instance) else None
    getter = info.lookup("__getitem__") if info else None
    if not isinstance(getter, Function):
        yield None
        return
    nodes = list(own_nodes(getter.node))
    held = held_once(nodes)
    for node in nodes:
        if isinstance(node, ast.Return):
            given = meant_by(node.value, held) if node.value else None
            parts = given.elts if isinstance(given, ast.Tuple) else []
            is_open = any(isinstance(part, ast.Starred) for part in parts)
            yield None if is_open or not parts else len(parts)


def is_told_device(run: Run, data: ast.AST | None) -> bool:
    """Whether data, or what puts it together, is what a call gives that is told a device.

    Samples, or batches, may be there, whatever else the code says of them. What is split or put
    together is where that is: `train, test = random_split(Pairs(rows, device), sizes)`.
    """
    if run.is_elsewhere or not isinstance(data, ast.expr):
        return False
    parts = [data]
    for _ in range(_MOST_STEPS):
        made = [value for part in parts for value in _given_to(run.facts.syntax, part)]
        calls = [part for part in made if isinstance(part, ast.Call)]
        if any(map(mentions_devices, calls)):
            return True
        parts = [part for call in calls for part in call.args if isinstance(part, ast.Name)]
    return False


def _given_to(syntax: Syntax, node: ast.expr) -> list[ast.expr]:
    """What a variable is given, by itself or beside others; of anything else that itself."""
    if not isinstance(node, ast.Name):
        return [node]
    for scope in (syntax.scope(node), syntax.tree):
        statements = map(syntax.statement, syntax.bindings(node.id, scope))
        if values := [s.value for s in statements if isinstance(s, ast.Assign)]:
            return values
    return []


def _may_move_samples(run: Run, dataset: Instance) -> bool:
    """Whether a data set, or what it inherits from, names devices, or keeps what moves."""
    named = dataset.cls is not None and may_bring_samples(run, dataset.cls)
    return named or _holds_moved(run, dataset)


def _gives_what_is_unknown(run: Run, dataset: Instance) -> bool:
    """Whether the samples of a data set are parts of what it keeps, of which nothing is known."""
    getter = dataset.cls.lookup("__getitem__") if dataset.cls else None
    if not isinstance(getter, Function):
        return False
    unknown = {n for n, value in run.obj(dataset).attrs.items() if _may_hold_anything(value)}
    nodes = list(walk(getter.node))
    held = held_once(nodes)
    returned = [node.value for node in nodes if isinstance(node, ast.Return) and node.value]
    wholes = (meant_by(value, held) for value in returned)
    parts = [part for whole in wholes for part in getattr(whole, "elts", [whole])]
    return any(_kept_in(meant_by(part, held)) in unknown for part in parts)


def _may_be_anything(value: Value) -> bool:
    return any(isinstance(option, Unknown) for option in alternatives(value))


def _may_hold_anything(value: Value) -> bool:
    options = alternatives(value)
    return any(isinstance(option, Unknown) and option not in OF_NUMPY for option in options)


def _kept_in(node: ast.expr) -> str | None:
    """The attribute of `self` that subscripts and methods take an expression's value from."""
    called = False
    while isinstance(node, (ast.Subscript, ast.Call, ast.Attribute)):
        if isinstance(node, ast.Attribute) and dotted(node.value) == "self":
            return None if called else node.attr
        called = isinstance(node, ast.Call)
        node = node.func if isinstance(node, ast.Call) else node.value
    return None


def _makes_structures(run: Run, collate: Value) -> bool:
    """Whether a collate function may give objects that hold tensors: it calls others for them.

    What PyTorch, Python and methods give are tensors, and lists and dicts of them.
    """
    if not isinstance(collate, Function):
        return True
    calls = [part.func for part in walk(collate.node) if isinstance(part, ast.Call)]
    names = {name.partition(".")[0] for func in calls if (name := dotted(func)) is not None}
    module = collate.closure[-1]
    return any(_is_strange(run, module, name) for name in names & read_around(collate.node))


def _is_strange(run: Run, module: Frame, name: str) -> bool:
    """Whether a name is bound by a module to anything but PyTorch."""
    value = run.read_outer(module, name)
    return value is not None and not (isinstance(value, Library) and value.name.startswith("torch"))


def _holds_moved(run: Run, dataset: Instance) -> bool:
    """Whether a data set keeps tensors that are not on the CPU, or functions that may move them.

    Its samples are parts of the former, and what the latter give.
    """
    attributes = run.obj(dataset).attrs.values()
    kept = (leaf for value in attributes for leaf in leaves(value))
    return any(
        isinstance(leaf, (Tensor, Bundle)) and leaf.place is not Place.HOST for leaf in kept
    ) or any(may_move(run, value) for value in attributes)


def _is_on_host(value: Value) -> bool:
    if isinstance(value, Tensor):
        return value.place is Place.HOST
    if isinstance(value, Sequence):
        return all(_is_on_host(item) for item in value.items or (value.element,))
    return isinstance(value, (Const, Scalar))


def _collate_may_move(run: Run, collate: Value) -> bool:
    if isinstance(collate, Function):
        return brings(run, collate.node, collate.closure, class_of(collate))
    if isinstance(collate, Instance) and collate.cls:
        return any(brings(run, info.node, info.closure) for info in collate.cls.lineage())
    return collate != Library(COLLATING)
