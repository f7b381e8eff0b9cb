"""The documents that an editor has open."""

from __future__ import annotations

import os
from collections.abc import Sequence

from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path, uri_scheme

from torchdev_lint.records import dataclass
from torchdev_lint.source.source import encoded

_PYTHON = "python"
_UNTITLED = "untitled"


@dataclass(frozen=True, slots=True)
class Document:
    """A Python text that is open in the editor.

    Args:
        uri: what the editor calls it.
        version: the editor's number of its state.
        path: the file it is of, absolute; where there is none yet, one that there isn't.
        text: what it holds now.
    """

    uri: str
    version: int | None
    path: str
    text: str


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
        known = self._server.workspace.text_documents.get(uri) if uri in self._open else None
        path = _path_of(uri)
        if known is None or path is None or not _is_python(known.language_id, path):
            return None
        return Document(uri, known.version, path, known.source)

    def every(self) -> Sequence[Document]:
        """Return all documents, in the order in which they were opened."""
        found = [self.get(uri) for uri in self._open]
        return [document for document in found if document is not None]

    def texts(self) -> dict[str, bytes]:
        """Return what stands in for files, by their paths."""
        return {document.path: encoded(document.text) for document in self.every()}


def _is_python(language: str | None, path: str) -> bool:
    return language == _PYTHON or (not language and path.endswith(".py"))


def _path_of(uri: str) -> str | None:
    """The path of a document, None where it is part of something else, such as a notebook."""
    if uri_scheme(uri) == _UNTITLED:
        name = "".join(c if c.isalnum() else "_" for c in uri.rpartition(":")[2])
        return os.path.join(os.getcwd(), f"{name}.py")
    path = to_fs_path(uri)
    return os.path.abspath(path) if path and "\0" not in path else None
