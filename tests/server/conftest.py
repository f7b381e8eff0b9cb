"""A language server, and an editor that uses it."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

from ..command import ROOT
from .editor import Editor

_COMMAND = [sys.executable, "-m", "torchdev_lint", "server"]


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]  # as pytest-lsp has it
    scope="module",
    config=ClientServerConfig(_COMMAND, server_env={**os.environ, "PYTHONPATH": str(ROOT)}),
)
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    workspace = types.WorkspaceClientCapabilities(
        workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
        configuration=True,
        did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(True),
        inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
    )
    for method in (types.CLIENT_REGISTER_CAPABILITY, types.WORKSPACE_INLAY_HINT_REFRESH):
        lsp_client.feature(method)(lambda params: None)
    capabilities = types.ClientCapabilities(workspace=workspace)
    options = {"inlayHints": False}
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities, initialization_options=options)
    )
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def editor(client: LanguageClient, tmp_path: Path) -> Editor:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    return Editor(client, tmp_path)
