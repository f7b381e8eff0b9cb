"""Changes to source files, most of which leave them Python."""

from __future__ import annotations

import ast
import random
import re
import warnings
from collections.abc import Callable

from .grammar import Writer

_NAME = re.compile(r"\b(device|x|self|batch|images|labels|model|torch|nn|data|inputs)\b")
_DEVICE = re.compile(r",\s*device\s*=\s*[\w.\[\]]+")
_RESULT = re.compile(r"^(\s*)[\w.\[\]'\"]+ = ([\w.\[\]'\"]+\.(?:to|cuda)\(.*)$")
_MOVE = re.compile(r"\.(?:to\([\w.]+\)|cuda\(\))")
_CALL = re.compile(r"\w\(")
_COMMA = re.compile(r", (?=[\w\"'])")
_ASSIGNMENT = re.compile(r" = (?=\w)")
_SNIPPETS = [
    "x.to(device)",
    "x.cuda()",
    "mask = torch.zeros(3)",
    "y = torch.ones(  3, # note\n        4)",
    "x = x + torch.arange(5)",
    "self.mask.to(x.device)",
    "for t in batch: t.to(device)",
    "[t.cuda() for t in batch]",
    "x = nn.Linear(3, 4)(x)",
    "y = torch.from_numpy(a) * x",
    "model.to(device)",
    "model(torch.randn(3))",
    "f'{x.to(device)} {torch.zeros(2) + x}'",
    "use_cuda and x.cuda()",
    "x.cuda() if use_cuda else None",
    "with torch.no_grad(): x.to(device)",
    "x.to(device)  # noqa",
    "print('größe'); x.to('cuda')",
    "x = torch.cat([x, torch.zeros(\n    1,  # one\n)])",
    "if x is None: x = torch.ones(3)",
]
_NOT_PYTHON = 0.1
"""The share of files of which it does not matter whether they still parse."""
_ATTEMPTS = 30

Mutation = Callable[[random.Random, list[str]], list[str]]


def _delete(chance: random.Random, lines: list[str]) -> list[str]:
    at = chance.randrange(len(lines))
    return lines[:at] + lines[at + 1 :]


def _repeat(chance: random.Random, lines: list[str]) -> list[str]:
    at = chance.randrange(len(lines))
    return [*lines[:at], lines[at], *lines[at:]]


def _swap(chance: random.Random, lines: list[str]) -> list[str]:
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines = list(lines)
    lines[first], lines[second] = lines[second], lines[first]
    return lines


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _insert(chance: random.Random, lines: list[str]) -> list[str]:
    return _inserted(chance, lines, chance.choice(_SNIPPETS))


def _insert_any(chance: random.Random, lines: list[str]) -> list[str]:
    """Insert a statement of any kind that Python has."""
    return _inserted(chance, lines, Writer(chance).statement(depth=2))


def _inserted(chance: random.Random, lines: list[str], text: str) -> list[str]:
    at = chance.randrange(len(lines))
    margin = _indentation(lines[at])
    return [*lines[:at], *(margin + line for line in text.split("\n")), *lines[at:]]


def _rename(chance: random.Random, lines: list[str]) -> list[str]:
    other = chance.choice(["device", "x", "self", "batch", "y"])
    return _substituted(chance, lines, _NAME, other)


def _substituted(
    chance: random.Random, lines: list[str], pattern: re.Pattern[str], content: str
) -> list[str]:
    """Replace one hit of a pattern in one of the lines that have any."""
    hits = [at for at, line in enumerate(lines) if pattern.search(line)]
    if not hits:
        return lines
    at = chance.choice(hits)
    changed = pattern.sub(content, lines[at], count=1)
    return [*lines[:at], *changed.split("\n"), *lines[at + 1 :]]


def _substitution(pattern: re.Pattern[str], *contents: str) -> Mutation:
    def mutation(chance: random.Random, lines: list[str]) -> list[str]:
        return _substituted(chance, lines, pattern, chance.choice(contents))

    return mutation


def _indent(chance: random.Random, lines: list[str]) -> list[str]:
    """Put a line, or two, into a block of its own."""
    at = chance.randrange(len(lines))
    margin = _indentation(lines[at])
    head = chance.choice(["if device:", "with torch.no_grad():", "for _ in range(2):", "try:"])
    tail = [f"{margin}finally: pass"] if head == "try:" else []
    until = at + chance.choice([1, 1, 2])
    body = ["  " + line for line in lines[at:until]]
    return [*lines[:at], margin + head, *body, *tail, *lines[until:]]


def _join(chance: random.Random, lines: list[str]) -> list[str]:
    """Put two statements on one line."""
    at = chance.randrange(len(lines))
    if at + 1 == len(lines) or _indentation(lines[at]) != _indentation(lines[at + 1]):
        return lines
    joined = f"{lines[at]}{chance.choice(['; ', ';', ' ;  '])}{lines[at + 1].strip()}"
    return [*lines[:at], joined, *lines[at + 2 :]]


def _tabs(chance: random.Random, lines: list[str]) -> list[str]:
    """Indent with tabs."""
    return [re.sub(r"^(?: {4})+", lambda margin: "\t" * (len(margin[0]) // 4), s) for s in lines]


def _end(chance: random.Random, lines: list[str]) -> list[str]:
    """Lengthen a line at its end."""
    at = chance.randrange(len(lines))
    tail = chance.choice(["  ", "\t", "  # größe", "\f", "  # noqa: E501", "  # noqa: TDL002", ";"])
    return [*lines[:at], lines[at] + tail, *lines[at + 1 :]]


_MUTATIONS: list[Mutation] = [
    _delete, _repeat, _swap, _insert, _insert, _insert_any, _rename, _indent, _join, _tabs, _end,
    _substitution(_DEVICE, ""), _substitution(_DEVICE, ""),
    _substitution(_RESULT, r"\1\2"), _substitution(_RESULT, r"\1\2"),
    _substitution(_MOVE, ""), _substitution(_MOVE, ""),
    _substitution(_CALL, r"\g<0>\n", r"\g<0>  # note\n\n", r"\g<0> "),
    _substitution(_COMMA, ",\n", ",", ",  # ö\n\t"),
    _substitution(_ASSIGNMENT, " = \\\\\n  ", "=", " = x = "),
]  # fmt: skip


def parses(text: str | bytes) -> bool:
    """Whether a text is Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes that a mutation has made invalid
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return False
    return True


def mutated(text: str, chance: random.Random) -> bytes:
    """Return a file with some changes, and perhaps other line endings or another encoding.

    Most results are Python where the text is: a change that spoils it is not made.

    Args:
        text: the file.
        chance: what to draw from.
    """
    lines = text.splitlines() or [""]
    anything = chance.random() < _NOT_PYTHON or not parses(text)
    wanted = chance.randint(1, 6)
    for _ in range(_ATTEMPTS):
        if not wanted:
            break
        changed = chance.choice(_MUTATIONS)(chance, lines) or [""]
        if changed != lines and (anything or parses("\n".join(changed))):
            lines = changed
            wanted -= 1
    newline = chance.choice(["\n", "\n", "\n", "\r\n", "\r"])
    result = newline.join(lines) + chance.choice(["", newline, newline * 3, "  "])
    if chance.random() < 0.1:
        return b"\xef\xbb\xbf" + result.encode("utf-8", "replace")
    if chance.random() < 0.1:
        cookie = f"# coding: latin-1{newline}"
        return (cookie + result).encode("latin-1", "replace")
    return result.encode("utf-8", "replace")
