"""Why a trail ends where it does: what makes the value, or why nothing is known of it."""

from __future__ import annotations

import ast

from torchdev_lint.known.knowledge import Knowledge
from torchdev_lint.known.known import Known, Nature
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.values import Function, Instance, Place
from torchdev_lint.syntax.names import short

MADE = {
    OriginKind.FACTORY: "`{}` makes it on the CPU: it is told no other device",
    OriginKind.MODULE: "`{}` is built on the CPU, where it stays until it is moved",
    OriginKind.LAYER: "`{}` is built on the CPU, where it stays until it is moved",
    OriginKind.KEPT: "`{}` stays on the CPU in a plain container, whose keeper moves without it",
    OriginKind.BATCH: "data loaders give their batches on the CPU",
    OriginKind.ENCODING: "{} gives what is on the CPU",
    OriginKind.LOADED: "`{}` reads it to the CPU",
    OriginKind.CHECKPOINT: "`{}` reads it, to the device it was saved from or the CPU",
    OriginKind.NAMED: "`{}` puts it on CUDA by name, also where all else is on the CPU",
    OriginKind.STATE: "`{}` makes it where the parameters are, on the CPU",
    OriginKind.NUMBERED: "`{}` is where the code puts it, and not the CPU",
    OriginKind.BROUGHT: "`{}` moves it to the CPU",
    OriginKind.ASKED: "`{}` was asked before the module was moved, and is the CPU",
    OriginKind.PUT_BACK: "`{}` moves it to the CPU",
    OriginKind.CONSTANT: "`{}` makes it once, when the file is imported, on the CPU",
}
"""What makes a value, by the kind of its origin; with the name of what makes it."""
_PARAMETERS = {
    Place.ACCELERATOR: "what the framework calls this with is taken to be on the accelerator",
    Place.HOST: "what this is called with is on the CPU",
    Place.GIVEN: "where it lives is for the callers to say",
}


def end_of(knowledge: Knowledge, node: ast.AST) -> str:
    """Return why it isn't gone back any further than to a node."""
    known = knowledge.of(node)
    if not known.cases:
        reason = knowledge.skipped(node)
        return (
            f"the code is not looked at: {reason}" if reason else "no way that is known leads here"
        )
    origin = knowledge.origin_made_by(node)
    if origin is not None and Place.HOST in known.places:
        return MADE[origin.kind].format(origin.root.label)
    if isinstance(node, ast.arg):
        return _end_of_parameter(node, known)
    if known.is_open:
        return _end_of_unknown(knowledge, node)
    return _end_of_known(known) or _end_elsewhere(knowledge, node)


def _end_of_parameter(node: ast.arg, known: Known) -> str:
    if known.is_open:
        return f"nothing says what is passed as `{node.arg}`, and where that is"
    if known.nature is Nature.MODULE:
        return _end_of_known(known)
    return _PARAMETERS.get(known.place, "what this is called with is in several places")


def _end_of_unknown(knowledge: Knowledge, node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        called = f"`{short(node.func)}`"
        values = knowledge.values(node.func)
        if any(isinstance(value, (Function, Instance)) for value in values):
            return f"what {called} gives can't be told from its code"
        return f"what {called} gives is not known: its code is out of sight"
    if isinstance(node, ast.Attribute):
        return f"nothing in sight says what `{short(node)}` holds"
    if isinstance(node, ast.Name):
        return f"nothing in sight says what `{node.id}` is"
    return "what it gives is not known"


def _end_of_known(known: Known) -> str:
    if known.nature is Nature.LOADER and known.place is Place.HOST:
        return MADE[OriginKind.BATCH]
    if known.nature is Nature.DEVICE:
        names = known.place is Place.ACCELERATOR
        return "a machine with an accelerator is assumed" if names else ""
    if known.nature is Nature.MODULE and known.place is Place.ACCELERATOR:
        return "models are taken to be moved to the accelerator as a whole"
    if known.nature is Nature.MODULE and known.place is Place.HOST:
        return "modules are built on the CPU, where they stay until they are moved"
    return ""


def _end_elsewhere(knowledge: Knowledge, node: ast.AST) -> str:
    """What makes a value to which no way leads back, such as a part of a batch."""
    origins = (getattr(value, "origin", None) for value in knowledge.values(node))
    origin = next((origin for origin in origins if origin is not None), None)
    return "" if origin is None else MADE[origin.kind].format(origin.root.label)
