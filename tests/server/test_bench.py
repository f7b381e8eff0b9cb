"""The process that analyses may hang or die: only what was asked then has failed."""

from __future__ import annotations

import asyncio

import pytest

from torchdev_lint.server.bench import Bench
from torchdev_lint.server.questions import Failure, Question

from .acts import act

pytestmark = pytest.mark.slow


def test_what_hangs_or_dies_has_failed_and_nothing_else() -> None:
    async def asked() -> list[object]:
        bench = Bench(limit=2.0, work=act)
        questions = [Question({}, "findings", (what,)) for what in ("a", "hang", "b", "die", "c")]
        found = [await bench.ask(question) for question in questions]
        gone = asyncio.ensure_future(bench.ask(questions[1]))
        await asyncio.sleep(0.1)
        bench.close()
        return [*found, await gone]

    a, hung, b, died, c, closed = asyncio.run(asked())
    assert (a, b, c) == ("a", "b", "c")
    assert hung == Failure("took longer than 2 seconds")
    assert isinstance(died, Failure) and "died" in died.message
    assert isinstance(closed, Failure)
