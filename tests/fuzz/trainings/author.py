"""Whole programs that train, put together from forms."""

from __future__ import annotations

import random
import re

from tests.fuzz.programs.forms import HOLE

from .agents import AGENTS
from .contrasts import CONTRASTS
from .data import DATA
from .experiments import EXPERIMENTS
from .generative import GENERATIVE
from .lasting import LASTING
from .likely import LIKELY
from .loops import LOOPS
from .models import MODELS
from .places import PLACES
from .projects import PROJECTS
from .scripts import SCRIPTS
from .sequences import SEQUENCES
from .steps import STEPS
from .tricky import TRICKY
from .vision import VISION
from .ways import WAYS

HEAD = """\
import argparse
import copy
import functools
import io
import random
from collections import defaultdict, deque, namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset


"""

ROOTS = (
    "script", "script", "generative", "sequences", "agents", "contrasts", "projects", "experiments",
    "vision", "tricky", "lasting", "likely",
)  # fmt: skip
"""What a program may be as a whole."""
FORMS = {
    **PLACES, **DATA, **MODELS, **LOOPS, **STEPS, **WAYS, **SCRIPTS,
    **GENERATIVE, **SEQUENCES, **AGENTS, **CONTRASTS, **PROJECTS, **EXPERIMENTS,
    **VISION, **TRICKY, **LASTING, **LIKELY,
}  # fmt: skip
"""What each hole may be filled with; what is more common stands there more often."""


class Author:
    """Writes programs.

    Args:
        chance: what to draw from.
    """

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def program(self) -> str:
        """Return a program."""
        return HEAD + self._filled(self._chance.choice(ROOTS)) + "\n"

    def _filled(self, kind: str) -> str:
        return HOLE.sub(self._hole, self._chance.choice(FORMS[kind]))

    def _hole(self, hole: re.Match[str]) -> str:
        margin, block, word = hole.groups()
        if block:
            return "\n".join(
                margin + line if line else "" for line in self._filled(block).split("\n")
            )
        return self._filled(word)
