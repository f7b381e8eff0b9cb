"""Files linted by several processes: signals, files that hang or kill, and whose code is run."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command import DISCARDED, ROOT, lint, wait_until_idle

pytestmark = pytest.mark.slow

needs_groups = pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")

HARMFUL = """\
import os
from torchdev_lint import checking

check = checking.check_file

def check_file(task, stdin=None, **rest):
    path = task.target.path if stdin is None else stdin.name
    if "hang" in path:
        open(path + ".begun", "w").close()
        while True:
            pass
    if "kill" in path:
        os._exit(9)
    return check(task, stdin=stdin, **rest)
"""
"""Checks that hang, or die, at files whose names say so."""

COMMAND = """\
import sys
import harmful
from torchdev_lint import __main__, runner

runner.check = harmful.check_file
sys.exit(__main__.main())
"""


@pytest.fixture
def command(tmp_path: Path) -> Path:
    """A script like the console script, outside the folder that is linted."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "harmful.py").write_text(HARMFUL)
    path = tmp_path / "bin" / "command.py"
    path.write_text(COMMAND)
    return path


IGNORED = """\
import os
import sys
import time
from torchdev_lint import __main__, cli

class Noisy:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[1]))
        for _ in range(1000):  # what is raised in here Python ignores
            pass

def main():
    Noisy()
    time.sleep(20)
    return 0

cli.main = main
sys.exit(__main__.main())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "linted"
    path.mkdir()
    return path


def start(command: list[str | Path], folder: Path) -> subprocess.Popen[str]:
    """Start a command as a shell does: in a group of its own, and with Ctrl-C heeded."""
    path = os.pathsep.join([str(ROOT), str(folder.parent / "bin")])
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": ""},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def wait_for_hanging(folder: Path, count: int) -> None:
    """Wait until so many files are being worked on that will never be done."""
    end = time.monotonic() + 60
    while len(list(folder.glob("*.begun"))) < count:
        assert time.monotonic() < end
        time.sleep(0.02)


def assert_no_process_is_left(group: int) -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    os.killpg(group, signal.SIGKILL)
    pytest.fail("a process is left")


@needs_groups
class TestSignals:
    """Deadlines are generous, as the machine may be busy; without an end it would be forever."""

    @pytest.mark.parametrize("presses", [1, 2, 20])
    @pytest.mark.parametrize("jobs", [1, 2, 5])
    def test_control_c(self, command: Path, folder: Path, jobs: int, presses: int) -> None:
        for number in range(40):
            (folder / f"hang{number:02}.py").write_text(DISCARDED)
        run = start([command, "--jobs", str(jobs), "."], folder)
        wait_for_hanging(folder, jobs)
        for _ in range(presses):
            os.killpg(run.pid, signal.SIGINT)
            time.sleep(0.01)
        out, err = run.communicate(timeout=20)
        assert (run.returncode, out, err) == (130, "", "torchdev-lint: interrupted\n")
        assert_no_process_is_left(run.pid)

    @pytest.mark.parametrize(
        ("lines", "number"),
        [
            *((205, signal.SIGINT), (220, signal.SIGTERM), (230, signal.SIGINT)),
            *((230, signal.SIGTERM), (400, signal.SIGINT), (400, signal.SIGTERM)),
        ],
    )
    def test_nobody_reads_the_output(
        self, command: Path, folder: Path, lines: int, number: signal.Signals
    ) -> None:
        """A pipe takes some 210 lines; up to 26 more wait in a buffer, others are waited for."""
        for name in [f"{'m' * 200}{n:03}.py" for n in range(lines)] + ["z_hang.py"]:
            (folder / name).write_text(DISCARDED)
        run = start([command, "--jobs", "2", "."], folder)
        if lines < 250:
            wait_for_hanging(folder, 1)
        wait_until_idle(run.pid)
        os.killpg(run.pid, number)
        assert run.wait(20) == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
        assert_no_process_is_left(run.pid)
        run.communicate()

    def test_control_c_at_any_moment(self, folder: Path) -> None:
        for number in range(40):
            (folder / f"m{number:02}.py").write_text(DISCARDED)
        chance = random.Random(0)
        for _ in range(10):
            run = start(["-m", "torchdev_lint", "--jobs", "3", "."], folder)
            time.sleep(chance.random())
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGINT)
            _, err = run.communicate(timeout=20)
            if "torchdev_lint" in err:  # before that it is Python's own start that is interrupted
                assert "Traceback" not in err
            assert_no_process_is_left(run.pid)

    @pytest.mark.parametrize("arguments", [[], ["--fix"], ["--diff"]])
    @pytest.mark.parametrize("jobs", [1, 3])
    def test_a_request_to_end(
        self, command: Path, folder: Path, jobs: int, arguments: list[str]
    ) -> None:
        for number in range(40):
            (folder / f"hang{number:02}.py").write_text(DISCARDED)
        run = start([command, "--jobs", str(jobs), *arguments, "."], folder)
        wait_for_hanging(folder, jobs)
        run.terminate()
        out, err = run.communicate(timeout=20)
        assert (run.returncode, out, err) == (143, "", "")
        assert_no_process_is_left(run.pid)

    @pytest.mark.parametrize("enough", [1, 5])
    def test_an_interrupted_fix_says_what_it_changed(
        self, command: Path, folder: Path, enough: int
    ) -> None:
        """Also of files that were fixed before the turn of their reports had come."""
        (folder / "hang.py").write_text(DISCARDED)
        later = [folder / f"m{number}.py" for number in range(9)]
        for path in later:
            path.write_text(DISCARDED)
        run = start([command, "--fix", "--jobs", "2", "."], folder)
        wait_for_hanging(folder, 1)
        end = time.monotonic() + 60
        while sum(path.read_text() != DISCARDED for path in later) < enough:
            assert time.monotonic() < end
        os.killpg(run.pid, signal.SIGINT)
        out, err = run.communicate(timeout=20)
        changed = [path.name for path in later if path.read_text() != DISCARDED]
        assert len(changed) >= enough
        first, *lines, last = err.splitlines()
        assert first.startswith(f"Fixed {len(changed)} finding")
        assert first.endswith(" before the interruption:")
        assert [line[2:-1] for line in lines if line.startswith("- ")] == changed
        assert (run.returncode, last) == (130, "torchdev-lint: interrupted")
        assert out == ""

    def test_whoever_is_killed_outright_leaves_no_workers(
        self, command: Path, folder: Path
    ) -> None:
        for number in range(40):
            (folder / f"hang{number:02}.py").write_text(DISCARDED)
        run = start([command, "--jobs", "3", "."], folder)
        wait_for_hanging(folder, 3)
        run.kill()
        run.communicate(timeout=20)
        assert_no_process_is_left(run.pid)


class TestFilesThatDoHarm:
    @pytest.mark.parametrize("jobs", [1, 3])
    def test_each_costs_itself_only(self, command: Path, folder: Path, jobs: int) -> None:
        for number in range(30):
            (folder / f"m{number:02}.py").write_text(DISCARDED)
        for name in ("hang.py", "kill.py", "m05_kill.py", "m20_hang.py"):
            (folder / name).write_text(DISCARDED)
        run = start([command, "--jobs", str(jobs), "--timeout", "3", "."], folder)
        out, err = run.communicate(timeout=100)
        died = "error: the process that worked on it died; the memory may not have been enough"
        late = "error: took longer than 3 seconds"
        assert err.splitlines() == [
            f"hang.py: {late}",
            f"kill.py: {died}",
            f"m05_kill.py: {died}",
            f"m20_hang.py: {late}",
        ]
        assert out.count("TDL001") == 30
        assert [line.split(":")[0] for line in out.splitlines()[:-2]] == [
            f"m{number:02}.py" for number in range(30)
        ]
        assert run.returncode == 2

    def test_standard_input_is_named(self, command: Path, folder: Path) -> None:
        run = start([command, "--timeout", "2", "-", "--stdin-filename", "hang.py"], folder)
        _, err = run.communicate("import torch\n", timeout=60)
        assert (run.returncode, err) == (2, "hang.py: error: took longer than 2 seconds\n")

    @pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
    def test_an_end_that_python_ignores_comes_again(
        self, folder: Path, number: int, code: int
    ) -> None:
        run = start(["-c", IGNORED, str(number)], folder)
        _, err = run.communicate(timeout=15)
        assert (run.returncode, err) == (code, "")

    @pytest.mark.parametrize("seconds", ["-1", "x", "inf", "nan", ""])
    def test_what_is_no_time(self, folder: Path, seconds: str) -> None:
        result = lint("--timeout", seconds, cwd=folder)
        assert (result.code, result.out) == (2, "")
        assert "is not a number of seconds" in result.err

    def test_without_a_limit_one_job_takes_no_other_process(self, folder: Path) -> None:
        (folder / "a.py").write_text(DISCARDED)
        program = (
            "import sys; from torchdev_lint.cli import main; "
            "main(['--timeout', '0', '--jobs', '1', 'a.py']); "
            "print([m for m in sys.modules if 'torchdev_lint.processes' in m])"
        )
        done = start(["-c", program], folder)
        out, _ = done.communicate(timeout=60)
        assert out.splitlines()[-1] == "[]"
