"""What may be done in other files, however much there is."""

from __future__ import annotations

from torchdev_lint.placement.domain.budget import Budget


def _spent(budget: Budget, callee: object) -> int:
    """Do as much in another file as may be done for one callee, and count it."""
    count = 0
    with budget.abroad_in(callee):
        while budget.spend():
            count += 1
    return count


def test_what_is_small_is_followed_beside_what_is_large() -> None:
    budget = Budget()
    models = [_spent(budget, f"model {number}") for number in range(4)]
    assert models[0] > models[-1]
    assert 0 < _spent(budget, "measure") < models[0]


def test_all_calls_of_one_function_have_one_share() -> None:
    budget = Budget()
    for number in range(4):
        _spent(budget, f"model {number}")
    assert _spent(budget, "measure") > 0
    assert _spent(budget, "measure") == 0
