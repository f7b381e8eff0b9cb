"""Stacks of their own for what recurses, in threads.

How deep Python may recurse is counted by thread, from the thread's start. So on a stack that is
known to be empty, what can be done doesn't depend on how deep the caller is already, and nobody's
recursion limit has to be raised. The limit that most processes have, 1,000, is enough.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from torchdev_lint import signals

Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")


_ROOM = 1 << 16
"""For how many values there is room in the first frame, and so behind it in the same memory.

That makes it 1 MB, of which only what is used is real, and 1,000 frames fit into the other half.
"""


def _in_one_piece(work: Callable[[], object]) -> object:
    """Do something with all frames in one piece of memory.

    CPython takes memory for frames in pieces of 16 KB. Where a function that is called time and
    again begins a new one, that is taken and given back with each call, and all takes up to five
    times as long. A piece is as large as its first frame wants.
    Source: https://github.com/python/cpython/issues/142183
    """
    return work()


if sys.implementation.name == "cpython" and sys.version_info >= (3, 11):
    _in_one_piece.__code__ = _in_one_piece.__code__.replace(co_stacksize=_ROOM)


class _Stack(threading.Thread):
    """A thread that does one thing, while whoever started it waits."""

    def __init__(self, work: Callable[[], object]) -> None:
        # Ctrl-C comes to the main thread, and must not have to wait for this one.
        super().__init__(daemon=True)
        self._work = work
        self.result: object = None
        self.error: BaseException | None = None

    def run(self) -> None:
        # Whoever starts it may hold signals back as soon as it is done; a thread takes a while to
        # end, and would let in what ends the process all the same.
        signals.block()
        try:
            self.result = _in_one_piece(self._work)
        except BaseException as error:  # it is raised where it was waited for
            self.error = error


def on_new_stack(work: Callable[[], Result]) -> Result:
    """Do something on an empty stack, and return or raise what comes of it."""
    stack = _Stack(work)
    try:
        stack.start()
    except RuntimeError:  # no more threads allowed
        return work()
    stack.join()
    if stack.error is not None:
        raise stack.error
    return stack.result  # type: ignore[return-value]  # what `work` returned


def on_own_stack(function: Function) -> Function:
    """Have a function always run on a stack that begins with it, or with one that called it."""

    @functools.wraps(function)
    def run(*arguments: Any, **named: Any) -> Any:
        if isinstance(threading.current_thread(), _Stack):
            return function(*arguments, **named)
        return on_new_stack(functools.partial(function, *arguments, **named))

    return run  # type: ignore[return-value]  # a function of the same form
