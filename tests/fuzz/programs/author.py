"""Whole programs, put together from forms."""

from __future__ import annotations

import random
import re

from .devices import DEVICES
from .discards import DISCARDS
from .disturbances import DISTURBANCES
from .forms import HOLE, forms
from .modules import MODULES
from .stripping import PLAINLY, STRIPPING
from .uses import USES

HEAD = """\
import functools
from contextlib import suppress
from dataclasses import dataclass
from types import SimpleNamespace

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

calls = []
KEYWORDS = {"device": "cpu"}


def pick():
    calls.append("pick")
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def twice(function):
    @functools.wraps(function)
    def called(*arguments, **keywords):
        function(*arguments, **keywords)
        return function(*arguments, **keywords)
    return called


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 1)

    def forward(self, x):
        return self.inner(x)


args = SimpleNamespace(
    cuda=torch.cuda.is_available(),
    device="cuda" if torch.cuda.is_available() else "cpu",
    lr=1,
)
loader = DataLoader(TensorDataset(torch.ones(4, 3), torch.ones(4, 1)), batch_size=2)
"""

FORMS = {
    **DEVICES,
    **DISTURBANCES,
    **USES,
    **MODULES,
    **DISCARDS,
    **STRIPPING,
    "script": forms("""
$device
$model
$disturb
$use
$disturb
$use
--
$device
$model
$disturb
$use
--
def main():
    $device
    $model
    $disturb
    $use
main()
--
def setup():
    global device, model
    $device
    $model
setup()
$disturb
$use
--
$device
$model
$device
$use
--
if args.lr:
    $device
    $model
    $disturb
    $use
--
$device
$module
--
$module
--
$device
$stripped
--
def main():
    global device
    $device
    $stripped
main()
--
$device
$discard
--
$device
$disturb
$discard
--
def main():
    $device
    $discard
main()
"""),
}
"""What each hole may be filled with; what is more common stands there more often."""

PLAIN = {
    **FORMS,
    **PLAINLY,
    "disturb": ("pass",),
    "before": ("pass",),
    "input": ("torch.ones(3)",),
    "chosen": FORMS["chosen"][:2],
    "place": FORMS["place"][:1],
    "use": tuple(form for form in FORMS["use"] if "calls.append" not in form),
    "move": FORMS["move"][:3],
    "made": FORMS["made"][:3],
    "model": FORMS["model"][:5],
    "member": tuple(form for form in FORMS["member"] if "phone" not in form),
    "setup": tuple(form for form in FORMS["setup"] if "del " not in form and "phone" not in form),
    "discard": tuple(form for form in FORMS["discard"] if "float16" not in form),
}
"""The same for programs in which names mean what they seem to mean, and moves only move.

What is not certain of them is so all the same: that is what unsafe fixes need.
"""


class Author:
    """Writes programs.

    Args:
        chance: what to draw from.
        plain: whether all names shall mean what they seem to mean.
    """

    def __init__(self, chance: random.Random, plain: bool = False) -> None:
        self._chance = chance
        self._forms = PLAIN if plain else FORMS

    def program(self) -> str:
        """Return a program."""
        return f"{HEAD}{self._filled('script')}\nprint(calls)\n"

    def _filled(self, kind: str) -> str:
        return HOLE.sub(self._hole, self._chance.choice(self._forms[kind]))

    def _hole(self, hole: re.Match[str]) -> str:
        margin, block, word = hole.groups()
        if block:
            return "\n".join(margin + line for line in self._filled(block).split("\n"))
        return self._filled(word)
