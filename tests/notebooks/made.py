"""Notebooks to be linted."""

from __future__ import annotations

import json
from typing import Any


def notebook(*cells: str, **more: Any) -> dict[str, Any]:
    """A notebook with code cells; what begins with `#md` is text."""
    return {
        "cells": [_text(cell) if cell.startswith("#md") else _code(cell) for cell in cells],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
        **more,
    }


def written(*cells: str, **more: Any) -> str:
    """A notebook as Jupyter writes it."""
    return json.dumps(notebook(*cells, **more), indent=1, ensure_ascii=False) + "\n"


def sources(text: str) -> list[str]:
    """What the cells of a notebook hold."""
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"]]


def _code(text: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": text.splitlines(keepends=True),
    }


def _text(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


TWO_CELLS = written("#md Title", "import torch\nimages = torch.randn(8, 3)", 'images.to("cuda")')
"""One finding: TDL001 in cell 3, line 1, column 1; on line 32 of the file."""

MEETING = written(
    "import torch\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
    "        super().__init__()\n        self.fc = torch.nn.Linear(3, 3)\n\n"
    "    def forward(self, x):\n        noise = torch.randn(8, 3)\n"
    "        return self.fc(x) + noise",
)
"""One finding whose related place is in the same cell."""
