"""What was promised to stay is still there."""

from __future__ import annotations

import json

import pytest

from tests.shipped.stability import RECORD, broken, promised
from torchdev_lint.rules import OWN_RULES


def test_what_was_promised_stays() -> None:
    before = json.loads(RECORD.read_text(encoding="utf-8"))
    assert broken(before, promised()) == [], "docs/stability.md says what that takes"


def test_all_that_is_promised_is_recorded() -> None:
    before = json.loads(RECORD.read_text(encoding="utf-8"))
    new = broken(promised(), before)
    assert new == [], "run `python -m tests.shipped.stability --write`"


@pytest.mark.parametrize("kind", promised())
def test_what_goes_is_noticed(kind: str) -> None:
    now = promised()
    name = next(iter(now[kind]))
    left = {**now, kind: {key: what for key, what in now[kind].items() if key != name}}
    assert broken(now, left) == [f"{kind}: {name}"]


def test_opt_in_rules_are_not_promised() -> None:
    opt_in = {rule.code for rule in OWN_RULES if rule.opt_in}
    assert opt_in
    assert opt_in.isdisjoint(promised()["rules"])
