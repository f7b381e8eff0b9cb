"""What was found, as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tests.benchmark.bugs.cases import Case
from torchdev_lint.rules import ALL_RULES


@dataclass(frozen=True, slots=True)
class Answer:
    """What the linter says where a case is.

    Args:
        codes: of the findings there.
    """

    case: Case
    codes: frozenset[str]

    @property
    def found(self) -> bool:
        """Whether it says anything."""
        return bool(self.codes)

    @property
    def exact(self) -> bool:
        """Whether it says what the case is."""
        return bool(self.codes & self.case.codes)


def table(answers: Iterable[Answer]) -> str:
    """Tell how many were found: by rule and kind, and in sums.

    `FAIR` are cases that are certain and seen from one file, `WIDER` certain ones that may need
    others. Both are told for the rules there are, and for all.
    """
    told = list(answers)
    rows = [f"{'':24}{'cases':>7}{'found':>7}{'exact':>7}{'recall':>9}"]
    for label in sorted({_label(one.case) for one in told}):
        rows.append(_row(label, [one for one in told if _label(one.case) == label]))
    for title, of in _SUMS.items():
        rows.append(_row(title, [one for one in told if of(one.case)]))
    return "\n".join(rows)


def _has_rule(case: Case) -> bool:
    return bool(case.codes & {rule.code for rule in ALL_RULES})


def _is_fair(case: Case) -> bool:
    return case.confidence == "high" and case.one_file == "yes"


def _is_wider(case: Case) -> bool:
    return case.confidence == "high" and case.one_file != "yes"


_SUMS: dict[str, Callable[[Case], bool]] = {
    "FAIR, rules there are": lambda case: _is_fair(case) and _has_rule(case),
    "WIDER, rules there are": lambda case: _is_wider(case) and _has_rule(case),
    "all, rules there are": _has_rule,
    "FAIR": _is_fair,
    "WIDER": _is_wider,
    "all": lambda case: True,
}


def _label(case: Case) -> str:
    return f"{case.code} {case.kind}" if case.code == "TDL002" else case.code


def _row(label: str, answers: Sequence[Answer]) -> str:
    found = sum(one.found for one in answers)
    exact = sum(one.exact for one in answers)
    share = f"{found / len(answers):9.0%}" if answers else f"{'-':>9}"
    return f"{label:24}{len(answers):7}{found:7}{exact:7}{share}"
