"""Where shapes are registered, and how one is made as large as is wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

HEAD = "import torch\nimport torch.nn as nn\n"
"""What every file begins with; without it a file is not even analysed."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of code of which files of any size can be made.

    Args:
        name: the name of its generator.
        make: makes the text for a number of repetitions.
        deepest: the most repetitions that Python's own parser takes, if it has a limit; more of
            it is made by repeating the whole.
    """

    name: str
    make: Callable[[int], str]
    deepest: int | None = None

    def with_count(self, count: int) -> str:
        """Return a file with so many repetitions."""
        if self.deepest is None or count <= self.deepest:
            return HEAD + self.make(count)
        whole, rest = divmod(count, self.deepest)
        return HEAD + self.make(self.deepest) * whole + (self.make(rest) if rest else "")

    def of_size(self, characters: int) -> str:
        """Return a file of about so many characters, at least one repetition."""
        count, text = 1, self.with_count(1)
        for _ in range(12):
            if 0.9 * characters <= len(text) <= 1.1 * characters:
                break
            bigger = max(1, round(count * characters / len(text)))
            if bigger == count:
                break
            count, text = bigger, self.with_count(bigger)
        return text


SHAPES: dict[str, Shape] = {}


def shape(make: Callable[[int], str]) -> Callable[[int], str]:
    """Register a generator under its name."""
    SHAPES[make.__name__] = Shape(make.__name__, make)
    return make


def nested(deepest: int) -> Callable[[Callable[[int], str]], Callable[[int], str]]:
    """Register a generator of what Python takes only up to a depth.

    Args:
        deepest: the most repetitions in one piece.
    """

    def register(make: Callable[[int], str]) -> Callable[[int], str]:
        SHAPES[make.__name__] = Shape(make.__name__, make, deepest)
        return make

    return register


def lines(count: int, template: str) -> str:
    """Repeat a template, with `{i}` for the number, `{j}` for the one before and `{k}` the next."""
    parts = template.replace("{i}", "\0i").replace("{j}", "\0j").replace("{k}", "\0k")
    return "".join(
        parts.replace("\0i", str(i)).replace("\0j", str(max(i - 1, 0))).replace("\0k", str(i + 1))
        for i in range(count)
    )


def listed(count: int, template: str) -> str:
    """Repeat a template with commas between."""
    return lines(count, template + ", ")
