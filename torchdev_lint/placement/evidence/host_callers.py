"""Whether a project calls a function only with what is on the host.

A function is judged by what it is given. Who gives it nothing but samples is told by the syntax of
the files that name it: data sets, samplers, transforms and what is handed to them, and calls with
something that was brought to the CPU for it.
"""

from __future__ import annotations

import ast

from torchdev_lint.catalog.ecosystem import DATA_BASES, DATA_HOOKS
from torchdev_lint.placement.evidence.host_values import is_brought_to_host
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition
from torchdev_lint.project.uses import uses_of
from torchdev_lint.proof.grounds import Grounds
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS

_MAX_NAMES = 8
"""How many functions are asked about, each called by the one before."""


def is_called_on_host(file: ParsedFile, name: str) -> bool:
    """Return whether some code of the project uses a definition, and all that does is the host's.

    Args:
        file: the file.
        name: the function or class, which stands at its top.
    """
    pending, asked = [Definition(file.path, name)], set[Definition]()
    while pending:
        definition = pending.pop()
        if definition in asked:
            continue
        asked.add(definition)
        uses = uses_of(file, definition)
        if not uses or len(asked) > _MAX_NAMES:
            return False
        for user, node in uses:
            if not (_is_of_samples(user, node) or _is_given_host_values(user, node)):
                outer = user.syntax.outermost(node)
                if not isinstance(outer, FUNCTIONS):
                    return False
                pending.append(Definition(user.path, outer.name))
    return True


def _is_given_host_values(file: ParsedFile, node: ast.expr) -> bool:
    """Whether a function is called there with something that is on the host for certain.

    All that it is given is on the host then: it would fail with anything else beside it.
    """
    call = file.syntax.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return False
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    grounds = file.derived(_grounds_of)
    return any(is_brought_to_host(value, grounds) for value in values)


def _grounds_of(file: ParsedFile) -> Grounds:
    return Grounds(file.syntax)


def _is_of_samples(file: ParsedFile, node: ast.expr) -> bool:
    """Whether an expression stands in the code of a data set, or is handed to one."""
    syntax, inner = file.syntax, node
    for around in syntax.around(node):
        if isinstance(around, ast.keyword) and around.arg in DATA_HOOKS:
            return True
        if isinstance(around, ast.Call) and last_component(around.func).endswith("Compose"):
            return inner is not around.func
        if isinstance(around, ast.ClassDef) and _makes_samples(around):
            return True
        inner = around if isinstance(around, ast.expr) else inner
    return False


def _makes_samples(node: ast.ClassDef) -> bool:
    """Whether a class is a data set or a sampler, by its bases or as it is looked up by index."""
    if any(last_component(base) in DATA_BASES for base in node.bases):
        return True
    names = {part.name for part in node.body if isinstance(part, FUNCTIONS)}
    return "__getitem__" in names and "forward" not in names
