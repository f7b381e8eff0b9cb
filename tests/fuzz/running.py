"""Running programs before and after they are fixed: what must hold then."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.applying.fixing import fixed
from tests.fixes.running import Ran, ran

_REPORTED = (
    "object has no attribute 'to'",
    "object has no attribute 'cpu'",
    "object has no attribute 'cuda'",
    "Torch not compiled with CUDA enabled",
    "got an unexpected keyword argument 'map_location'",
    "pin_memory=True requires a CUDA or other accelerator",
    "Cannot access accelerator device when none is available",
    "Can't call numpy() on Tensor that requires grad",
)
"""How a program ends on the CPU for what is reported of it."""
MIXED = "Expected all tensors to be on the same device"


@dataclass(frozen=True, slots=True)
class Compared:
    """What a program turned out to be.

    Args:
        found: how many findings it had.
        fixed: how many of them were fixed.
        runs: whether it ran on the CPU without failing.
        mended: whether it failed on the accelerator for its place, and runs there when fixed.
    """

    found: int
    fixed: int
    runs: bool = False
    mended: bool = False


def compare(
    text: str, unsafe: bool = False, on_accelerator: Callable[[str], Ran] | None = None
) -> Compared:
    """Run a program before and after it is fixed, where there is something to fix.

    Args:
        text: the program.
        unsafe: whether to apply unsafe fixes too.
        on_accelerator: runs programs on a simulated accelerator as well.

    Raises:
        AssertionError: something that must hold does not.
    """
    result = fixed(text, unsafe)
    if not result.fixed:
        return Compared(len(result.before), 0)
    after = result.source.text
    before_on_cpu = _ran_the_same(text, after)
    mended = False
    if on_accelerator is not None and not result.findings and not before_on_cpu.error:
        if MIXED in on_accelerator(text).error:
            there = on_accelerator(after)
            assert not there.error, f"on the accelerator: {there}\n{after}"
            mended = True
    return Compared(len(result.before), len(result.fixed), not before_on_cpu.error, mended)


def compare_file(text: str, as_main: bool) -> None:
    """Run a file before and after safe fixes, where there is something to fix.

    Args:
        text: the file.
        as_main: whether to run it as a program, and not as an imported module.

    Raises:
        AssertionError: it does something else when fixed.
    """
    result = fixed(text)
    if result.fixed:
        _ran_the_same(text, result.source.text, as_main)


_SECONDS = re.compile(r"\d+\.\d+s\b")
"""What programs print that measure how long they take."""


def _ran_the_same(text: str, fixed_text: str, as_main: bool = True) -> Ran:
    """Run a program before and after it was fixed, and return what it did before."""
    before, after = ran(text, as_main), ran(fixed_text, as_main)
    assert does_the_same(before, after), f"before: {before}\nafter: {after}\n{fixed_text}"
    return before


def does_the_same(before: Ran, after: Ran) -> bool:
    """Whether a program does when fixed what it did.

    One that nothing keeps from ending where a value is no tensor may end where that is asked for
    its device, which is a little earlier, and another exception. One that ends, also on the CPU,
    for what is reported of it may go on from there.
    """
    if before.error.startswith("SyntaxError"):
        return True  # it can't be run, though it can be parsed
    if any(reported in before.error for reported in _REPORTED):
        return after.printed.startswith(before.printed)
    if before.error.startswith("TypeError") and after.error.startswith("AttributeError"):
        return "has no attribute 'device'" in after.error
    return _without_times(before) == _without_times(after)


def _without_times(program: Ran) -> Ran:
    return replace(program, printed=_SECONDS.sub("", program.printed))
