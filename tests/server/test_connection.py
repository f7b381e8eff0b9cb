"""Whatever an editor sends, or doesn't: the server neither hangs nor dies."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import IO, Any

import pytest

from torchdev_lint.cli import main
from torchdev_lint.server.bench import Bench
from torchdev_lint.server.connection import Incoming, end_without_editor
from torchdev_lint.server.language_server import Server

from ..command import ROOT

pytestmark = pytest.mark.slow
_LIMIT = 30.0

GARBAGE = {
    "text": b"what is this?\r\n\r\n" * 3,
    "bytes": bytes(range(256)) * 50,
    "a long line": b"x" * 100_000 + b"\r\n\r\n",
    "no JSON": b"Content-Length: 4\r\n\r\n{{{{",
    "a list": b"Content-Length: 2\r\n\r\n[]",
    "a number": b"Content-Length: 1\r\n\r\n5",
    "no protocol": b"Content-Length: 2\r\n\r\n{}",
    "nested": b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000,
    "not UTF-8": b"Content-Length: 4\r\n\r\n\xff\xfe\xfd\xfc",
}


def message(method: str, number: int | None = None, **params: Any) -> bytes:
    content: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        content["id"] = number
    body = json.dumps(content).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


INITIALIZE = message("initialize", 1, processId=None, rootUri=None, capabilities={})
EVERYTHING = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
SHUTDOWN = message("shutdown", 2)
EXIT = message("exit")


OTHER_THREAD_TAKES_SIGNALS = """
import signal, sys, threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
from torchdev_lint.__main__ import main
sys.argv[1:] = ["server"]
sys.exit(main())
"""


@pytest.fixture(params=[["-m", "torchdev_lint", "server"]])
def server(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, *request.param],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    yield process
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        assert pipe is not None
        pipe.close()


def test_garbage_is_passed_over(server: subprocess.Popen[bytes]) -> None:
    sent = b"".join([*GARBAGE.values(), INITIALIZE, *GARBAGE.values(), SHUTDOWN, EXIT])
    out, err = server.communicate(sent, _LIMIT)
    assert server.returncode == 0
    assert b'"id": 1' in out and b'"capabilities"' in out
    assert b'"id": 2' in out
    assert b"Traceback" not in err + out
    assert all(line.startswith("torchdev-lint: error: ") for line in err.decode().splitlines())


def test_requests_that_make_no_sense_are_passed_over(server: subprocess.Popen[bytes]) -> None:
    there = {"uri": "file:///nowhere/at/all.py"}
    nowhere = {"line": 10**9, "character": 10**9}
    hover = message("textDocument/hover", 3, textDocument=there, position=nowhere)
    opened = {"languageId": "python", "version": 1, "text": "\ud800 = torch"}
    sent = [
        hover,
        message("textDocument/hover", 4, textDocument=5),
        message("no/such/method", 5),
        INITIALIZE,
        hover,
        message("textDocument/didOpen", textDocument={"uri": "\0://\0", **opened}),
        message("textDocument/didOpen", textDocument={"uri": "file:///a%00b.py", **opened}),
        message("textDocument/didOpen", textDocument={**there, **opened}),
        message("textDocument/didChange", textDocument={**there, "version": 2}, contentChanges=[]),
        message(
            "textDocument/codeAction",
            6,
            textDocument=there,
            context={"diagnostics": []},
            range={"start": nowhere, "end": {"line": 0, "character": 0}},
        ),
        message("workspace/didChangeConfiguration", settings=[1]),
        message("textDocument/didClose", textDocument={"uri": "file:///never/opened.py"}),
    ]
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(b"".join(sent))
    server.stdin.flush()
    _read_until(server.stdout, b'"id": 6')
    # Nobody waits for the answers to these.
    hints = message("textDocument/inlayHint", 7, textDocument=there, range=EVERYTHING)
    asked = message("textDocument/hover", 8, textDocument=there, position=EVERYTHING["end"])
    out, err = server.communicate(hints + asked + SHUTDOWN + EXIT, _LIMIT)
    assert server.returncode == 0
    assert b'"id": 2' in out
    assert b"Traceback" not in err + out


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        INITIALIZE,
        INITIALIZE + b"Content-Length: 500\r\n\r\n{",
        b"Content-Length: 9%s\r\n\r\n" % (b"9" * 30),
    ],
    ids=["at once", "without a word", "amid a message", "after announcing too much"],
)
def test_an_editor_that_leaves_ends_the_server(
    server: subprocess.Popen[bytes], sent: bytes
) -> None:
    out, err = server.communicate(sent, _LIMIT)
    assert server.returncode == 1
    assert b"Traceback" not in err + out


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends it outright there")
@pytest.mark.parametrize(
    "server",
    [["-m", "torchdev_lint", "server"], ["-c", OTHER_THREAD_TAKES_SIGNALS]],
    ids=["as ever", "another thread takes the signal"],
    indirect=True,
)
def test_an_editor_that_never_closes_does_not_keep_it(server: subprocess.Popen[bytes]) -> None:
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(INITIALIZE)
    server.stdin.flush()
    _read_until(server.stdout, b'"id": 1')
    begin = time.monotonic()
    server.send_signal(signal.SIGTERM)
    assert server.wait(_LIMIT) == 128 + signal.SIGTERM
    assert time.monotonic() - begin < 5


def test_it_ends_when_told_to_though_the_pipe_stays_open(server: subprocess.Popen[bytes]) -> None:
    assert server.stdin is not None
    server.stdin.write(INITIALIZE + SHUTDOWN + EXIT)
    server.stdin.flush()
    assert server.wait(_LIMIT) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="processes can't be asked for there")
def test_it_ends_with_the_process_of_the_editor() -> None:
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    reading, writing = os.pipe()  # which nobody closes

    async def served() -> bytes:
        server, incoming = Server(Bench()), Incoming(reading)
        server.process_id = editor.pid
        looking = asyncio.ensure_future(end_without_editor(server, incoming, every=0.01))
        await asyncio.sleep(0.1)
        assert not looking.done()
        editor.communicate(b"\n")
        return await asyncio.wait_for(incoming.readline(), _LIMIT)

    assert asyncio.run(served()) == b""
    os.close(writing)


def test_without_the_extra_a_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["server"]) == 2
    assert capsys.readouterr().err == (
        "torchdev-lint: error: `server` needs pygls: pip install 'torchdev-lint[lsp]'\n"
    )


def test_only_the_server_imports_what_it_needs() -> None:
    package = ROOT / "torchdev_lint"
    users = {
        path.relative_to(package).parts[0]
        for path in package.rglob("*.py")
        if any(
            line.startswith(("import ", "from ")) and ("pygls" in line or "lsprotocol" in line)
            for line in path.read_text(encoding="utf-8").splitlines()
        )
    }
    assert users == {"server"}


def _read_until(pipe: IO[bytes], words: bytes) -> None:
    end, seen = time.monotonic() + _LIMIT, b""
    while words not in seen:
        assert time.monotonic() < end, seen
        seen += os.read(pipe.fileno(), 65_536)
