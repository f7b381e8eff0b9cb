"""The documents that an editor has open: Python files, and notebooks with a text for each cell."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path, uri_scheme

from torchdev_lint.records import dataclass
from torchdev_lint.source.source import NOTEBOOK, encoded, is_notebook

_PYTHON = "python"
_UNTITLED = "untitled"


@dataclass(frozen=True, slots=True)
class Text:
    """A text that the editor shows: a file, or a cell of a notebook.

    Args:
        uri: what the editor calls it.
        version: the editor's number of its state.
        content: what it holds now.
    """

    uri: str
    version: int | None
    content: str


@dataclass(frozen=True, slots=True)
class Document:
    """A file that is open in the editor.

    Args:
        uri: what the editor calls it.
        path: the file, absolute; where there is none yet, one that there isn't.
        texts: what it holds now: one text, of a notebook one for each cell, in order.
        data: the same as the bytes of a file.
        is_notebook: whether it is one.
    """

    uri: str
    path: str
    texts: tuple[Text, ...]
    data: bytes
    is_notebook: bool = False


class Documents:
    """The open documents.

    Args:
        server: what keeps their texts as the editor changes them.
    """

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._open: dict[str, None] = {}

    def opened(self, uri: str) -> None:
        """Take note that a document was opened."""
        self._open[uri] = None

    def closed(self, uri: str) -> None:
        """Take note that a document was closed."""
        self._open.pop(uri, None)

    def get(self, uri: str) -> Document | None:
        """Return a document, None if it isn't open, or none of ours."""
        if uri not in self._open:
            return None
        notebook = self._server.workspace.get_notebook_document(notebook_uri=uri)
        return self._file(uri) if notebook is None else self._notebook(notebook)

    def showing(self, uri: str) -> tuple[Document, Text] | None:
        """Return a text that the editor shows, and the document that holds it; None as above."""
        notebook = self._server.workspace.get_notebook_document(cell_uri=uri)
        document = self.get(uri if notebook is None else notebook.uri)
        if document is None:
            return None
        return next(((document, text) for text in document.texts if text.uri == uri), None)

    def every(self) -> Sequence[Document]:
        """Return all documents, in the order in which they were opened."""
        found = [self.get(uri) for uri in self._open]
        return [document for document in found if document is not None]

    def held(self) -> dict[str, bytes]:
        """Return what stands in for files, by their paths."""
        return {document.path: document.data for document in self.every()}

    def _file(self, uri: str) -> Document | None:
        known, path = self._server.workspace.get_text_document(uri), _path_of(uri, ".py")
        if path is None or not _is_python(known.language_id, path):
            return None
        text = Text(uri, known.version, known.source)
        return Document(uri, path, (text,), encoded(text.content))

    def _notebook(self, notebook: types.NotebookDocument) -> Document | None:
        path = _path_of(notebook.uri, NOTEBOOK)
        if path is None:
            return None
        if not is_notebook(path):  # but shown as one: what stands in for it is read as one
            path += NOTEBOOK
        known = self._server.workspace.get_text_document
        found = [(cell, known(cell.document)) for cell in notebook.cells]
        cells = [(cell, text) for cell, text in found if text.version is not None]  # else unknown
        texts = (Text(cell.document, text.version, text.source) for cell, text in cells)
        content = [_cell(cell.kind, text.language_id, text.source) for cell, text in cells]
        data = json.dumps({"cells": content, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
        return Document(notebook.uri, path, tuple(texts), data.encode(), is_notebook=True)


def _cell(kind: types.NotebookCellKind, language: str | None, text: str) -> dict[str, object]:
    """Return a cell as VS Code writes it to a file, which says where it isn't of Python."""
    sort = "code" if kind == types.NotebookCellKind.Code else "markdown"
    said = {"vscode": {"languageId": language}} if language else {}
    return {"cell_type": sort, "metadata": said, "source": text}


def _is_python(language: str | None, path: str) -> bool:
    return language == _PYTHON or (not language and path.endswith(".py"))


def _path_of(uri: str, suffix: str) -> str | None:
    """The path of a document, None where it is none of a file.

    Args:
        uri: what the editor calls it.
        suffix: how the name of one that is in no file yet is to end.
    """
    if uri_scheme(uri) == _UNTITLED:
        name = "".join(c if c.isalnum() else "_" for c in uri.rpartition(":")[2])
        return os.path.join(os.getcwd(), f"{name}{suffix}")
    path = to_fs_path(uri)
    return os.path.abspath(path) if path and "\0" not in path else None
