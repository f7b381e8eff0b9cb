"""Notebooks in an editor: what is found in the program of all cells is shown in each of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from lsprotocol import types

from .editor import Editor, applied, until

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

IMPORTS = "import torch\n%matplotlib inline\nfrom torch import nn"
MAKES = 'images = torch.randn(8, 3)\nprint("🔥"); images'
MOVES = '!nvidia-smi\nimages.to("cuda")'


class Notebook:
    """A notebook that somebody has open."""

    def __init__(self, editor: Editor, name: str, *cells: str) -> None:
        self.editor = editor
        self.uri = editor.uri(name)
        self._count = self._version = 0
        items = [self._item(cell) for cell in cells]
        self.cells = [item.uri for item in items]
        document = types.NotebookDocument(self.uri, "jupyter-notebook", 0, list(map(_cell, items)))
        editor.client.notebook_document_did_open(
            types.DidOpenNotebookDocumentParams(document, items)
        )

    def _item(self, text: str) -> types.TextDocumentItem:
        """A new cell; what begins with `#md` is text."""
        self._count += 1
        path = self.uri.removeprefix("file:")
        language = "markdown" if text.startswith("#md") else "python"
        return types.TextDocumentItem(
            f"vscode-notebook-cell:{path}#W{self._count}", language, 1, text
        )

    def _change(self, cells: types.NotebookDocumentCellChanges) -> None:
        self._version += 1
        document = types.VersionedNotebookDocumentIdentifier(self._version, self.uri)
        self.editor.client.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(
                document, types.NotebookDocumentChangeEvent(cells=cells)
            )
        )

    def type(
        self, cell: int, *changes: types.TextDocumentContentChangeEvent, one_by_one: bool = False
    ) -> None:
        document = types.VersionedTextDocumentIdentifier(self._version + 2, self.cells[cell])
        told = [[change] for change in changes] if one_by_one else [list(changes)]
        contents = [types.NotebookDocumentCellContentChanges(document, each) for each in told]
        self._change(types.NotebookDocumentCellChanges(text_content=contents))

    def insert(self, at: int, text: str) -> None:
        item = self._item(text)
        self.cells.insert(at, item.uri)
        array = types.NotebookCellArrayChange(at, 0, [_cell(item)])
        change = types.NotebookDocumentCellChangeStructure(array, did_open=[item])
        self._change(types.NotebookDocumentCellChanges(structure=change))

    def remove(self, at: int) -> None:
        gone = types.TextDocumentIdentifier(self.cells.pop(at))
        array = types.NotebookCellArrayChange(at, 1)
        change = types.NotebookDocumentCellChangeStructure(array, did_close=[gone])
        self._change(types.NotebookDocumentCellChanges(structure=change))

    def close(self) -> None:
        cells = [types.TextDocumentIdentifier(uri) for uri in self.cells]
        self.editor.client.notebook_document_did_close(
            types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(self.uri), cells)
        )

    async def shown(self, *counts: int) -> list[types.Diagnostic]:
        """Return what is shown in the cells, as soon as these are so many findings in each."""
        each = zip(self.cells, counts, strict=True)
        return [found for cell, n in each for found in await self.editor.shown(cell, n)]


def _cell(item: types.TextDocumentItem) -> types.NotebookCell:
    is_text = item.language_id == "markdown"
    kind = types.NotebookCellKind.Markup if is_text else types.NotebookCellKind.Code
    return types.NotebookCell(kind, item.uri)


def _edits(action: types.CodeAction) -> dict[str, Sequence[object]]:
    """What an action changes, by cell."""
    assert action.edit is not None
    changes = [
        each
        for each in action.edit.document_changes or ()
        if isinstance(each, types.TextDocumentEdit)
    ]
    return {each.text_document.uri: each.edits for each in changes}


async def test_findings_are_shown_in_their_cells(editor: Editor) -> None:
    notebook = Notebook(editor, "a.ipynb", IMPORTS, "#md images.to(1)", MAKES, MOVES)
    (found,) = await notebook.shown(0, 0, 0, 1)
    assert (found.code, found.range.start) == ("TDL001", types.Position(1, 0))
    assert await editor.hover(notebook.cells[3], 1, 3) != ""
    assert await editor.hover(notebook.cells[2], 1, 3) == ""
    whole = types.TextDocumentContentChangeWholeDocument
    notebook.type(3, whole('images = images.to("cuda")'))
    await notebook.shown(0, 0, 0, 0)
    notebook.type(3, whole(MOVES + "\nimages.cuda()"))
    await notebook.shown(0, 0, 0, 2)
    gone = notebook.cells[3]
    notebook.remove(3)
    await editor.shown(gone, 0)
    notebook.insert(3, "images.cuda()")
    await notebook.shown(0, 0, 0, 1)
    cells = notebook.cells
    notebook.close()
    assert await editor.shown(cells[3], 0) == []


async def test_a_related_place_is_in_another_cell(editor: Editor) -> None:
    model = (
        "class Net(nn.Module):\n    def forward(self, x):\n"
        "        return x + torch.zeros(3)\n\nnet = Net()"
    )
    notebook = Notebook(editor, "b.ipynb", IMPORTS, model, 'net.to("cuda")')
    (found,) = await notebook.shown(0, 1, 0)
    places = [
        (each.location.uri, each.location.range.start) for each in found.related_information or ()
    ]
    assert (notebook.cells[2], types.Position(0, 0)) in places


@pytest.mark.parametrize("one_by_one", [False, True])
async def test_a_part_of_a_cell_is_changed(editor: Editor, one_by_one: bool) -> None:
    """Columns are those of the protocol, and lines end where Python ends them."""
    notebook = Notebook(editor, f"c{one_by_one:d}.ipynb", IMPORTS, MAKES + "\x0c\nimages", "images")
    await notebook.shown(0, 0, 0)
    after = types.Position(1, len('print("12"); images'))
    part = types.TextDocumentContentChangePartial(types.Range(after, after), '.to("cuda")')
    more = types.TextDocumentContentChangePartial(
        types.Range(types.Position(2, 0), types.Position(2, 3)), "images.cuda(); ima"
    )
    notebook.type(1, part, more, one_by_one=one_by_one)
    first, second = await notebook.shown(0, 2, 0)
    assert first.range.start == types.Position(1, len('print("12"); '))
    assert second.range.start == types.Position(2, 0)


async def test_a_finding_is_fixed_or_ignored_in_its_cell(editor: Editor) -> None:
    notebook = Notebook(editor, "d.ipynb", IMPORTS, MAKES, MOVES, MOVES.replace("images", "x"))
    await notebook.shown(0, 0, 1, 0)
    cell = notebook.cells[2]
    assert await editor.actions(notebook.cells[3], 1, "quickfix") == []
    fix, ignore = await editor.actions(cell, 1, "quickfix")
    assert list(_edits(fix)) == list(_edits(ignore)) == [cell]
    assert applied(MOVES, fix) == MOVES.replace("images.to", "images = images.to")
    assert applied(MOVES, ignore) == MOVES + "  # noqa: TDL001"
    notebook.type(2, types.TextDocumentContentChangeWholeDocument(applied(MOVES, ignore)))
    await notebook.shown(0, 0, 0, 0)


async def test_all_is_fixed_in_all_cells_at_once(editor: Editor) -> None:
    more = 'more = torch.randn(2)\nmore.to("cuda")\nprint(more)'
    notebook = Notebook(editor, "e.ipynb", IMPORTS, MAKES, MOVES, more)
    await notebook.shown(0, 0, 1, 1)
    # Editors would ask each cell for this, and make what it answers several times.
    assert await editor.actions(notebook.cells[2], 0, "source.fixAll") == []
    (action,) = await editor.actions(notebook.cells[0], 0, "notebook.source.fixAll")
    assert action.kind == "notebook.source.fixAll.torchdev-lint"
    assert list(_edits(action)) == notebook.cells[2:]


async def test_hints_are_those_of_the_cell(editor: Editor) -> None:
    notebook = Notebook(editor, "f.ipynb", IMPORTS, MAKES, 'moved = images.to("cuda")')
    await notebook.shown(0, 0, 0)
    editor.set({"inlayHints": True})
    await until(lambda: editor.hints(notebook.cells[1]), {(0, 6): "on the CPU"})
    assert await editor.hints(notebook.cells[2]) == {(0, 5): "on the accelerator"}
    editor.set({})


async def test_what_a_notebook_imports_counts_as_it_is_in_the_editor(editor: Editor) -> None:
    making = "import torch\n\n\ndef noise():\n    return torch.randn(8, 3)\n"
    other = editor.open("making.py", making.replace("3)", '3, device="cuda")'))
    uses = "class Noisy(nn.Module):\n    def forward(self, x):\n        return x + noise()"
    notebook = Notebook(editor, "g.ipynb", IMPORTS, "from making import noise", uses)
    await notebook.shown(0, 0, 0)
    editor.type(other, making)
    await notebook.shown(0, 0, 1)


async def test_cells_of_other_languages_are_passed_over(editor: Editor) -> None:
    notebook = Notebook(editor, "h.ipynb", IMPORTS, MAKES, "%%bash\nimages.to(", MOVES)
    await notebook.shown(0, 0, 0, 1)
    notebook.type(2, types.TextDocumentContentChangeWholeDocument("def f(:"))
    await notebook.shown(0, 0, 0, 0)


async def test_a_fix_at_the_end_of_a_cell_stays_in_it(editor: Editor) -> None:
    """What the program has between two cells belongs to neither."""
    late = (
        "model = nn.Linear(3, 3)\nsteps = torch.optim.Adagrad(model.parameters())\nprint(steps)\n"
        'model.to("cuda")'
    )
    uses = 'model(torch.ones(3, device="cuda")).sum().backward()\nsteps.step()'
    notebook = Notebook(editor, "i.ipynb", IMPORTS, late, uses)
    await notebook.shown(0, 1, 0)
    fix, _ = await editor.actions(notebook.cells[1], 1, "quickfix")
    assert list(_edits(fix)) == [notebook.cells[1]]
    built, made, shown, moved = late.split("\n")
    assert applied(late, fix) == "\n".join([built, moved, made, shown])


async def test_a_script_may_be_shown_as_a_notebook(editor: Editor) -> None:
    notebook = Notebook(editor, "j.py", IMPORTS, MAKES, MOVES)
    await notebook.shown(0, 0, 1)
