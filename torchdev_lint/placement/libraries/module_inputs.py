"""What a module out of sight is called with: which arguments are tensors that meet its state."""

from __future__ import annotations

import ast

from torchdev_lint.catalog import modules as catalog
from torchdev_lint.catalog.ecosystem import EMBEDDED_INPUTS
from torchdev_lint.placement.domain.arguments import Arguments, Operand
from torchdev_lint.placement.domain.joins import as_tensors
from torchdev_lint.placement.domain.values import Bundle, Instance, Tensor
from torchdev_lint.records import replace


def recognized(instance: Instance, arguments: Arguments) -> Arguments:
    """Take for tensors what modules of libraries take nothing else for, and leave out the rest."""
    owner, _, last = instance.library.rpartition(".")
    positional, keywords = arguments.positional, arguments.keywords
    if owner.startswith("torch.nn") and last in catalog.LAYERS:
        positional = [(as_tensors(value), node) for value, node in positional]
    elif owner.startswith("transformers."):
        positional = [(as_tensors(value), node) for value, node in positional[:1]] + positional[1:]
        keywords = {n: pair for n, pair in keywords.items() if n in catalog.PRETRAINED_INPUTS}
        named = keywords.keys() & EMBEDDED_INPUTS
        keywords = {**keywords, **{n: (as_tensors(keywords[n][0]), keywords[n][1]) for n in named}}
    return replace(arguments, positional=positional, keywords=keywords)


def inputs(module: str, arguments: Arguments) -> list[Operand]:
    """The arguments of a module's call that are tensors and meet its state.

    Args:
        module: the last component of the name of its class.
    """
    hinted = {**_hinted(module, arguments), **_dropped(module, arguments)}
    unread = {"output_size", *hinted.values()}
    given = {name: pair for name, pair in arguments.keywords.items() if name not in unread}
    positional = [pair for i, pair in enumerate(arguments.positional) if i not in hinted]
    return replace(arguments, positional=positional, keywords=given).operands()


def _hinted(module: str, arguments: Arguments) -> dict[int, str]:
    """The masks that a hint may stand in for; beside one of padding it never does."""
    return {
        position: mask
        for position, (mask, beside) in catalog.HINTED_MASKS.get(module, {}).items()
        if not isinstance(arguments.get(*beside), (Tensor, Bundle))
    }


def _dropped(module: str, arguments: Arguments) -> dict[int, str]:
    """The masks that attention may drop, since it is told that they are causal."""
    if module == "MultiheadAttention" and _is_left_as(arguments.node(4, "need_weights"), True):
        return {}
    masks = catalog.CAUSAL_MASKS.get(module, {})
    return {
        position: mask
        for position, (mask, flag, beside) in masks.items()
        if not _is_left_as(arguments.node(*flag), False)
        and _is_left_as(arguments.node(*beside), None)
    }


def _is_left_as(node: ast.AST | None, default: bool | None) -> bool:
    """Whether an argument is left out, or given what it is by default."""
    return node is None or (isinstance(node, ast.Constant) and node.value is default)
