"""Whether code of a file may move what optimizers keep for their parameters."""

from __future__ import annotations

import ast

from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.walking import walk


def reaches_states(syntax: Syntax) -> bool:
    """Return whether some code of a file reaches into the states of optimizers: it may move them.

    Args:
        syntax: the file's tree.
    """
    return any(isinstance(n, ast.Attribute) and n.attr == "state" for n in walk(syntax.tree))
