"""Make `torchdev_lint/catalog/accepted.txt` from the installed PyTorch.

    python -m tests.catalog.accepted [--write]

It is about the classes of `torch.nn` and `torch.optim`, the functions of the catalog, and the
methods of tensors. What is written in Python has a signature; of all others the overloads in the
stubs that PyTorch has for type checkers tell, deprecated ones among them. What takes anything is
left out. It is shown what came and went since the file was written. The exit code is 1 if anything
differs.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import nn

from tests.catalog.making import run_command
from tests.catalog.required import KNOWN, SPACES
from torchdev_lint.catalog.accepted import ANY_NUMBER, FILE, Accepted, parsed

_STUBS = Path(torch.__file__).parent / "_C"
_TOLD_ELSEWHERE = "sparse_"
"""How functions begin that read their arguments otherwise.

Source: torch/csrc/utils/tensor_new.cpp.
"""
_NAMED = "names"
"""What was taken for named tensors until they were given up."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return run_command(("tests.catalog.accepted", __doc__), FILE, dumped, parsed, arguments)


def dumped() -> str:
    """Return the file's text, as the installed PyTorch has it."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for name, accepted in everything():
        most = ANY_NUMBER if accepted.most is None else accepted.most
        names[f"[{' '.join(map(str, (most, *sorted(accepted.names))))}]"].append(name)
    lines = [f"# torch {torch.__version__.partition('+')[0]}"]
    for line in sorted(names):
        lines.append(line)
        lines += textwrap.wrap(" ".join(sorted(names[line])), 100)
    return "\n".join(lines) + "\n"


def everything() -> Iterator[tuple[str, Accepted]]:
    """Yield functions, classes and methods, each with what it takes."""
    optimizers = torch.optim, "optim.", torch.optim.Optimizer
    for space, prefix, base in (nn, "nn.", nn.Module), optimizers:
        for name, made in sorted(vars(space).items()):
            if inspect.isclass(made) and issubclass(made, base) and made is not base:
                yield from _told(prefix + name, _of_signature(made))
    for beginning, functions in SPACES.items():
        known = KNOWN if beginning != "nn.utils.rnn." else set(nn.utils.rnn.__all__)
        for name, function in sorted(vars(functions).items()):
            is_told = name in known and not name.startswith(_TOLD_ELSEWHERE)
            if is_told and inspect.isroutine(function):
                yield from _told(beginning + name, _of(function, _functions()))
    for name, method in sorted(inspect.getmembers(torch.Tensor, inspect.isroutine)):
        if not name.startswith("_"):
            accepted = _of(method, _methods())
            if accepted is not None:
                is_open = accepted.most is None or name.rstrip("_") in _with_older_ones()
                most = None if is_open else (accepted.most or 0) - 1
                yield f"Tensor.{name}", Accepted(most, accepted.names - {"self"})


def _told(name: str, accepted: Accepted | None) -> Iterator[tuple[str, Accepted]]:
    if accepted is not None:
        yield name, accepted


def _of(function: Any, overloads: dict[str, list[ast.arguments]]) -> Accepted | None:
    """What a function takes, by its signature or by its overloads."""
    if not inspect.isbuiltin(function) and not inspect.ismethoddescriptor(function):
        return _of_signature(function)
    found = overloads.get(function.__name__)
    if not found or any(each.kwarg for each in found):
        return None
    names = {arg.arg for each in found for arg in (*each.args, *each.kwonlyargs)} | {_NAMED}
    is_open = any(each.vararg or _is_one_list(each.args) for each in found)
    most = max(len(each.posonlyargs) + len(each.args) for each in found)
    return Accepted(None if is_open else most, frozenset(names))


def _is_one_list(parameters: list[ast.arg]) -> bool:
    """Whether all that is taken by position are sizes, which may be written out one by one.

    Source: `allow_varargs_intlist` in torch/csrc/utils/python_arg_parser.cpp.
    """
    given = [parameter for parameter in parameters if parameter.arg != "self"]
    kinds = [ast.unparse(each.annotation) for each in given if each.annotation is not None]
    return len(given) == 1 and any("size" in kind.lower() for kind in kinds)


def _of_signature(function: Any) -> Accepted | None:
    """What a function takes that is written in Python; None if it takes anything."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return None
    kinds = [parameter.kind for parameter in parameters]
    if inspect.Parameter.VAR_KEYWORD in kinds:
        return None
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    most = sum(kind in by_position for kind in kinds)
    is_open = inspect.Parameter.VAR_POSITIONAL in kinds
    names = (p.name for p in parameters if p.kind is not inspect.Parameter.VAR_POSITIONAL)
    return Accepted(None if is_open else most, frozenset(names))


@cache
def _functions() -> dict[str, list[ast.arguments]]:
    """The parameters of each overload of the functions that are written in C++."""
    found: defaultdict[str, list[ast.arguments]] = defaultdict(list)
    for stub in "_VariableFunctions.pyi", "_nn.pyi":
        for node in ast.parse((_STUBS / stub).read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                found[node.name].append(node.args)
    return found


@cache
def _with_older_ones() -> set[str]:
    """The functions that are still called as in the first releases: factors come first.

    So are the methods, of which the stubs don't say it. Source: `tools/autograd/deprecated.yaml`.
    """
    return {
        name
        for name, overloads in _functions().items()
        if any(argument.arg == "self" for each in overloads for argument in each.args)
    }


@cache
def _methods() -> dict[str, list[ast.arguments]]:
    """The parameters of each overload of the methods of tensors that are written in C++."""
    found: defaultdict[str, list[ast.arguments]] = defaultdict(list)
    for node in ast.parse((_STUBS / "__init__.pyi").read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == "TensorBase":
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    found[method.name].append(method.args)
    return found


if __name__ == "__main__":
    sys.exit(main())
