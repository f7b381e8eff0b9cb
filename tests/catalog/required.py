"""Make `torchdev_lint/catalog/required.txt` from the installed PyTorch.

    python -m tests.catalog.required [--write]

It is about the classes of `torch.nn` and the operations and factories of the catalog that take two
arguments or more. What is written in Python has a signature. Of all others the schemas of their
overloads tell, as far as each overload begins like the one that takes least. It is shown what came
and went since the file was written. The exit code is 1 if anything differs.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import torch
from torch import nn

from tests.catalog.making import run_command
from torchdev_lint.catalog import factories, operations
from torchdev_lint.catalog.required import FILE, parsed

SPACES = {
    "": torch,
    "nn.functional.": nn.functional,
    "nn.utils.rnn.": nn.utils.rnn,
    "linalg.": torch.linalg,
    "special.": torch.special,
}
"""Where functions are, by how names there begin."""
KNOWN = (
    operations.ELEMENTWISE | operations.CHECKED | operations.STRICT | operations.BROADCAST
    | operations.NEUTRAL_FUNCTIONS | factories.FACTORY_NAMES
)  # fmt: skip
"""The functions that the catalog says something of."""
_SINCE_LATELY = frozenset({"linspace", "logspace"})
"""Those that asked for less in earlier releases: up to 1.12 they made a hundred steps."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return run_command(("tests.catalog.required", __doc__), FILE, dumped, parsed, arguments)


def dumped() -> str:
    """Return the file's text, as the installed PyTorch has it."""
    names: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, parameters in required():
        names[parameters].append(name)
    lines = [f"# torch {torch.__version__.partition('+')[0]}"]
    for parameters in sorted(names):
        lines.append(f"[{' '.join(parameters)}]")
        lines += textwrap.wrap(" ".join(sorted(names[parameters])), 100)
    return "\n".join(lines) + "\n"


def required() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield functions and classes, each with the parameters that a call has to give."""
    for name, layer in sorted(vars(nn).items()):
        if inspect.isclass(layer) and issubclass(layer, nn.Module):
            if parameters := _of_signature(layer):
                yield f"nn.{name}", parameters
    for beginning, space in SPACES.items():
        known = KNOWN if beginning != "nn.utils.rnn." else set(nn.utils.rnn.__all__)
        for name, function in sorted(vars(space).items()):
            if name in known - _SINCE_LATELY and inspect.isroutine(function):
                parameters = _of_signature(function) or _of_schemas(name, function)
                if len(parameters) > 1:
                    yield beginning + name, parameters


def _of_signature(function: Callable[..., Any]) -> tuple[str, ...]:
    """What a function that is written in Python has to be given; nothing of any other."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return ()
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return tuple(p.name for p in parameters if p.kind in by_name and p.default is p.empty)


def _of_schemas(name: str, function: Callable[..., Any]) -> tuple[str, ...]:
    """What each overload of a function has to be given that is written in C++."""
    if not inspect.isbuiltin(function):
        return ()
    lists = _overloads().get(name, [])
    least = min(lists, key=len, default=())
    return least if all(each[: len(least)] == least for each in lists) else ()


@cache
def _overloads() -> dict[str, list[tuple[str, ...]]]:
    """What each overload has to be given that is about tensors, by the names of operations."""
    found: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for schema in torch._C._jit_get_all_schemas():
        space, _, name = schema.name.partition("::")
        every = [*schema.arguments, *schema.returns]
        if space == "aten" and any("Tensor" in str(each.type) for each in every):
            given = (a.name for a in schema.arguments if not a.has_default_value() and not a.is_out)
            found[name].append(tuple("input" if each == "self" else each for each in given))
    return dict(found)


if __name__ == "__main__":
    sys.exit(main())
