"""Moving something to the device that the code has chosen, instead of to CUDA by name."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.devices import CUDA_TYPE
from torchdev_lint.change import Fix, Replace, applicability
from torchdev_lint.placement.evidence.bound_to_cuda import BoundToCuda
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.records import replace
from torchdev_lint.syntax.cuda import devices_of, is_plain_move, is_type


def moved_where_chosen(facts: Facts, call: ast.Call, device: ast.expr) -> Fix | None:
    """Return the fix that moves to a device what goes to CUDA; None under a condition about them.

    Args:
        call: `x.cuda()`.
        device: the device, which can be had there.
    """
    assert isinstance(call.func, ast.Attribute)
    is_asked = facts.derived(BoundToCuda).is_asked_for(call)
    if call.func.end_lineno != call.end_lineno or is_asked:
        return None
    given = [facts.text(device), *(f"{k.arg}={facts.text(k.value)}" for k in call.keywords)]
    whole, named = facts.span(call), facts.span(call.func)
    rest = replace(whole, line=named.end_line, column=named.end_column - len(call.func.attr))
    proven = _is_cuda_if_any(facts, device, call) and _is_movable(facts, call.func.value)
    change = Replace(rest, f"to({', '.join(given)})")
    return Fix(f"Move it with `.to({given[0]})`", applicability(proven), (change,))


def put_where_chosen(facts: Facts, call: ast.Call, device: ast.expr) -> Fix | None:
    """Return the fix that has a call go to a device, and not to CUDA.

    Args:
        call: `x.cuda()`, `x.to("cuda")`, `torch.ones(3, device="cuda")`.
        device: the device, which can be had there.
    """
    if is_plain_move(call) and not call.args:
        return moved_where_chosen(facts, call, device)
    named = next((node for node in devices_of(call) if not is_type(node)), None)
    if named is None or is_type(call.func):
        return None
    moved = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    is_factory = facts.derived(Proof).values.library(call.func).startswith("torch.")
    is_same = _is_current(facts, named) and _is_cuda_if_any(facts, device, call)
    proven = is_same and (is_factory or _is_movable(facts, moved))
    change = Replace(facts.span(named), facts.text(device))
    return Fix(f"Put it on `{change.text}`", applicability(proven), (change,))


def _is_cuda_if_any(facts: Facts, device: ast.expr, place: ast.AST) -> bool:
    """Whether a variable certainly is CUDA's current device, wherever there is CUDA."""
    if not isinstance(device, ast.Name):
        return False
    values = facts.derived(Proof).values.values(device.id, place)
    return bool(values) and all(_chooses_cuda(facts, value) for value in values)


def _chooses_cuda(facts: Facts, value: ast.expr) -> bool:
    """Whether an expression is `"cuda" if torch.cuda.is_available() else …`, or its device."""
    choice = _named_in(facts, value)
    if not isinstance(choice, ast.IfExp) or not isinstance(choice.test, ast.Call):
        return False
    asked = facts.derived(Proof).values.library(choice.test.func)
    return _is_current(facts, choice.body) and asked == "torch.cuda.is_available"


def _is_current(facts: Facts, device: ast.expr) -> bool:
    """Whether an expression is `"cuda"`, which is the current GPU, or the device of that name."""
    named = _named_in(facts, device)
    return isinstance(named, ast.Constant) and named.value == CUDA_TYPE


def _named_in(facts: Facts, device: ast.expr) -> ast.expr:
    """What `torch.device(…)` is given alone; of anything else that itself."""
    if not isinstance(device, ast.Call) or len(device.args) != 1 or device.keywords:
        return device
    is_device = facts.derived(Proof).values.library(device.func) == "torch.device"
    return device.args[0] if is_device else device


def _is_movable(facts: Facts, moved: ast.expr) -> bool:
    """Whether something certainly is a tensor or a module, which `to` moves as `cuda` does."""
    proof = facts.derived(Proof)
    if proof.tensors.is_tensor(moved):
        return proof.values.tampering.tensors_are_plain
    built = proof.modules.construction(moved)
    return built is not None and proof.modules.is_moved_like_any(built)
