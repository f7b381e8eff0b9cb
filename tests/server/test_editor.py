"""The language server as an editor uses it, over the protocol, by a client library."""

from __future__ import annotations

import pytest
from lsprotocol import types

from ..command import CLEAN, DISCARDED
from .editor import Editor, applied, until

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]
NO_HINTS: dict[tuple[int, int], str] = {}

IN_FORWARD = """\
import torch
from torch import nn


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(100, 8)

    def forward(self, tokens):
        positions = torch.arange(tokens.shape[1])
        return self.words(tokens) + self.words(positions)
"""
MAKING = """\
import torch


def noise():
    return torch.randn(8, 3)
"""
USING = """\
from making import noise
from torch import nn


class Noisy(nn.Module):
    def forward(self, x):
        return x + noise()
"""


async def test_findings_are_shown_with_their_places_as_one_types(editor: Editor) -> None:
    uri = editor.open("embedder.py", IN_FORWARD)
    (found,) = await editor.shown(uri, 1)
    assert (found.code, found.source) == ("TDL002", "torchdev-lint")
    assert found.severity == types.DiagnosticSeverity.Warning  # nothing shows that it is moved
    assert found.range.start == types.Position(10, 20)
    assert found.code_description is not None and found.code_description.href.endswith("TDL002.md")
    (related, *_) = found.related_information or ()
    assert related.location.uri == uri
    assert related.location.range.start.line == 11
    editor.type(uri, IN_FORWARD.replace("shape[1])", "shape[1], device=tokens.device)"))
    await editor.shown(uri, 0)
    editor.type(uri, IN_FORWARD)
    await editor.shown(uri, 1)
    editor.close(uri)
    await editor.shown(uri, 0)


async def test_what_is_imported_counts_as_it_is_in_the_editor(editor: Editor) -> None:
    other = editor.open("making.py", MAKING.replace("3)", '3, device="cuda")'))
    uri = editor.open("using.py", USING)
    await editor.shown(uri, 0)
    editor.type(other, MAKING)  # and it isn't saved
    (found,) = await editor.shown(uri, 1)
    assert found.code == "TDL002"
    editor.close(other)  # without saving
    await editor.shown(uri, 0)


async def test_a_module_that_is_not_saved_yet_is_found(editor: Editor) -> None:
    uri = editor.open("using.py", USING)
    await editor.shown(uri, 0)
    other = editor.open("making.py", MAKING, on_disk=False)
    await editor.shown(uri, 1)
    editor.close(other)
    await editor.shown(uri, 0)
    (editor.folder / "making.py").write_text(MAKING)
    change = types.FileEvent(editor.uri("making.py"), types.FileChangeType.Created)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    await editor.shown(uri, 1)


async def test_a_file_that_changes_on_the_disk_is_read_again(editor: Editor) -> None:
    making = editor.folder / "making.py"
    making.write_text(MAKING.replace("3)", '3, device="cuda")'))
    uri = editor.open("using.py", USING)
    await editor.shown(uri, 0)
    making.write_text(MAKING)
    change = types.FileEvent(making.as_uri(), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    await editor.shown(uri, 1)


async def test_a_finding_is_fixed_or_ignored(editor: Editor) -> None:
    uri = editor.open("embedder.py", IN_FORWARD)
    await editor.shown(uri, 1)
    assert await editor.actions(uri, 0, "quickfix") == []
    fix, ignore = await editor.actions(uri, 10, "quickfix")
    assert (fix.title, fix.is_preferred) == ("Add `device=tokens.device`", True)
    assert "shape[1], device=tokens.device)" in applied(IN_FORWARD, fix)
    assert ignore.title == "Ignore TDL002 on this line"
    assert "shape[1])  # noqa: TDL002\n" in applied(IN_FORWARD, ignore)
    editor.type(uri, applied(IN_FORWARD, ignore))
    await editor.shown(uri, 0)


async def test_all_is_fixed_at_once(editor: Editor) -> None:
    text = DISCARDED + 'more = torch.randn(2)\nmore.to("cuda")\nprint(more)\n'
    uri = editor.open("discarded.py", text)
    await editor.shown(uri, 2)
    (action,) = await editor.actions(uri, 0, "source.fixAll.torchdev-lint")
    assert action.kind == "source.fixAll.torchdev-lint"
    after = applied(text, action)
    assert 'images = images.to("cuda")\n' in after and 'more = more.to("cuda")\n' in after
    editor.type(uri, after)
    await editor.shown(uri, 0)
    assert await editor.actions(uri, 0, "source.fixAll") == []


async def test_hovering_shows_the_page_of_the_rule(editor: Editor) -> None:
    uri = editor.open("discarded.py", DISCARDED + "x = 1  # noqa: TDL004\n")
    await editor.shown(uri, 1)
    assert (await editor.hover(uri, 3, 3)).startswith("# discarded-move (TDL001)")
    assert (await editor.hover(uri, 5, 17)).startswith("# batch-never-moved (TDL004)")
    assert await editor.hover(uri, 0, 0) == ""


async def test_places_are_counted_in_utf_16(editor: Editor) -> None:
    uri = editor.open("fire.py", DISCARDED.replace("images.to", 'print("🔥é"); images.to'))
    (found,) = await editor.shown(uri, 1)
    assert found.range.start == types.Position(3, len('print("12é"); '))
    fix, ignore = await editor.actions(uri, 3, "quickfix")
    after = len('print("12é"); images.to("cuda")')
    for action, column in (fix, found.range.start.character), (ignore, after):
        assert action.edit is not None and action.edit.document_changes
        (change,) = action.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert change.edits[0].range.start == types.Position(3, column)


async def test_hints_say_where_tensors_live_if_they_are_wanted(editor: Editor) -> None:
    text = 'import torch\n\nimages = torch.randn(8, 3)\nmoved = images.to("cuda")\n'
    uri = editor.open("living.py", text)
    assert await editor.hints(uri) == {}
    editor.set({"inlayHints": True})
    await until(lambda: editor.hints(uri), {(2, 6): "on the CPU", (3, 5): "on the accelerator"})
    editor.set({"inlayHint": True})
    await _logged(editor, "did you mean `inlayHints`?")
    editor.set({})
    await until(lambda: editor.hints(uri), NO_HINTS)
    # Editors that can't be asked send what is set.
    sent = types.DidChangeConfigurationParams({"torchdev-lint": {"inlayHints": "yes"}})
    editor.client.workspace_did_change_configuration(sent)
    await _logged(editor, "the setting torchdev-lint.inlayHints is neither true nor false")


async def test_the_nearest_settings_hold(editor: Editor) -> None:
    settings = editor.folder / "torchdev-lint.toml"
    settings.write_text('ignore = ["TDL001"]\n')
    uri = editor.open("discarded.py", DISCARDED)
    await editor.shown(uri, 0)
    settings.write_text('ignroe = ["TDL001"]\n')
    change = types.FileEvent(settings.as_uri(), types.FileChangeType.Changed)
    changed = types.DidChangeWatchedFilesParams([change])
    shown = len(editor.client.messages)
    editor.client.workspace_did_change_watched_files(changed)

    async def is_shown() -> bool:
        return len(editor.client.messages) > shown

    await until(is_shown, True)
    assert "did you mean `ignore`?" in editor.client.messages[-1].message
    settings.write_text('exclude = ["other.py"]\n')
    editor.client.workspace_did_change_watched_files(changed)
    await editor.shown(uri, 1)
    settings.write_text('exclude = ["discarded.py"]\n')
    editor.client.workspace_did_change_watched_files(changed)
    await editor.shown(uri, 0)


async def test_what_cannot_be_parsed_has_no_findings_until_it_can(editor: Editor) -> None:
    uri = editor.open("discarded.py", DISCARDED)
    await editor.shown(uri, 1)
    editor.type(uri, DISCARDED + "def f(:\n")
    await editor.shown(uri, 0)
    editor.type(uri, DISCARDED)
    await editor.shown(uri, 1)
    editor.type(uri, CLEAN)
    await editor.shown(uri, 0)


async def test_any_name_may_be_a_files(editor: Editor) -> None:
    uri = editor.open("a b+é.py", DISCARDED)
    assert "%20" in uri
    await editor.shown(uri, 1)


async def test_a_text_that_is_in_no_file_yet_is_looked_at(editor: Editor) -> None:
    uri = editor.open("never-saved.py", DISCARDED, on_disk=False)
    await editor.shown(uri, 1)
    item = types.TextDocumentItem("untitled:Untitled-1", "python", 1, DISCARDED)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    await editor.shown("untitled:Untitled-1", 1)


async def _logged(editor: Editor, text: str) -> None:
    async def is_logged() -> bool:
        return any(text in each.message for each in editor.client.log_messages)

    await until(is_logged, True)
