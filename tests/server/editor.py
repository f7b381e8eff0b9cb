"""What somebody does in an editor, by a client library."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from lsprotocol import types
from pytest_lsp import LanguageClient

T = TypeVar("T")
_LIMIT = 20.0
"""How many seconds an answer may take on a busy machine."""


class Editor:
    """What somebody does in an editor, and sees there."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self._versions: dict[str, int] = {}

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str, on_disk: bool = True) -> str:
        if on_disk:
            (self.folder / name).write_text(text, encoding="utf-8")
        uri = self.uri(name)
        self._versions[uri] = 1
        item = types.TextDocumentItem(uri, "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def type(self, uri: str, text: str) -> None:
        self._versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(version=self._versions[uri], uri=uri)
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )

    def set(self, settings: dict[str, object]) -> None:
        """Change what is set: the server is told that it has, and asks for it."""
        self.client.set_configuration(settings, section="torchdev-lint")
        self.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))

    async def shown(self, uri: str, count: int) -> list[types.Diagnostic]:
        """Return what is shown for a document, as soon as that is so many findings."""
        end = asyncio.get_running_loop().time() + _LIMIT
        while uri not in self.client.diagnostics or len(self.client.diagnostics[uri]) != count:
            now = self.client.diagnostics.get(uri)
            assert asyncio.get_running_loop().time() < end, f"shown is {now}"
            await asyncio.sleep(0.02)
        return list(self.client.diagnostics[uri])

    async def actions(self, uri: str, line: int, only: str | None = None) -> list[types.CodeAction]:
        where = types.Range(types.Position(line, 0), types.Position(line, 80))
        context = types.CodeActionContext([], None if only is None else [only])
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(types.TextDocumentIdentifier(uri), where, context)
        )
        return [each for each in found or () if isinstance(each, types.CodeAction)]

    async def hover(self, uri: str, line: int, character: int) -> str:
        found = await self.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        )
        if found is None:
            return ""
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def hints(self, uri: str) -> dict[tuple[int, int], str]:
        everything = types.Range(types.Position(0, 0), types.Position(100, 0))
        found = await self.client.text_document_inlay_hint_async(
            types.InlayHintParams(types.TextDocumentIdentifier(uri), everything)
        )
        return {(h.position.line, h.position.character): str(h.label) for h in found or ()}


def applied(text: str, action: types.CodeAction) -> str:
    """Return a text (of one encoding unit a character) after an action."""
    assert action.edit is not None
    (change,) = action.edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    edits = [edit for edit in change.edits if isinstance(edit, types.TextEdit)]
    for edit in sorted(edits, key=lambda each: each.range.start.line, reverse=True):
        begin, end = edit.range.start, edit.range.end
        first, last = starts[begin.line] + begin.character, starts[end.line] + end.character
        text = text[:first] + edit.new_text + text[last:]
    return text


async def until(found: Callable[[], Awaitable[T]], wanted: T) -> None:
    end = asyncio.get_running_loop().time() + _LIMIT
    while (now := await found()) != wanted:
        assert asyncio.get_running_loop().time() < end, now
        await asyncio.sleep(0.02)
