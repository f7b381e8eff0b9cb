"""Items shared out among processes: each gets its result, whatever happens to the others."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType

import pytest

from torchdev_lint.processes import pool as pool_module
from torchdev_lint.processes import start
from torchdev_lint.processes.pool import Pool

pytestmark = pytest.mark.slow

DIES, HANGS, DAWDLES, TAKES_LONG = -1, -2, -3, -4


def check(item: int) -> str:
    """Work on a number; some do harm."""
    if item == DIES:
        os._exit(9)
    while item == HANGS:
        pass
    if item == DAWDLES:
        time.sleep(0.5)
    if item == TAKES_LONG:
        time.sleep(4)
    return f"{item} done"


def failed(item: int, reason: str) -> str:
    return f"{item} failed: {reason.split()[0]}"


@pytest.fixture(params=["copies", "afresh"])
def jobs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Two processes, started in either way."""
    if request.param == "afresh":
        monkeypatch.setattr(pool_module, "can_fork", lambda: False)
    elif not start.can_fork():
        pytest.skip("no copies here")
    yield 2


def run(items: list[int], jobs: int, limit: float | None = None) -> list[str]:
    return list(Pool(check, failed, jobs, limit).results(items))


def test_results_come_in_the_order_of_the_items(jobs: int) -> None:
    items = [DAWDLES, *range(200), DAWDLES, *range(40)]
    assert run(items, jobs) == [f"{item} done" for item in items]


def test_who_dies_takes_nobody_along(jobs: int) -> None:
    items = [0, 1, DIES, *range(2, 30), DIES, DIES, 30]
    results = run(items, jobs)
    assert [r for r in results if "failed" in r] == ["-1 failed: the"] * 3
    assert [r for r in results if "done" in r] == [f"{item} done" for item in range(31)]


def test_who_hangs_holds_nobody_up(jobs: int) -> None:
    items = [0, HANGS, *range(1, 30), HANGS, 30]
    results = run(items, jobs, limit=2)
    assert [r for r in results if "failed" in r] == ["-2 failed: took"] * 2
    assert [r for r in results if "done" in r] == [f"{item} done" for item in range(31)]


def test_time_in_which_this_process_did_nothing_does_not_count() -> None:
    results = Pool(check, failed, 1, 2.0).results([0, TAKES_LONG, *([DAWDLES] * 3)])
    assert next(results) == "0 done"
    time.sleep(3)  # as a reader does who takes in the output page by page
    assert list(results) == ["-4 done", *["-3 done"] * 3]


def test_processes_end_with_the_iterator(jobs: int) -> None:
    before = children()
    results = Pool(check, failed, jobs, None).results([0, *([HANGS] * 4)])
    assert next(results) == "0 done"
    assert len(children() - before) == jobs
    results.close()
    assert children() == before


class End(BaseException):
    """What a signal raises, wherever this process is."""


class EndAtLine:
    """Raises at one of the lines by which results are taken in, counted as they are run."""

    def __init__(self, line: int) -> None:
        self.left = line

    def __call__(self, frame: FrameType, event: str, argument: object) -> EndAtLine | None:
        code = frame.f_code
        if code.co_filename != pool_module.__file__ or code.co_name not in TAKING_IN:
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                raise End
        return self


TAKING_IN = {"_proceed", "_read_inbox", "_take_in", "current", "left"}


def test_an_end_at_any_line_leaves_right_results() -> None:
    """Also between taking in what a process has said, and noting that this was done."""
    if not start.can_fork():
        pytest.skip("no copies here")
    expected = [f"{number} done" for number in range(3)]
    for line in range(1, 1000):
        given, late = list[str](), list[str]()
        results = Pool(check, failed, 1, None, late.append).results(range(3))
        sys.settrace(EndAtLine(line))
        try:
            given.extend(results)
            break
        except End:
            assert given + late == expected[: len(given + late)], line
        finally:
            sys.settrace(None)
    assert given == expected
    assert line > 50


def test_a_process_that_will_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    def deaf(item: int) -> str:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return check(item)

    if not start.can_fork():
        pytest.skip("no copies here")
    monkeypatch.setattr(pool_module, "_PATIENCE", 0.2)
    before = children()
    results = Pool(deaf, failed, 2, None).results([0, *([HANGS] * 3)])
    assert next(results) == "0 done"
    results.close()
    assert children() == before


def test_without_processes_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(pool_module, "can_fork", lambda: False)
    monkeypatch.setattr(pool_module, "start_afresh", none)
    here = str(os.getpid())
    results = Pool[int, str](lambda item: str(os.getpid()), failed, 2, None).results([1, 2])
    assert list(results) == [here, here]


def test_with_threads_around_nothing_is_copied() -> None:
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        assert not start.can_fork()
    finally:
        over.set()
        thread.join()


def children() -> set[str]:
    """The processes that this one has started and that are still there, also as zombies."""
    path = f"/proc/{os.getpid()}/task/{os.getpid()}/children"
    if not os.path.exists(path):
        pytest.skip("needs /proc to see its children")
    with open(path) as file:
        return set(file.read().split())
