"""Findings as editors show them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from lsprotocol import types
from pygls.uris import from_fs_path

from torchdev_lint.addresses import page_url
from torchdev_lint.finding import Finding, Related, Revealed
from torchdev_lint.server.documents import Text
from torchdev_lint.server.positions import Places, Spots, lines_of
from torchdev_lint.server.rounds import Analysed
from torchdev_lint.source.cells import line_in_file
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.source import SourceError, cells_in, read_source

SOURCE = "torchdev-lint"
"""What editors show as the origin of a diagnostic."""
_SEVERITY = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
}


class Diagnostics:
    """Makes diagnostics of what was found in a document.

    Args:
        analysed: that.
        encoding: in what columns are counted.
    """

    def __init__(self, analysed: Analysed, encoding: str) -> None:
        self.analysed = analysed
        self._encoding = encoding
        self.spots = Spots(analysed.document, analysed.checked.report.cells, encoding)

    def every(self) -> dict[Text, list[types.Diagnostic]]:
        """Return all that is to be shown, for each text of the document.

        That a text can't be parsed is not among it: editors say so themselves, and while somebody
        writes it is so most of the time.
        """
        report, spots = self.analysed.checked.report, self.spots
        found = {text: list[types.Diagnostic]() for text in self.analysed.document.texts}
        for finding in report.findings:
            found[spots.text_at(finding.span.line)].append(self.of(finding))
        for note in report.revealed:
            found[spots.text_at(note.span.line)].append(self._note(note))
        for problem in report.warnings:
            text = self.analysed.document.texts[(problem.cell or 1) - 1]
            found[text].append(self._warning(problem, text))
        return found

    def of(self, finding: Finding) -> types.Diagnostic:
        """Return a finding as a diagnostic."""
        url = page_url(finding.code)
        return types.Diagnostic(
            range=self.spots.location(finding.span).range,
            message=finding.message,
            severity=_SEVERITY[finding.severity],
            code=finding.code,
            code_description=types.CodeDescription(url) if url else None,
            source=SOURCE,
            related_information=list(self._related(finding)),
        )

    def _related(self, finding: Finding) -> Iterator[types.DiagnosticRelatedInformation]:
        for place in finding.related:
            yield types.DiagnosticRelatedInformation(self._location(place), place.message)

    def _location(self, place: Related) -> types.Location:
        if place.path is None:
            return self.spots.location(place.span)
        cells = cells_in(place.path)
        if cells:  # which of the editor's cells that is can't be told from its path
            start = types.Position(line_in_file(cells, place.span.line) - 1, 0)
            return types.Location(from_fs_path(place.path) or "", types.Range(start, start))
        places = Places(_lines_in(place.path), self._encoding)
        return types.Location(from_fs_path(place.path) or "", places.range(place.span))

    def _note(self, note: Revealed) -> types.Diagnostic:
        return types.Diagnostic(
            range=self.spots.location(note.span).range,
            message=note.message,
            severity=types.DiagnosticSeverity.Information,
            source=SOURCE,
        )

    def _warning(self, problem: Problem, text: Text) -> types.Diagnostic:
        line, places = problem.line or 1, self.spots.places(text)
        return types.Diagnostic(
            range=types.Range(places.position(line, 0), places.end(line)),
            message=problem.message,
            severity=types.DiagnosticSeverity.Warning,
            source=SOURCE,
        )


def _lines_in(path: str) -> list[str]:
    """The lines of another file, as far as they are needed to count columns."""
    try:
        return lines_of(read_source(path).text)
    except SourceError:
        return []


@cache
def page_of(code: str) -> str | None:
    """Return the page of the rule with a code, in Markdown; None if there is none."""
    # Imported late: it takes long, and is wanted by whoever looks at a finding only.
    from torchdev_lint.rule_docs import page
    from torchdev_lint.rules import ALL_RULES

    return next((page(rule) for rule in ALL_RULES if rule.code == code), None)
