"""Reports as JSON, and back: nothing comes back that has not the shape of a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

from torchdev_lint.cache.shape import (
    WrongShape,
    every,
    fields,
    mapping,
    perhaps,
    text,
    truth,
    whole,
)
from torchdev_lint.change import Applicability, Fix, Replace
from torchdev_lint.finding import Finding, Related, Revealed, Skip
from torchdev_lint.records import replace
from torchdev_lint.report import FileReport
from torchdev_lint.source.cells import Cell
from torchdev_lint.source.problem import KINDS, Kind, Problem
from torchdev_lint.source.span import Span

Severity = Literal["error", "warning"]
Move = Callable[[str], str]
"""Makes another path of a path."""


def as_json(report: FileReport, relative: Move) -> dict[str, object]:
    """Return what has to be kept of a report.

    Args:
        report: the report of a file that was not fixed.
        relative: makes paths such as can be kept.
    """
    edits = report.edits or (None,) * len(report.findings)
    problem = report.problem
    return {
        "findings": [
            _finding_as_json(finding, replaced, relative)
            for finding, replaced in zip(report.findings, edits, strict=True)
        ],
        "lines": [[number, line] for number, line in report.lines.items()],
        "problem": problem and _problem_as_json(problem),
        "skipped": [[_span_as_json(s.span), s.scope, s.reason] for s in report.skipped],
        "revealed": [[_span_as_json(r.span), r.scope, r.text, r.words] for r in report.revealed],
        "warnings": [_problem_as_json(warning) for warning in report.warnings],
        "cells": [[cell.number, cell.line, cell.file_line, cell.step] for cell in report.cells],
    }


def report_from(value: object, path: str, absolute: Move) -> FileReport:
    """Return the report of a file.

    Args:
        value: what was kept of it.
        path: the file, as it is shown to the user.
        absolute: makes paths of those that were kept.

    Raises:
        WrongShape: it is none.
    """
    kept = mapping(value)
    found = every(kept.get("findings"), lambda each: _finding_from(each, absolute))
    return FileReport(
        path,
        tuple(finding for finding, _ in found),
        dict(every(kept.get("lines"), _line_from)),
        perhaps(kept.get("problem"), lambda each: _problem_from(each, path)),
        tuple(edits for _, edits in found),
        skipped=every(kept.get("skipped"), _skip_from),
        warnings=every(kept.get("warnings"), lambda each: _warning_from(each, path)),
        revealed=every(kept.get("revealed"), _revealed_from),
        cells=every(kept.get("cells"), lambda each: Cell(*map(whole, fields(each, 4)))),
    )


def _finding_as_json(
    finding: Finding, edits: tuple[Replace, ...] | None, relative: Move
) -> list[object]:
    fix = finding.fix
    return [
        finding.code,
        finding.name,
        finding.message,
        _span_as_json(finding.span),
        [
            [place.message, _span_as_json(place.span), place.path and relative(place.path)]
            for place in finding.related
        ],
        finding.scope,
        fix and [fix.message, fix.applicability],
        edits and [[_span_as_json(edit.span), edit.text] for edit in edits],
        finding.assumes,
        finding.if_shown,
        finding.given,
        finding.severity,
    ]


def _finding_from(value: object, absolute: Move) -> tuple[Finding, tuple[Replace, ...] | None]:
    code, name, message, span, related, scope, fix, edits, *rest = fields(value, 12)
    assumes, if_shown, given, severity = rest
    finding = Finding(
        text(code),
        text(name),
        text(message),
        _span_from(span),
        every(related, lambda each: _related_from(each, absolute)),
        text(scope),
        perhaps(fix, _fix_from),
        assumes=text(assumes),
        if_shown=truth(if_shown),
        given=truth(given),
        severity=_severity_from(severity),
    )
    return finding, perhaps(edits, lambda each: every(each, _edit_from))


def _related_from(value: object, absolute: Move) -> Related:
    message, span, path = fields(value, 3)
    return Related(
        text(message), _span_from(span), perhaps(path, lambda each: absolute(text(each)))
    )


def _fix_from(value: object) -> Fix:
    """Return a fix as reports need it, which say what it replaces themselves."""
    message, applicability = map(text, fields(value, 2))
    if applicability not in {"safe", "unsafe"}:
        raise WrongShape
    return Fix(message, cast("Applicability", applicability), ())


def _severity_from(value: object) -> Severity:
    if value not in ("error", "warning"):
        raise WrongShape
    return value


def _edit_from(value: object) -> Replace:
    span, content = fields(value, 2)
    return Replace(_span_from(span), text(content))


def _line_from(value: object) -> tuple[int, str]:
    number, line = fields(value, 2)
    return whole(number), text(line)


def _problem_as_json(problem: Problem) -> list[object]:
    return [problem.message, problem.line, problem.column, problem.kind, problem.cell]


def _problem_from(value: object, path: str) -> Problem:
    message, line, column, kind, cell = fields(value, 5)
    if kind not in KINDS:
        raise WrongShape
    place = perhaps(line, whole), perhaps(column, whole)
    return Problem(path, text(message), *place, cast("Kind", kind), cell=perhaps(cell, whole))


def _warning_from(value: object, path: str) -> Problem:
    return replace(_problem_from(value, path), severity="warning")


def _revealed_from(value: object) -> Revealed:
    span, *rest = fields(value, 4)
    return Revealed(_span_from(span), *map(text, rest))


def _skip_from(value: object) -> Skip:
    span, scope, reason = fields(value, 3)
    return Skip(_span_from(span), text(scope), text(reason))


def _span_as_json(span: Span) -> list[int]:
    return [span.line, span.column, span.end_line, span.end_column]


def _span_from(value: object) -> Span:
    return Span(*map(whole, fields(value, 4)))
