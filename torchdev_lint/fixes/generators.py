"""Random generators on the device on which is drawn with them."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.generators import GENERATOR, METHODS
from torchdev_lint.change import AddArgument, Fix
from torchdev_lint.placement.facts.draws import Draw
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.calls import by_keyword

_OF_THE_DEFAULT = "generator=torch.Generator(torch.empty(0).device)"
"""`torch.get_default_device` doesn't know of `set_default_tensor_type`."""


def drawn_there(facts: Facts, draw: Draw) -> Fix | None:
    """Return the fix that has a generator where is drawn with it, None if nothing fits.

    Other numbers are drawn then, and what else is drawn with it may be elsewhere: that is unsafe.
    """
    if not draw.on_host or facts.syntax.in_string(draw.node):
        return None
    if draw.generator is not None:
        return _made_on_device(facts, draw.node, draw.generator)
    proof = facts.derived(Proof)
    if draw.brought is not None and proof.bindings.owner("torch", draw.node) is None:
        return None  # where another file sets the default device, this one may do without torch
    if proof.values.library(ast.Name("torch", ast.Load()), draw.node) != "torch":
        return None
    change = AddArgument(facts.span(draw.node), _OF_THE_DEFAULT)
    return Fix(f"Add `{_OF_THE_DEFAULT}`", "unsafe", (change,))


def _made_on_device(facts: Facts, draw: ast.Call, generator: ast.expr) -> Fix | None:
    """Tell a generator where it is made the device that a factory is told."""
    made, device = _plainly_made(facts, generator), next(iter(by_keyword(draw, "device")), None)
    if made is None or not isinstance(device, (ast.Constant, ast.Name)):
        return None
    if isinstance(device, ast.Name):
        bindings = facts.derived(Proof).bindings
        there = bindings.reaching(device.id, made)
        if not there or None in there or there != bindings.reaching(device.id, device):
            return None
    argument = f"device={facts.text(device)}"
    return Fix(f"Add `{argument}`", "unsafe", (AddArgument(facts.span(made), argument),))


def _plainly_made(facts: Facts, generator: ast.expr) -> ast.Call | None:
    """The call that makes a generator, and is told no device."""
    values = facts.derived(Proof).values
    if isinstance(generator, ast.Name):
        given = values.values(generator.id, generator)
        if len(given) != 1:
            return None
        generator = given[0]
    while isinstance(generator, ast.Call) and isinstance(generator.func, ast.Attribute):
        if generator.func.attr not in METHODS:
            break
        generator = generator.func.value
    if not isinstance(generator, ast.Call) or generator.args or generator.keywords:
        return None
    return generator if values.library(generator.func) == GENERATOR else None
