"""What editors offer to do about findings."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from lsprotocol import types

from torchdev_lint.change import Fix, Replace
from torchdev_lint.server.documents import Document
from torchdev_lint.server.positions import Places, lines_of

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.torchdev-lint"
QUICK_FIX = types.CodeActionKind.QuickFix.value


def is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Whether an editor asks for actions of a kind."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


class Actions:
    """Makes actions on one document.

    Args:
        document: that.
        places: converts places in it.
        versioned: whether the editor takes changes to a state of a document.
    """

    def __init__(self, document: Document, places: Places, versioned: bool) -> None:
        self._document = document
        self._places = places
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

    def fix_all(self, text: str) -> types.CodeAction:
        """Return what mends all that can be mended.

        Args:
            text: that of the document afterwards.
        """
        return types.CodeAction(
            title="Fix all that torchdev-lint can fix",
            kind=FIX_ALL,
            edit=self._edit(self._becoming(text)),
        )

    def _replacing(self, edits: Sequence[Replace]) -> list[types.TextEdit]:
        return [types.TextEdit(self._places.range(edit.span), edit.text) for edit in edits]

    def _becoming(self, text: str) -> list[types.TextEdit]:
        """Replace the lines that differ, and leave cursors and marks in the others alone."""
        before, after = lines_of(self._document.text), lines_of(text)
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        return [
            types.TextEdit(
                types.Range(self._places.end(begin), self._places.end(end)),
                "".join(after[new_begin:new_end]),
            )
            for kind, begin, end, new_begin, new_end in matcher.get_opcodes()
            if kind != "equal"
        ]

    def _edit(self, edits: list[types.TextEdit]) -> types.WorkspaceEdit:
        document = self._document
        if not self._versioned:
            return types.WorkspaceEdit(changes={document.uri: edits})
        state = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
        changes = types.TextDocumentEdit(state, list(edits))
        return types.WorkspaceEdit(document_changes=[changes])
