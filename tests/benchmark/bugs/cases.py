"""The cases: what `cases.jsonl` says, and which half of them a repository belongs to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

INDEX = Path(__file__).parent / "cases.jsonl"
LATER = INDEX.with_name("cases_later.jsonl")
"""Cases that were collected afterwards, from other repositories."""

Half: TypeAlias = Literal["tune", "kept"]
HALVES: tuple[Half, ...] = get_args(Half)


@dataclass(frozen=True, slots=True)
class Case:
    """A bug that a commit mended.

    Args:
        repository: `owner/name`.
        fix: the commit that mended it.
        parent: the commit before, which has the bug.
        path: the file, as it is called in the parent.
        lines: where in the parent's file a linter should speak.
        mended: lines of the same functions that the fix changed; a finding there is as good.
        code: the rule that the bug belongs to, whether or not there is such a rule yet. A tensor
            that is made on the CPU has TDL002, wherever that is.
        kind: for TDL002 where the tensor is made (`forward`, `method`, `function`); else a word
            that tells variants of a rule apart, or nothing.
        one_file: whether the file alone tells: `yes`, `maybe` or `no`.
        confidence: how sure it is that the code fails on an accelerator: `high` or `medium`.
        why: how one sees it, in a line.
    """

    repository: str
    fix: str
    parent: str
    path: str
    lines: tuple[int, ...]
    mended: tuple[int, ...]
    code: str
    kind: str
    one_file: str
    confidence: str
    why: str

    @property
    def half(self) -> Half:
        """The half that the repository belongs to: the same one however many cases are added."""
        digest = hashlib.sha256(self.repository.lower().encode()).hexdigest()
        return HALVES[int(digest, 16) % len(HALVES)]

    @property
    def codes(self) -> frozenset[str]:
        """The rules that say exactly this: outside `forward`, TDL002 is TDL016's as well."""
        shared = self.code == "TDL002" and self.kind in {"function", "method"}
        return frozenset({self.code, "TDL016"}) if shared else frozenset({self.code})


def read(index: Path = INDEX) -> list[Case]:
    """Read all cases, in the order of the index."""
    return [_case(line) for line in index.read_text(encoding="utf-8").splitlines()]


def of_half(cases: Iterable[Case], half: Half | None) -> list[Case]:
    """Those of one half, or all."""
    return [case for case in cases if half is None or case.half == half]


def _case(line: str) -> Case:
    fields = json.loads(line)
    lines, mended = tuple(fields.pop("lines")), tuple(fields.pop("mended"))
    return Case(**fields, lines=lines, mended=mended)
