"""Modules of a project that only build models: which of them a program takes, a setting tells.

`models.__dict__[args.arch]()` gives any of them. None moves what it is given if no code that builds
them says a word of places.
"""

from __future__ import annotations

import ast
import re
import sys

from torchdev_lint.placement.evidence.neighbours import MOST_IMPORTED, reached_by
from torchdev_lint.project.files import parsed_file
from torchdev_lint.project.resolution import find_module
from torchdev_lint.project.seen import remembered
from torchdev_lint.syntax.walking import walk

_OF_PLACES = re.compile(
    r"\bto\(|\.to\b|\.type\b|type_as|cuda|\bcpu\b|device|xla|numpy\(|Parallel|accelerat|pack_padded",
    re.IGNORECASE,
)
"""What stands in code that may move something, or that wants lengths on the CPU."""
_LIBRARIES = frozenset({"torch", "torchvision", "torchaudio", "timm", "numpy", "einops"})
"""Libraries whose modules leave their inputs where they are."""


@remembered
def builds_plain_models(path: str) -> bool:
    """Whether a file, with all that it imports, builds models that move nothing.

    Args:
        path: the file, absolute.
    """
    if not path.endswith(".py"):
        return False  # a folder, which has no members
    reached = reached_by(path)
    return len(reached) < MOST_IMPORTED and all(map(_is_plain, reached))


@remembered
def _is_plain(path: str) -> bool:
    """Whether no code of a file says a word of places, and all that it imports is known."""
    if not path.endswith(".py"):
        return True  # a folder of modules, of which others are named
    parsed = parsed_file(path)
    if parsed is None or _OF_PLACES.search(parsed.source.text):
        return False
    return all(_is_known(path, node) for node in walk(parsed.tree))


def _is_known(path: str, node: ast.AST) -> bool:
    """Whether a node imports nothing but what the project has, and known libraries."""
    if isinstance(node, ast.ImportFrom) and not node.level:
        names = [node.module or ""]
    elif isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    else:
        return True
    return all(
        name.partition(".")[0] in _LIBRARIES | sys.stdlib_module_names
        or find_module(path, 0, name) is not None
        for name in names
    )
