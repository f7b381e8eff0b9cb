"""`--watch`: lint again whenever something changes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.command import CLEAN, DISCARDED, ROOT, Result
from tests.config.projects import write
from torchdev_lint.cli import main

USES = """\
import torch
from torch import nn
from lib import noise


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x) + noise(x)


Net().cuda()
"""
RIGHT = "import torch\n\n\ndef noise(x):\n    return torch.randn_like(x)\n"
WRONG = RIGHT.replace("randn_like(x)", "randn(3)")

Watch = Callable[..., Result]


@pytest.fixture
def watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Watch:
    """Run the command with files that change from round to round, and an interruption then."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, rounds: list[dict[str, str]], cache: str = "--no-cache") -> Result:
        def changes(*folders: str, **options: object) -> Iterator[set[tuple[int, str]]]:
            yield set()
            for files in rounds:
                write(tmp_path, files)
                yield {(1, str(tmp_path / name)) for name in files}
            raise KeyboardInterrupt

        monkeypatch.setitem(sys.modules, "watchfiles", SimpleNamespace(watch=changes))
        code = main(["--watch", "--timeout", "0", cache, *arguments])
        return Result(code, *capfd.readouterr())

    return run


def rounds_of(result: Result) -> list[list[str]]:
    """The places of the findings in each round."""
    rounds: list[list[str]] = [[]]
    for line in result.out.splitlines():
        if ": TDL" in line:
            rounds[-1].append(line.split(": TDL")[0])
        elif "checked" in line:
            rounds.append([])
    return rounds[:-1]


@pytest.mark.parametrize("cache", ["--no-cache", "--cache-dir=kept"])
def test_what_changed_is_linted_again_and_what_imports_it(
    tmp_path: Path, watched: Watch, cache: str
) -> None:
    write(tmp_path, {"net.py": USES, "lib.py": RIGHT, "other.py": CLEAN})
    rounds = [{"lib.py": WRONG}, {"other.py": DISCARDED}, {"lib.py": RIGHT, "new.py": DISCARDED}]
    result = watched(rounds=rounds, cache=cache)
    assert result.code == 130
    assert rounds_of(result) == [
        [],
        ["net.py:12:29"],
        ["net.py:12:29", "other.py:4:1"],
        ["new.py:4:1", "other.py:4:1"],
    ]
    assert result.err.count("torchdev-lint: watching for changes; Ctrl-C ends it\n") == 4
    assert result.err.endswith("torchdev-lint: interrupted\n")


def test_settings_may_change_and_be_wrong(tmp_path: Path, watched: Watch) -> None:
    write(tmp_path, {"a.py": DISCARDED})
    name = "torchdev-lint.toml"
    rounds = [{name: "ignor = 3"}, {name: 'ignore = ["TDL002"]'}, {name: 'ignore = ["TDL001"]'}]
    result = watched(rounds=rounds)
    assert rounds_of(result) == [["a.py:4:1"], ["a.py:4:1"], []]
    assert "there is no such setting" in result.err


def test_fixes_are_made_as_files_change(tmp_path: Path, watched: Watch) -> None:
    write(tmp_path, {"a.py": CLEAN})
    watched("--fix", rounds=[{"a.py": DISCARDED}, {}])
    assert "images = images.to" in (tmp_path / "a.py").read_text()
    if hasattr(signal, "pthread_sigmask"):  # Ctrl-C still ends it
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_without_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(SystemExit) as end:
        main(["--watch"])
    assert end.value.code == 2
    assert "--watch needs watchfiles, as in `pip install torchdev-lint[watch]`" in (
        capfd.readouterr().err
    )


@pytest.mark.parametrize(
    "arguments", [["-"], ["--add-noqa"], ["--show-files"], ["--write-baseline", "base.json"]]
)
def test_what_it_does_not_go_with(
    arguments: list[str], capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--watch", *arguments])
    assert end.value.code == 2
    assert f"--watch does not go with {arguments[0]}" in capfd.readouterr().err


@pytest.mark.slow
def test_a_real_change_and_a_real_interruption(tmp_path: Path) -> None:
    pytest.importorskip("watchfiles", reason="needs the extra `watch`")
    write(tmp_path, {"net.py": USES, "lib.py": RIGHT, "build/x.py": ""})
    process = subprocess.Popen(
        [sys.executable, "-m", "torchdev_lint", "--watch", "-q", "--no-cache"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a shell that runs the tests in the background has them, and all they start, ignore it
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    timer = threading.Timer(60, process.kill)  # so that nothing here waits for ever
    timer.start()
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stderr.readline().startswith("torchdev-lint: watching")
        write(tmp_path, {"build/x.py": DISCARDED, "notes.txt": "x"})
        write(tmp_path, {"lib.py": WRONG})
        assert process.stdout.readline().startswith("net.py:12:29: TDL002")
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stderr.read().endswith("torchdev-lint: interrupted\n")
    finally:
        timer.cancel()
        process.kill()
        process.communicate()
