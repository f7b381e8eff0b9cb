"""What docstrings say that arguments are: the annotations of code without any."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from torchdev_lint.catalog.factories import TENSOR_CLASSES
from torchdev_lint.syntax.scopes import FUNCTIONS

_GOOGLE = re.compile(r"^\s*`{0,2}(\w+)`{0,2}\s*[(\[]([^()]*(?:\([^()]*\)[^()]*)*)[)\]]\s*:", re.M)
"""`x (Tensor): …`, as Google's style has it."""
_NUMPY = re.compile(r"^\s*(\w+)\s+:\s*(\S.*)$", re.M)
"""`x : torch.Tensor`, as NumPy's style has it."""
_PARAM = re.compile(r"^\s*:param\s+([\w.~`: ]+?)\s+(\w+)\s*:", re.M)
"""`:param torch.Tensor x: …`, as Sphinx has it."""
_TYPE = re.compile(r"^\s*:type\s+(\w+)\s*:\s*(\S.*)$", re.M)
"""`:type x: torch.Tensor`."""
_MARKUP = re.compile(r":\w+:|[`~*]")
_NUMBER = re.compile(r"int(?:eger)?(?:\s*,\s*(?:optional|default\b.*))?\.?", re.I)
_SIZES = r"(?:\s*\[[^\]]*\]|\s*\([^)]*\))*"
_TENSOR = re.compile(rf"(?:torch\.)?(?:cuda\.)?(\w+){_SIZES}(?:$|[,;.]|\s+(?:of|with|in)\b)")
"""The name of a class at the beginning, with sizes, or what else is said of it, behind it."""
_OTHERWISE = re.compile(r"\bor\b|[|/]|\bnumpy\b|\bn?d?array\b|\blist\b|\bUnion\b|\bscalar\b", re.I)
"""Words of a type that is more than one thing."""


def documented_tensors(function: ast.AST) -> frozenset[str]:
    """Return the parameters of which the docstring of a function says that they are tensors.

    What may be something else as well is left out, and what is described more than once in
    different ways: results may have the names of parameters.
    """
    text = ast.get_docstring(function, clean=False) if isinstance(function, FUNCTIONS) else None
    if text is None or not any(name in text for name in TENSOR_CLASSES):
        return frozenset()
    return _described(text, _is_tensor)


def documented_numbers(function: ast.AST, owner: ast.AST | None) -> frozenset[str]:
    """Return the parameters of which a docstring says that they are whole numbers, and no more.

    Args:
        function: the function.
        owner: the class whose objects it builds, whose docstring tells of that.
    """
    nodes = [node for node in (function, owner) if isinstance(node, (*FUNCTIONS, ast.ClassDef))]
    texts = [ast.get_docstring(node, clean=False) or "" for node in nodes]
    return (
        _described("\n".join(texts), _is_number) if any("int" in t for t in texts) else frozenset()
    )


def _described(text: str, fits: Callable[[str], bool]) -> frozenset[str]:
    """The parameters of which all that a docstring says of their type fits."""
    told: dict[str, bool] = {}
    for pattern in (_GOOGLE, _NUMPY, _TYPE):
        for name, described in pattern.findall(text):
            told[name] = told.get(name, True) and fits(described)
    for described, name in _PARAM.findall(text):
        told[name] = told.get(name, True) and fits(described)
    return frozenset(name for name, is_told in told.items() if is_told)


def _is_number(described: str) -> bool:
    return _NUMBER.fullmatch(_MARKUP.sub("", described).strip()) is not None


def _is_tensor(described: str) -> bool:
    plain = _MARKUP.sub("", described).strip()
    if _OTHERWISE.search(plain):
        return False
    match = _TENSOR.match(plain)
    return match is not None and match[1] in TENSOR_CLASSES
