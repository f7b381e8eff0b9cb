"""What happens when devices mix: an error, or a record of it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType

import torch

from .claims import HOST, Chain, Claim, Place, claim_of
from .operands import Mixing


@dataclass(frozen=True, slots=True)
class Meeting:
    """A host tensor that met device tensors while mixing was allowed.

    Args:
        operation: the operation that CUDA would have refused.
        place: the program's line that was running; None if it had none to show.
        created: for each value that the host tensor was computed from, where the program made it:
            the line, then the lines that called it, innermost first.
        message: the first line of what CUDA would have said.
    """

    operation: str
    place: Place | None
    created: tuple[Chain, ...]
    message: str


class Watcher:
    """Decides what to do about mixing, and remembers it.

    Args:
        files: the files whose lines are reported, by their paths, and what they are called.
        allow_mixing: record meetings instead of raising.
    """

    def __init__(self, files: Mapping[str, str] | None = None, allow_mixing: bool = False) -> None:
        self._files = files or {}
        self.allow_mixing = allow_mixing
        self.meetings: list[Meeting] = []

    def chain(self) -> Chain:
        """Return the program's lines that are running, innermost first."""
        places = []
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            name = self._files.get(frame.f_code.co_filename)
            if name is not None:
                places.append(Place(name, frame.f_lineno))
            frame = frame.f_back
        return tuple(places)

    def meet(self, operation: str, mixing: Mixing) -> torch.device:
        """Raise what CUDA raises, or record it and return the device of the result."""
        if not self.allow_mixing:
            raise mixing.error from None
        place = next(iter(self.chain()), None)
        message = str(mixing.error).splitlines()[0]
        created = [claim_of(operand.tensor).origins for operand in mixing.operands] or [()]
        self.meetings.extend(Meeting(operation, place, chains, message) for chains in created)
        return mixing.result

    def claim_for(self, device: torch.device, parents: Sequence[torch.Tensor] = ()) -> Claim:
        """Make the claim of a new value, with the places it descends from."""
        if not self.allow_mixing or device != HOST:
            return Claim(device)
        inherited = {chain for parent in parents for chain in claim_of(parent).origins}
        return Claim(device, tuple(sorted(inherited)) or (self.chain(),))


_current = Watcher()


def current() -> Watcher:
    """Return the watcher of this process."""
    return _current


def start(watcher: Watcher) -> None:
    """Make a watcher the one of this process."""
    global _current
    _current = watcher
