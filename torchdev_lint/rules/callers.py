"""Who may give functions what is on an accelerator."""

from __future__ import annotations

import ast

from torchdev_lint.placement.facts.events import Called, KeptOnHost
from torchdev_lint.placement.facts.facts import Facts


class Callers:
    """Which entry points may be given what is on an accelerator, going by the code of the file.

    Args:
        facts: what is known of the file.
    """

    def __init__(self, facts: Facts) -> None:
        calls = [call for call in facts.of(Called) if call.caller is not call.function]
        called = {call.function for call in calls}
        passing: dict[ast.AST | None, list[ast.AST]] = {}
        for call in calls:
            if not call.with_host:
                passing.setdefault(call.caller, []).append(call.function)
        pending = [call.function for call in calls if call.on_device]
        # What the file doesn't call may be given anything, and hands that on. What it does call is
        # followed from there: only if it may be given the same does it count what it hands on.
        for caller in passing.keys() - called:
            pending += passing[caller]
        elsewhere: set[ast.AST] = set()
        while pending:
            function = pending.pop()
            if function not in elsewhere:
                elsewhere.add(function)
                pending += passing.get(function, ())
        self._with_host = (called - elsewhere) | {kept.node for kept in facts.of(KeptOnHost)}

    def may_bring_device(self, function: ast.AST) -> bool:
        """Whether nobody calls a function, or some caller has no tensor on the host for it.

        What computes with its arguments what it has brought to the CPU itself is called with such.
        """
        return function not in self._with_host
