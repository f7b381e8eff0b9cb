"""What editors offer to do about findings."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from lsprotocol import types

from torchdev_lint.change import Fix, Replace
from torchdev_lint.server.documents import Document, Text
from torchdev_lint.server.positions import Spots, lines_of

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.torchdev-lint"
FIX_NOTEBOOK = f"notebook.{FIX_ALL}"
"""What editors ask for once a notebook; what mends a file they would ask each cell for."""
QUICK_FIX = types.CodeActionKind.QuickFix.value


def is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Whether an editor asks for actions of a kind."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


class Actions:
    """Makes actions on one document.

    Args:
        document: that.
        spots: finds places in it.
        versioned: whether the editor takes changes to a state of a document.
    """

    def __init__(self, document: Document, spots: Spots, versioned: bool) -> None:
        self._document = document
        self._spots = spots
        self._versioned = versioned

    def quick_fix(
        self, fix: Fix, edits: Sequence[Replace], diagnostic: types.Diagnostic
    ) -> types.CodeAction:
        """Return what mends one finding."""
        is_safe = fix.applicability == "safe"
        return types.CodeAction(
            title=fix.message if is_safe else f"{fix.message} (unsafe)",
            kind=QUICK_FIX,
            diagnostics=[diagnostic],
            is_preferred=is_safe,
            edit=self._edit(self._replacing(edits)),
        )

    def ignore(self, edits: Sequence[Replace], diagnostic: types.Diagnostic) -> types.CodeAction:
        """Return what silences one finding."""
        return types.CodeAction(
            title=f"Ignore {diagnostic.code} on this line",
            kind=QUICK_FIX,
            diagnostics=[diagnostic],
            edit=self._edit(self._replacing(edits)),
        )

    def fix_all(self, contents: Sequence[str]) -> types.CodeAction:
        """Return what mends all that can be mended.

        Args:
            contents: what the texts of the document hold afterwards.
        """
        changes = {
            text: self._becoming(text, content)
            for text, content in zip(self._document.texts, contents, strict=True)
            if text.content != content
        }
        return types.CodeAction(
            title="Fix all that torchdev-lint can fix",
            kind=FIX_NOTEBOOK if self._document.is_notebook else FIX_ALL,
            edit=self._edit(changes),
        )

    def _replacing(self, edits: Sequence[Replace]) -> dict[Text, list[types.TextEdit]]:
        changes = dict[Text, list[types.TextEdit]]()
        for edit in edits:
            place = self._spots.location(edit.span).range
            text = self._spots.text_at(edit.span.line)
            changes.setdefault(text, []).append(types.TextEdit(place, edit.text))
        return changes

    def _becoming(self, text: Text, content: str) -> list[types.TextEdit]:
        """Replace the lines that differ, and leave cursors and marks in the others alone."""
        before, after, places = lines_of(text.content), lines_of(content), self._spots.places(text)
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        return [
            types.TextEdit(
                types.Range(places.end(begin), places.end(end)),
                "".join(after[new_begin:new_end]),
            )
            for kind, begin, end, new_begin, new_end in matcher.get_opcodes()
            if kind != "equal"
        ]

    def _edit(self, changes: Mapping[Text, list[types.TextEdit]]) -> types.WorkspaceEdit:
        if not self._versioned:
            return types.WorkspaceEdit(changes={text.uri: each for text, each in changes.items()})
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(text.uri, text.version),
                    list(edits),
                )
                for text, edits in changes.items()
            ]
        )
