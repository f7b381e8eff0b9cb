"""How the paths of files are put together: `folder + "/" + name + ".pt"`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from torchdev_lint.syntax.names import last_component, text_of

JOINING = frozenset({"join", "joinpath"})
"""Functions that put a path together."""
GAP = "\0"
"""Stands for what is not written out of a path."""
GAPS = re.compile(r"\{[^}]*\}|%[-\d.]*[sdif]")
"""What stands in a text for what is put into it."""
_PUBLISHED = re.compile(r"-[0-9a-f]{8,64}\.\w+$")
"""How the names of published weights end, `vgg19-dcbb9e9d.pth`, by which they are checked.
Source: https://docs.pytorch.org/docs/stable/hub.html#torch.hub.load_state_dict_from_url"""
_OF_HOST = re.compile(r"(?<![a-z])cpu(?![a-z])", re.IGNORECASE)
"""What the name of a file says of one that holds nothing of an accelerator."""
_MOST_PARTS = 24
"""Of how many parts a path is put together that is compared with others."""
_PATHS = frozenset({"Path", "PurePath", "str"})
"""What a path is wrapped in."""


class Stem(NamedTuple):
    """What names a file, and the type at its end.

    Args:
        name: the expression of its name.
        type: what is written out behind it, `.pt`.
    """

    name: ast.expr
    type: str


def stem_at_end(file: ast.expr) -> Stem | None:
    """Return what names a file, if that is an expression with the file's type behind it."""
    while True:
        if isinstance(file, ast.Call) and file.args and _joins(file):
            file = file.args[-1]
        elif isinstance(file, ast.BinOp) and isinstance(file.op, ast.Div):
            file = file.right
        else:
            break
    if isinstance(file, ast.JoinedStr) and len(file.values) > 1:
        name, end = file.values[-2:]
        return _stem(name.value if isinstance(name, ast.FormattedValue) else name, end)
    if isinstance(file, ast.BinOp) and isinstance(file.op, ast.Add):
        name = file.left
        if isinstance(name, ast.BinOp) and isinstance(name.op, ast.Add):
            name = name.right
        return _stem(name, file.right)
    return None


def name_in_folder(file: ast.expr) -> ast.expr:
    """Return the last part of a path that is joined of several, else the whole expression."""
    if isinstance(file, ast.Call) and last_component(file.func) in JOINING and file.args:
        return file.args[-1]
    if isinstance(file, ast.BinOp) and isinstance(file.op, ast.Div):
        return file.right
    return file


def _joins(call: ast.Call) -> bool:
    return last_component(call.func) in JOINING | _PATHS


def _stem(name: ast.expr, end: ast.expr) -> Stem | None:
    if isinstance(name, ast.Constant) or not isinstance(end, ast.Constant):
        return None
    is_type = isinstance(end.value, str) and end.value.startswith(".")
    return Stem(name, str(end.value)) if is_type else None


def spelled(path: ast.expr, values: Callable[[ast.Name], list[ast.expr]]) -> str:
    """Return a path as it is put together, over the variables that hold its parts.

    What is written out stands as it is, anything else as it reads, in braces. Empty if there is too
    much of it.

    Args:
        path: its expression.
        values: gives what a variable may hold.
    """
    found, pending, left = list[str](), [path], _MOST_PARTS
    while pending and left:
        part, left = pending.pop(), left - 1
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
            pending += [part.right, part.left]
        elif isinstance(part, ast.JoinedStr):
            pending += reversed(part.values)
        elif isinstance(part, ast.FormattedValue):
            pending.append(part.value)
        elif isinstance(part, ast.Constant):
            found.append(str(part.value))
        else:
            held = values(part) if isinstance(part, ast.Name) else []
            is_text = len(held) == 1 and isinstance(held[0], (ast.BinOp, ast.JoinedStr))
            pending += held if is_text else []
            found += [] if is_text else [f"{{{text_of(part)}}}"]
    return "" if pending else "".join(found)


def pattern_of(path: ast.expr, values: Callable[[ast.Name], list[ast.expr]]) -> str:
    """Return how a path reads, with `GAP` for what isn't written out, over what variables hold.

    Args:
        path: its expression.
        values: gives what a variable may hold.
    """
    found, pending, left = list[str](), [path], _MOST_PARTS
    while pending and left:
        part, left = pending.pop(), left - 1
        if isinstance(part, ast.Constant):
            found.append(GAPS.sub(GAP, str(part.value)))
        elif isinstance(part, ast.Call) and part.args and _joins(part):
            pending += _between(part.args)
        elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div):
            pending += _between([part.left, part.right])
        elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
            pending += [part.right, part.left]
        elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod):
            pending.append(part.left)
        elif isinstance(part, ast.Call) and last_component(part.func) == "format":
            pending += [part.func.value] if isinstance(part.func, ast.Attribute) else []
        elif isinstance(part, ast.JoinedStr):
            pending += reversed(part.values)
        else:
            held = values(part) if isinstance(part, ast.Name) else []
            pending += held if len(held) == 1 else []
            found += [] if len(held) == 1 else [GAP]
    return "".join(found) if not pending else GAP


def _between(parts: list[ast.expr]) -> list[ast.expr]:
    """The parts of a path with what stands between them, the last one first."""
    slash = ast.Constant("/")
    return [each for part in reversed(parts) for each in (part, slash)][:-1]


def may_be_same(one: str, other: str) -> bool:
    """Return whether two patterns may be those of one file, or are of files in one folder."""
    folder, its_folder = one.rpartition("/")[0], other.rpartition("/")[0]
    if folder and folder == its_folder and GAP not in folder:
        return True
    return may_be_named_alike(one, other)


def may_be_named_alike(one: str, other: str) -> bool:
    """Return whether two patterns may be those of files of one name, in whatever folders."""
    name, its_name = one.rpartition("/")[2], other.rpartition("/")[2]
    if GAP not in name and GAP not in its_name:
        return name == its_name
    texts, its_texts = _texts(name), _texts(its_name)
    if texts and its_texts and not any(a in b or b in a for a in texts for b in its_texts):
        return False
    begin, its_begin = name.partition(GAP)[0], its_name.partition(GAP)[0]
    end, its_end = name.rpartition(GAP)[2], its_name.rpartition(GAP)[2]
    begins = begin.startswith(its_begin) or its_begin.startswith(begin)
    return begins and (end.endswith(its_end) or its_end.endswith(end))


def _texts(name: str) -> list[str]:
    """What is written out of a file's name, but for its type."""
    return [text for text in name.partition(".")[0].split(GAP) if text]


def are_of_one_type(one: str, other: str) -> bool:
    """Return whether two patterns are of files of the same type, which both say."""
    (_, dot, its_type), (_, _, type_) = one.rpartition("."), other.rpartition(".")
    return bool(dot) and its_type == type_ and GAP not in type_


def is_named(pattern: str) -> bool:
    """Return whether a pattern says anything of a file's name but for its type."""
    return bool(_texts(pattern.rpartition("/")[2]))


def is_published(path: ast.expr) -> bool:
    """Return whether a file is one that was published to be checked by its name."""
    texts = (part for part in written_out(path) if isinstance(part, str))
    return any(_PUBLISHED.search(text) for text in texts)


def is_named_for_host(path: ast.expr) -> bool:
    """Return whether the name of a file says that what it holds is on the CPU: `model_cpu.pt`."""
    texts = (part for part in written_out(path) if isinstance(part, str))
    return any(_OF_HOST.search(text.rpartition("/")[2]) for text in texts)


def written_out(path: ast.expr) -> tuple[object, ...]:
    """Return the parts of a path that are written out, in the order of the text."""
    parts = [part for part in without_keys(path) if isinstance(part, ast.Constant)]
    return tuple(p.value for p in sorted(parts, key=lambda p: (p.lineno, p.col_offset)))


def without_keys(node: ast.expr) -> Iterator[ast.AST]:
    """Yield the parts of an expression, but for what only chooses among things: keys and tests."""
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, ast.Subscript):
            pending.append(part.value)
        elif isinstance(part, ast.IfExp):
            pending += [part.body, part.orelse]
        else:
            pending += ast.iter_child_nodes(part)
