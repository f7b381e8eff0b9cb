"""The protocol as pygls speaks it, but for three things that a client would have to put up with."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method

from torchdev_lint.server.positions import changed, name_of


class Protocol(LanguageServerProtocol):
    """Tells clients of errors without tracebacks, and ends also while requests are dealt with."""

    def _send_response(
        self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        if error is not None:
            error.data = None  # where pygls puts the traceback
        super()._send_response(msg_id, result, error)

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Generator[Any, Any, None]:
        """Cancel what is dealt with, and take no more requests.

        In pygls 2.1 those that are cancelled change what it goes through meanwhile.
        """
        this = self.msg_id
        for number, future in list(self._request_futures.items()):
            if number != this:
                future.cancel()
        self._shutdown = True
        yield from ()

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(
        self, params: types.DidChangeNotebookDocumentParams
    ) -> Generator[Any, Any, None]:
        """Change the texts of cells as a whole.

        Editors may send parts, whatever was asked for, and pygls takes these for whole texts.
        """
        cells = params.change.cells
        new = cells.structure.did_open if cells is not None and cells.structure is not None else ()
        texts = {document.uri: document.text for document in new or ()}
        encoding = name_of(self.workspace.position_encoding)
        for cell in (cells.text_content if cells is not None else ()) or ():
            uri = cell.document.uri
            text = texts[uri] if uri in texts else self._text(uri)
            for change in cell.changes:
                text = changed(text, change, encoding)
            texts[uri] = text  # a cell may be named more than once
            cell.changes = [types.TextDocumentContentChangeWholeDocument(text)]
        yield from super().lsp_notebook_document__did_change(params)

    def _text(self, uri: str) -> str:
        """Return what an open document holds."""
        return str(self.workspace.get_text_document(uri).source)
