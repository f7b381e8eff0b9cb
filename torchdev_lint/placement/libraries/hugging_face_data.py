"""Data sets of Hugging Face: loaders make batches on the host of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog import data_sets as catalog
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.values import Library, Place, Value
from torchdev_lint.placement.evidence.parsed_code import parsed_code
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.walking import walk


@handles(*catalog.LOADING)
def _loaded(call: Call) -> Value | None:
    """Its samples are on the host, unless the file has them given elsewhere, or in its own way."""
    if any(syntax.derived(_has_them_elsewhere) for syntax in _files_at_hand(call.run)):
        return None
    return call.run.allocate(Obj(Place.HOST), None, catalog.DATASET, site=call.node)


def _files_at_hand(run: Run) -> Iterator[Syntax]:
    """The file that is linted, and the one whose code is run, if that is another one."""
    yield run.facts.syntax
    other = parsed_code(run.frame.file) if run.is_elsewhere else None
    if other is not None:
        yield other.syntax


def _has_them_elsewhere(syntax: Syntax) -> bool:
    """Whether a call in a file says of some data set that its samples may not be on the host."""
    return any(
        isinstance(node, ast.Call)
        and (said := catalog.FORMATTING.get(last_component(node.func))) is not None
        and (said == "transform" or any(k.arg in {said, None} for k in node.keywords))
        for node in walk(syntax.tree)
    )


@handles(*(f"{catalog.DATASET}.{method}" for method in catalog.CHANGING))
def _changed(call: Call) -> Value | None:
    return call.receiver


@handles_members("transformers")
def _collator(call: Call) -> Value | None:
    """What pads samples and makes batches of them is a function, whichever class it is of."""
    is_collator = call.name.startswith(catalog.COLLATORS)
    return Library(catalog.COLLATING) if is_collator else None
