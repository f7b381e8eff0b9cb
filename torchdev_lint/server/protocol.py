"""The protocol as pygls speaks it, but for two things that a client would have to put up with."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method


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
