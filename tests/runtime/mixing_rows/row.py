"""One row of the mixing table, and short ways to write one.

The snippets of the rows use `host(...)` and `dev(...)`, which make a tensor of the given shape on
the host and on the accelerator, `OP`, which stands for each of the row's names in turn, `NAME`,
which is the last component of that, and `torch`, `nn` and `F`. Integer tensors hold zeros (so that
they can be indices), boolean ones true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Rank = Literal[0, 1]
Kind = Literal["float", "int", "bool", "module"]
Place = Literal["accelerator", "host", "neither"]

SAME = "Expected all tensors to be on the same device"
WRAPPER = f"{SAME}, but got"
ITERATOR = f"{SAME}, but found at least two devices"
KERNEL = "expected a CUDA device but found cpu"


@dataclass(frozen=True, slots=True)
class Row:
    """What CUDA does when one operand of an operation is on the host.

    Args:
        names: qualified names of the operation; those in rows with `OP` or `NAME` are each called.
        host: the argument that is on the host while the others are on the accelerator; in words
            where it has no name.
        rank: 0 for a 0-dim host tensor, 1 for one with dimensions.
        kind: what the host tensor holds.
        expected: whether the operation works.
        code: statements; the last one is the expression under test.
        source: where this is written down.
        error: the exception's class name, where it raises.
        text: a piece of the exception's message.
        result: where the result lives, where it works; `neither` if it is no tensor.
    """

    names: tuple[str, ...]
    host: str
    rank: Rank
    kind: Kind
    expected: Literal["mixes", "raises"]
    code: str
    source: str
    error: str = ""
    text: str = ""
    result: Place = "accelerator"

    @property
    def called(self) -> tuple[str, ...]:
        """The names for which the code is run, one after the other."""
        return self.names if "OP" in self.code or "NAME" in self.code else self.names[:1]

    @property
    def title(self) -> str:
        """A name for reports."""
        return f"{self.names[0]}: {self.host}, rank {self.rank}, {self.kind}: {self.code}"


_SHORT = {"F": "torch.nn.functional", "nn": "torch.nn"}


def _qualified(names: str) -> tuple[str, ...]:
    """Split names and spell `F.` and `nn.` out."""
    pairs = (name.split(".", 1) for name in names.split())
    return tuple(f"{_SHORT.get(first, first)}.{rest}" for first, rest in pairs)


def mixes(
    names: str,
    host: str,
    rank: Rank,
    code: str,
    source: str,
    kind: Kind = "float",
    result: Place = "accelerator",
) -> Row:
    """Write a row for something that works; `names` are separated by spaces."""
    return Row(_qualified(names), host, rank, kind, "mixes", code, source, result=result)


def raises(
    names: str,
    host: str,
    rank: Rank,
    code: str,
    source: str,
    kind: Kind = "float",
    error: str = "RuntimeError",
    text: str = SAME,
) -> Row:
    """Write a row for something that raises; `names` are separated by spaces."""
    return Row(_qualified(names), host, rank, kind, "raises", code, source, error=error, text=text)


def both_ranks(names: str, host: str, code: str, source: str, kind: Kind = "float") -> list[Row]:
    """Write two rows for an elementwise operation: a 0-dim host tensor joins, a vector doesn't.

    Args:
        names: as in `Row`.
        host: as in `Row`.
        code: `HOST` stands for the host tensor.
        source: as in `Row`.
        kind: as in `Row`.
    """
    tag = "" if kind == "float" else f", kind={kind}"
    scalar = code.replace("HOST", f"host({tag.removeprefix(', ')})")
    vector = code.replace("HOST", f"host(4{tag})")
    return [
        mixes(names, host, 0, scalar, source, kind),
        raises(names, host, 1, vector, source, kind, text=ITERATOR),
    ]


def checked(*operations: str) -> str:
    """Name the operations whose generated CUDA wrapper demands one device for all tensors."""
    return _yaml(operations, "checked")


def unchecked(*operations: str) -> str:
    """Name the operations that leave the check to their kernel."""
    return _yaml(operations, "NoCheck")


def _yaml(operations: Sequence[str], word: str) -> str:
    return "native_functions.yaml: " + ", ".join(f"{name} ({word})" for name in operations)


SCALARS = (
    "; aten/src/ATen/TensorIterator.cpp: an input that is a 0-dim CPU tensor may join where "
    "allow_cpu_scalars is set; gpu_kernel_with_scalars reads it"
)
STRICT = (
    "; aten/src/ATen/TensorIterator.cpp: without allow_cpu_scalars every operand must be on the "
    "common device"
)
PLAIN = (
    "; aten/src/ATen/native/cuda/Loops.cuh: gpu_kernel without scalars asserts that each operand "
    "is on the device"
)
