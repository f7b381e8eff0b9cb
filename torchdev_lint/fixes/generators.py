"""Random generators on the device on which is drawn with them."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.generators import DEFAULT_MAKERS, GENERATOR, METHODS
from torchdev_lint.change import AddArgument, Fix, Replace
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
    if facts.syntax.in_string(draw.node):
        return None
    if draw.generator is not None and draw.on_host:
        seeded = _left_to_the_seed(facts, draw.generator)
        return seeded or _made_on_device(facts, draw.node, draw.generator)
    if not draw.on_host:
        return None if draw.generator is None else _made_on_host(facts, draw.generator)
    proof = facts.derived(Proof)
    if draw.brought is not None and proof.bindings.owner("torch", draw.node) is None:
        return None  # where another file sets the default device, this one may do without torch
    if proof.values.library(ast.Name("torch", ast.Load()), draw.node) != "torch":
        return None
    change = AddArgument(facts.span(draw.node), _OF_THE_DEFAULT)
    return Fix(f"Add `{_OF_THE_DEFAULT}`", "unsafe", (change,))


def _made_on_host(facts: Facts, generator: ast.expr) -> Fix | None:
    """Have a generator made without the device that it is told."""
    made = _made(facts, generator)
    if made is None or len(made.args) + len(made.keywords) != 1:
        return None
    text = f"{facts.text(made.func)}()"
    return Fix(f"Make it with `{text}`", "unsafe", (Replace(facts.span(made), text),))


def _left_to_the_seed(facts: Facts, generator: ast.expr) -> Fix | None:
    """Draw with the generator of where is drawn, which the seed is for as well.

    What `torch.manual_seed` gives is that of the CPU; it seeds those of all devices.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.manual_seed.html
    """
    made, values = _begun_with(facts, generator), facts.derived(Proof).values
    if made is None or values.library(made.func) not in DEFAULT_MAKERS:
        return None
    change = Replace(facts.span(generator), "None")
    return Fix("Draw with the generator of the device, which is seeded too", "unsafe", (change,))


def _made_on_device(facts: Facts, draw: ast.Call, generator: ast.expr) -> Fix | None:
    """Tell a generator where it is made the device that a factory is told."""
    made, device = _made(facts, generator), next(iter(by_keyword(draw, "device")), None)
    if made is None or made.args or made.keywords:
        return None
    if not isinstance(device, (ast.Constant, ast.Name)):
        return None
    if isinstance(device, ast.Name):
        bindings = facts.derived(Proof).bindings
        there = bindings.reaching(device.id, made)
        if not there or None in there or there != bindings.reaching(device.id, device):
            return None
    argument = f"device={facts.text(device)}"
    return Fix(f"Add `{argument}`", "unsafe", (AddArgument(facts.span(made), argument),))


def _made(facts: Facts, generator: ast.expr) -> ast.Call | None:
    """The call that makes a generator."""
    made = _begun_with(facts, generator)
    is_made = made is not None and facts.derived(Proof).values.library(made.func) == GENERATOR
    return made if is_made else None


def _begun_with(facts: Facts, generator: ast.expr) -> ast.Call | None:
    """The call that gives a generator, before methods of it are called."""
    values = facts.derived(Proof).values
    if isinstance(generator, ast.Name):
        given = values.values(generator.id, generator)
        if len(given) != 1:
            return None
        generator = given[0]
    while isinstance(generator, ast.Call) and isinstance(generator.func, ast.Attribute):
        if generator.func.attr not in METHODS or values.library(generator.func) in DEFAULT_MAKERS:
            break
        generator = generator.func.value
    return generator if isinstance(generator, ast.Call) else None
