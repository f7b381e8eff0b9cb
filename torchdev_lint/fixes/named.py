"""Following the device of what is met, where code names CUDA."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import TO_ACCELERATOR
from torchdev_lint.change import Change, Fix, Replace, Stated, applicability
from torchdev_lint.fixes.devices import device_met
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.hard_coded import HardCoded
from torchdev_lint.source.span import Span
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.cuda import names_cuda


def followed(facts: Facts, event: HardCoded) -> Fix | None:
    """Put something where what it meets is, in the call that puts it on CUDA.

    The fix is safe where that is proven to be the device of the very value that it meets: a program
    that works has both on one.

    Args:
        facts: what is known of the file.
        event: where they meet.
    """
    call = event.origin.node
    if not isinstance(call, ast.Call) or facts.syntax.in_string(call):
        return None
    is_together = facts.syntax.scope(call) is facts.syntax.scope(event.node)
    if not (is_together or event.origin.in_forward):
        return None  # a model is not where its user will have it while it is built
    device = device_met(facts, call, event.partner, event.module_call)
    change = None if device is None else _change(facts, call, device)
    if device is None or change is None:
        return None
    return Fix(f"Use `{device.text}` instead", applicability(device.proven), (change,))


def _change(facts: Facts, call: ast.Call, device: Stated) -> Change | None:
    """What has a call use a device, None where it names CUDA by the type of what it makes."""
    named = by_keyword(call, "device")
    if isinstance(call.func, ast.Attribute) and call.func.attr == "to":
        named += call.args[:1]
    written = next(filter(names_cuda, named), None)
    if written is not None:
        return Replace(facts.span(written), device.text)
    if not (isinstance(call.func, ast.Attribute) and call.func.attr in TO_ACCELERATOR):
        return None
    if call.args or call.keywords:
        return None
    written_as = f".{call.func.attr}()"
    if not facts.text(call).endswith(written_as):
        return None
    end = facts.span(call)
    start = end.end_column - len(written_as)
    return Replace(Span(end.end_line, start, end.end_line, end.end_column), f".to({device.text})")
