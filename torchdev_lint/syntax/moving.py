"""Where calls move something, as they are written."""

from __future__ import annotations

import ast


def destination(call: ast.Call) -> ast.expr | None:
    """Return what a call of `to` is told of a device, if anything; that may be a dtype as well."""
    named = (keyword.value for keyword in call.keywords if keyword.arg == "device")
    return next(named, call.args[0] if call.args else None)
