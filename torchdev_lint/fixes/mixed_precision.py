"""Mixed precision on the device that the code has chosen."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.training import CUDA_AMP
from torchdev_lint.change import Change, Fix, Insert, Replace
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof


def of_device(facts: Facts, call: ast.Call, name: str, device: ast.expr) -> Fix | None:
    """Return the fix that tells `torch.amp` the type of a device, None where it has no name here.

    Args:
        call: `torch.cuda.amp.autocast()`, or its `GradScaler`.
        name: the full name of that.
        device: the device, which can be had there.
    """
    library = facts.derived(Proof).values.library
    if library(ast.Name("torch", ast.Load()), call) != "torch" or facts.syntax.in_string(call):
        return None
    if not all(map(_stands_alone, call.args)) or facts.text(call).count("(") > _most(facts, call):
        return None
    kind, last = _type_of(facts, device, call), name.rpartition(".")[2]
    function = facts.span(call.func)
    changes: list[Change] = [Replace(function, f"torch.amp.{last}")]
    names = [f"{key}=" for key, _ in zip(CUDA_AMP[name], call.args, strict=False)]
    given = [*call.args, *call.keywords]
    if not given:
        changes.append(Replace(facts.span(call).behind(function), f"({kind})"))
    for position, argument in enumerate(given):
        span = facts.span(argument)
        text = f"{kind}, " if position == 0 else ""
        text += names[position] if position < len(names) else ""
        if text:
            changes.append(Insert(span.line, span.column, text))
    return Fix(f"Use `torch.amp.{last}({kind})`", "unsafe", tuple(changes))


def _stands_alone(argument: ast.expr) -> bool:
    """Whether a name can be put before an argument."""
    return not isinstance(argument, ast.Starred)


def _most(facts: Facts, call: ast.Call) -> int:
    """How many parentheses a call has, if none stands around an argument only."""
    parts = [call.func, *call.args, *call.keywords]
    return 1 + sum(facts.text(part).count("(") for part in parts)


def _type_of(facts: Facts, device: ast.expr, place: ast.AST) -> str:
    """What gives the type of a device, which may be a name or a number as well."""
    text, values = facts.text(device), facts.derived(Proof).values
    given = values.values(device.id, place) if isinstance(device, ast.Name) else []
    is_device = bool(given) and all(
        isinstance(value, ast.Call) and values.library(value.func) == "torch.device"
        for value in given
    )
    return f"{text}.type" if is_device else f"torch.device({text}).type"
