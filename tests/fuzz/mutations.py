"""Changes to source files that keep them Python, more or less."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_NAME = re.compile(r"\b(device|x|self|batch|images|labels|model|torch|nn|data|inputs)\b")
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
]

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


def _insert(chance: random.Random, lines: list[str]) -> list[str]:
    at = chance.randrange(len(lines))
    indentation = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    return [*lines[:at], indentation + chance.choice(_SNIPPETS), *lines[at:]]


def _rename(chance: random.Random, lines: list[str]) -> list[str]:
    at = chance.randrange(len(lines))
    other = chance.choice(["device", "x", "self", "batch", "y"])
    return [*lines[:at], _NAME.sub(other, lines[at], count=1), *lines[at + 1 :]]


def _without_device(chance: random.Random, lines: list[str]) -> list[str]:
    pattern = re.compile(r",\s*device\s*=\s*[\w.\[\]]+")
    hits = [i for i, line in enumerate(lines) if pattern.search(line)]
    if not hits:
        return lines
    at = chance.choice(hits)
    return [*lines[:at], pattern.sub("", lines[at]), *lines[at + 1 :]]


def _without_result(chance: random.Random, lines: list[str]) -> list[str]:
    pattern = re.compile(r"^(\s*)[\w.\[\]'\"]+ = ([\w.\[\]'\"]+\.(?:to|cuda)\(.*)$")
    hits = [i for i, line in enumerate(lines) if pattern.match(line)]
    if not hits:
        return lines
    at = chance.choice(hits)
    return [*lines[:at], pattern.sub(r"\1\2", lines[at]), *lines[at + 1 :]]


def _without_move(chance: random.Random, lines: list[str]) -> list[str]:
    pattern = re.compile(r"\.(?:to\([\w.]+\)|cuda\(\))")
    hits = [i for i, line in enumerate(lines) if pattern.search(line)]
    if not hits:
        return lines
    at = chance.choice(hits)
    return [*lines[:at], pattern.sub("", lines[at], count=1), *lines[at + 1 :]]


MUTATIONS: list[Mutation] = [
    _delete, _repeat, _swap, _insert, _insert, _rename, _without_device, _without_device,
    _without_result, _without_result, _without_move, _without_move,
]  # fmt: skip


def mutated(text: str, chance: random.Random) -> bytes:
    """Return a file with some changes, and perhaps other line endings or another encoding.

    Args:
        text: the file.
        chance: what to draw from.
    """
    lines = text.splitlines() or [""]
    for _ in range(chance.randint(1, 6)):
        lines = chance.choice(MUTATIONS)(chance, lines) or [""]
    newline = chance.choice(["\n", "\n", "\n", "\r\n", "\r"])
    if chance.random() < 0.1:
        at = chance.randrange(len(lines))
        lines[at] += chance.choice(["  ", "\t", "  # größe", "\f", "  # noqa: E501"])
    result = newline.join(lines) + chance.choice(["", newline, newline * 3, "  "])
    if chance.random() < 0.1:
        return b"\xef\xbb\xbf" + result.encode()
    if chance.random() < 0.1:
        cookie = f"# coding: latin-1{newline}"
        return (cookie + result).encode("latin-1", "replace")
    return result.encode("utf-8", "replace")
