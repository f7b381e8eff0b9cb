"""What the server does when the editor asks for something, or says that something has changed."""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from torchdev_lint import __version__
from torchdev_lint.addresses import page_url
from torchdev_lint.server.actions import FIX_ALL, FIX_NOTEBOOK, QUICK_FIX, Actions, is_wanted
from torchdev_lint.server.bench import Bench
from torchdev_lint.server.diagnostics import Diagnostics, page_of
from torchdev_lint.server.documents import Document, Documents
from torchdev_lint.server.options import SECTION, Options, options_from
from torchdev_lint.server.positions import Places, Spots, lines_of, name_of, overlap
from torchdev_lint.server.protocol import Protocol
from torchdev_lint.server.rounds import Analysed, Rounds
from torchdev_lint.source.problem import internal_error
from torchdev_lint.source.shown import shown
from torchdev_lint.source.span import Span

LOG = logging.getLogger("torchdev-lint")
_CODE = re.compile(r"\b[A-Z]+\d+\b")
_WATCHED = ("**/*.py", "**/pyproject.toml", "**/torchdev-lint.toml")
Handler = Callable[[Any], Awaitable[Any]]


class Server(LanguageServer):
    """A language server for one editor.

    Args:
        bench: where files are analysed.
    """

    def __init__(self, bench: Bench) -> None:
        super().__init__(
            "torchdev-lint",
            __version__,
            # Whole texts: parts of one would have to be counted in lines as Python counts them.
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
            notebook_document_sync=_NOTEBOOKS,
            protocol_cls=Protocol,
        )
        self.bench = bench
        self.documents = Documents(self)
        self.rounds = Rounds(self.documents, bench, self._publish, self.complain)
        self.options = Options()
        self._troubles: set[str] = set()
        self.feature(types.INITIALIZE)(functools.partial(_initialize, self))
        for method, (handler, options) in _HANDLERS.items():
            self.feature(method, options)(_guarded(self, functools.partial(handler, self)))

    @property
    def encoding(self) -> str:
        """In what columns are counted."""
        return name_of(self.workspace.position_encoding)

    def complain(self, message: str) -> None:
        """Write a line to the log, and to the editor's."""
        LOG.error("%s", shown(message))
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, shown(message)))

    def report_server_error(self, error: Exception, source: object) -> None:
        """Write a line to the log: what the editor sent is wrong, or the server itself."""
        LOG.error("%s", shown(" ".join(f"{type(error).__name__}: {error}".split())))

    def set_options(self, value: object) -> None:
        """Take over what was set in the editor."""
        options = options_from(value, self.complain)
        if options is not None and options != self.options:
            self.options = options
            self._refresh_hints()

    def _publish(self, analysed: Analysed) -> None:
        """Show what was found in a document."""
        checked = analysed.checked
        for text, diagnostics in Diagnostics(analysed, self.encoding).every().items():
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(text.uri, diagnostics, text.version)
            )
        problem = checked.report.problem
        if problem is not None and problem.kind in {"internal-error", "not-analysed"}:
            self.complain(str(problem))
        if checked.trouble and checked.trouble not in self._troubles:
            self._troubles.add(checked.trouble)
            self.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, shown(checked.trouble))
            )
        self._refresh_hints()

    def _refresh_hints(self) -> None:
        workspace = self.client_capabilities.workspace
        hints = None if workspace is None else workspace.inlay_hint
        if hints is not None and hints.refresh_support:
            self.workspace_inlay_hint_refresh(None)

    def forget_shown(self, uri: str) -> None:
        """Show nothing any more for a text that was closed."""
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def actions_on(self, analysed: Analysed, spots: Spots) -> Actions:
        """Return what makes actions on a document.

        Args:
            analysed: the document.
            spots: finds places in it.
        """
        workspace = self.client_capabilities.workspace
        edit = None if workspace is None else workspace.workspace_edit
        versioned = edit is not None and bool(edit.document_changes)
        return Actions(analysed.document, spots, versioned)


def _guarded(server: Server, handler: Handler) -> Handler:
    """Have a handler's errors written to the logs: an editor would show their traceback."""

    async def run(params: Any) -> Any:
        try:
            return await handler(params)
        except Exception as error:  # what is cancelled raises something else
            server.complain(internal_error(error))
            return None

    return run


def _initialize(server: Server, params: types.InitializeParams) -> None:
    server.set_options(params.initialization_options)


async def _initialized(server: Server, params: types.InitializedParams) -> None:
    await server.bench.prepare()
    workspace = server.client_capabilities.workspace
    watched = None if workspace is None else workspace.did_change_watched_files
    if watched is not None and watched.dynamic_registration:
        watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        await server.client_register_capability_async(
            types.RegistrationParams([types.Registration(method, method, options)])
        )
    await _ask_for_options(server)


async def _ask_for_options(server: Server) -> None:
    """Ask the editor for what is set now, if it can be asked."""
    workspace = server.client_capabilities.workspace
    if workspace is not None and workspace.configuration:
        item = types.ConfigurationItem(section=SECTION)
        for value in await server.workspace_configuration_async(types.ConfigurationParams([item])):
            server.set_options(value)


async def _did_change_configuration(
    server: Server, params: types.DidChangeConfigurationParams
) -> None:
    server.set_options(params.settings)
    await _ask_for_options(server)


async def _did_open(server: Server, params: types.DidOpenTextDocumentParams) -> None:
    server.documents.opened(params.text_document.uri)
    server.rounds.changed(params.text_document.uri)


async def _did_change(server: Server, params: types.DidChangeTextDocumentParams) -> None:
    server.rounds.changed(params.text_document.uri)


async def _did_close(server: Server, params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    server.documents.closed(uri)
    server.rounds.closed(uri)
    server.forget_shown(uri)


async def _notebook_did_open(server: Server, params: types.DidOpenNotebookDocumentParams) -> None:
    server.documents.opened(params.notebook_document.uri)
    server.rounds.changed(params.notebook_document.uri)


async def _notebook_did_change(
    server: Server, params: types.DidChangeNotebookDocumentParams
) -> None:
    cells = params.change.cells
    gone = cells.structure.did_close if cells is not None and cells.structure is not None else ()
    for cell in gone or ():
        server.forget_shown(cell.uri)
    server.rounds.changed(params.notebook_document.uri)


async def _notebook_did_close(server: Server, params: types.DidCloseNotebookDocumentParams) -> None:
    server.documents.closed(params.notebook_document.uri)
    server.rounds.closed(params.notebook_document.uri)
    for cell in params.cell_text_documents:
        server.forget_shown(cell.uri)


async def _did_change_files(server: Server, params: types.DidChangeWatchedFilesParams) -> None:
    paths = [path for change in params.changes if (path := to_fs_path(change.uri))]
    # What comes or goes may be what an import looks for.
    same = all(change.type == types.FileChangeType.Changed for change in params.changes)
    if same and all(path.endswith(".py") for path in paths):
        server.rounds.changed_on_disk(paths)
    else:
        server.rounds.all_changed()


async def _hover(server: Server, params: types.HoverParams) -> types.Hover | None:
    showing = server.documents.showing(params.text_document.uri)
    if showing is None:
        return None
    document, text = showing
    for code in [
        *_codes_found(server, document, params),
        *_codes_written(server, text.content, params),
    ]:
        page = page_of(code)
        if page is not None:
            url = page_url(code)
            content = f"{page}\n[{code}]({url})\n" if url else page
            return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, content))
    return None


def _codes_found(server: Server, document: Document, params: types.HoverParams) -> list[str]:
    """The codes of what is found at a place."""
    analysed = server.rounds.of(document.uri)
    if analysed is None:
        return []
    spots = Diagnostics(analysed, server.encoding).spots
    here = types.Range(params.position, params.position)
    at = types.Location(params.text_document.uri, here)
    findings = analysed.checked.report.findings
    return [found.code for found in findings if overlap(spots.location(found.span), at)]


def _codes_written(server: Server, text: str, params: types.HoverParams) -> list[str]:
    """The code that is written at a place, as in `# noqa: TDL002`."""
    lines, line = lines_of(text), params.position.line
    if not 0 <= line < len(lines):
        return []
    column = Places(lines, server.encoding).column(params.position)
    found = _CODE.finditer(lines[line])
    return [match.group() for match in found if match.start() <= column <= match.end()]


async def _code_action(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    where, only = types.Location(params.text_document.uri, params.range), params.context.only
    kinds = None if only is None else [str(getattr(kind, "value", kind)) for kind in only]
    showing = server.documents.showing(where.uri)
    analysed = None if showing is None else await server.rounds.now(showing[0].uri)
    found: list[types.CodeAction] = []
    if analysed is None:
        return found
    made = Diagnostics(analysed, server.encoding)
    actions = server.actions_on(analysed, made.spots)
    if is_wanted(QUICK_FIX, kinds):
        found += await _quick_fixes(server, made, actions, where)
    if is_wanted(FIX_NOTEBOOK if analysed.document.is_notebook else FIX_ALL, kinds):
        found += await _fix_all(server, analysed, actions)
    return found


async def _quick_fixes(
    server: Server, made: Diagnostics, actions: Actions, where: types.Location
) -> list[types.CodeAction]:
    report, path = made.analysed.checked.report, made.analysed.document.path
    fixes, ignores = list[types.CodeAction](), list[types.CodeAction]()
    for finding, edits in zip(report.findings, report.edits, strict=True):
        if not overlap(made.spots.location(finding.span), where):
            continue
        diagnostic = made.of(finding)
        fix = finding.fix_for(unsafe=True)
        if fix is not None and edits:
            fixes.append(actions.quick_fix(fix, edits, diagnostic))
        comment = await server.rounds.ask("silencing", path, finding)
        if isinstance(comment, tuple) and comment:
            ignores.append(actions.ignore(comment, diagnostic))
    return fixes + ignores


async def _fix_all(server: Server, analysed: Analysed, actions: Actions) -> list[types.CodeAction]:
    report = analysed.checked.report
    if not any(finding.fix_for(unsafe=True) for finding in report.findings):
        return []
    contents = await server.rounds.ask("fixing", analysed.document.path)
    now = tuple(text.content for text in analysed.document.texts)
    if not isinstance(contents, tuple) or contents == now:
        return []
    return [actions.fix_all(contents)]


async def _inlay_hints(
    server: Server, params: types.InlayHintParams
) -> list[types.InlayHint] | None:
    showing = server.documents.showing(params.text_document.uri)
    if not server.options.inlay_hints or showing is None:
        return None
    known = await server.rounds.hints(showing[0].uri)
    if known is None:
        return None
    document, found = known
    spots, hints = Spots(document, found.cells, server.encoding), list[types.InlayHint]()
    asked = types.Location(params.text_document.uri, params.range)
    for hint in found.hints:
        place = spots.location(Span(hint.line, hint.column, hint.line, hint.column))
        if overlap(place, asked):
            hints.append(
                types.InlayHint(
                    position=place.range.start,
                    label=hint.where,
                    tooltip=hint.words,
                    padding_left=True,
                )
            )
    return hints


_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    [
        types.NotebookDocumentFilterWithNotebook(
            types.NotebookDocumentFilterNotebookType("jupyter-notebook")
        )
    ]
)
"""Which notebooks the editor is to tell of: with all cells, since these are counted."""
_HANDLERS: dict[str, tuple[Callable[[Server, Any], Awaitable[Any]], object]] = {
    types.INITIALIZED: (_initialized, None),
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: (_did_change_configuration, None),
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: (_did_change_files, None),
    types.TEXT_DOCUMENT_DID_OPEN: (_did_open, None),
    types.TEXT_DOCUMENT_DID_CHANGE: (_did_change, None),
    types.TEXT_DOCUMENT_DID_CLOSE: (_did_close, None),
    types.NOTEBOOK_DOCUMENT_DID_OPEN: (_notebook_did_open, None),
    types.NOTEBOOK_DOCUMENT_DID_CHANGE: (_notebook_did_change, None),
    types.NOTEBOOK_DOCUMENT_DID_CLOSE: (_notebook_did_close, None),
    types.TEXT_DOCUMENT_HOVER: (_hover, None),
    types.TEXT_DOCUMENT_CODE_ACTION: (
        _code_action,
        types.CodeActionOptions([QUICK_FIX, FIX_ALL, FIX_NOTEBOOK]),
    ),
    types.TEXT_DOCUMENT_INLAY_HINT: (_inlay_hints, None),
}
"""What is done for each message, and what the editor is told that can be done."""
