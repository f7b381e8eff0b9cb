"""Who may give functions what is on an accelerator."""

from __future__ import annotations

import ast

from torchdev_lint.placement.facts.events import Called, Facts


class Callers:
    """Which entry points may be given what is on an accelerator, going by calls in the file.

    Args:
        facts: what is known of the file.
    """

    def __init__(self, facts: Facts) -> None:
        self._calls: dict[ast.AST, list[Called]] = {}
        for call in facts.of(Called):
            self._calls.setdefault(call.function, []).append(call)

    def may_bring_device(self, function: ast.AST) -> bool:
        """Whether nobody calls a function, or not all callers have only tensors on the host."""
        pending, seen = [function], set[ast.AST]()
        while pending:
            current = pending.pop()
            if current in seen:
                continue
            seen.add(current)
            calls = self._calls.get(current, [])
            if not calls or any(not (call.on_host or call.as_given) for call in calls):
                return True
            pending += [call.caller for call in calls if call.as_given and call.caller]
        return False
