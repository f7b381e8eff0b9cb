"""Whether a project calls a function only with what is on the host.

A function is judged by what it is given. Who gives it nothing but samples is told by the syntax of
the files that name it: data sets, samplers, transforms and what is handed to them, calls with
what was brought to the CPU for it, or made there, and calls of which the result becomes an array.
"""

from __future__ import annotations

import ast

from torchdev_lint.catalog.ecosystem import DATA_BASES, DATA_HOOKS
from torchdev_lint.catalog.methods import TENSOR_METHODS, TENSOR_MOVES
from torchdev_lint.placement.evidence.feeding import brings_back
from torchdev_lint.placement.evidence.host_values import (
    is_brought_to_host,
    is_made_on_host,
    is_number_or_text,
    is_set_by_users,
)
from torchdev_lint.placement.evidence.made_of import Placed
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.names import Definition, defined_in
from torchdev_lint.project.uses import uses_of, uses_of_method
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk

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
        if not uses.places or not uses.complete or len(asked) > _MAX_NAMES:
            return False
        for user, node in uses.places:
            if not (_is_of_samples(user, node) or _has_host_values(file, definition, user, node)):
                outer = user.syntax.outermost(node)
                if not isinstance(outer, FUNCTIONS):
                    return False
                pending.append(Definition(user.path, outer.name))
    return True


def is_used_on_samples(file: ParsedFile, name: str) -> bool:
    """Return whether all that the project does with a class or function is to work on samples."""
    uses = uses_of(file, Definition(file.path, name))
    of_samples = (_is_of_samples(user, node) for user, node in uses.places)
    return uses.complete and bool(uses.places) and all(of_samples)


def is_method_called_on_host(file: ParsedFile, scope: str) -> bool:
    """Return whether the project calls a method only with what is on the CPU, or for samples.

    It goes by its name, in the files that name its class: of what it is called on, syntax doesn't
    tell the class.

    Args:
        file: the file.
        scope: the method's, or that of something in it.
    """
    owner, _, rest = scope.partition(".")
    method = rest.partition(".")[0]
    uses = uses_of_method(file, owner, method) if method else None
    if uses is None or not uses.places or not uses.complete:
        return False
    return all(is_given_host_values(*call) or _is_of_samples(*call) for call in uses.places)


def _has_host_values(
    file: ParsedFile, definition: Definition, user: ParsedFile, node: ast.expr
) -> bool:
    """Whether a function is called there with what is on the host, going by what is done with it.

    Args:
        file: the file at hand.
        definition: the function.
        user: where it is called.
        node: its name there.
    """
    home = file if definition.path == file.path else parsed_file(definition.path)
    own = None if home is None else defined_in(home, definition.name)
    if is_given_host_values(user, node, builds=isinstance(own, ast.ClassDef)):
        return True
    return _becomes_array(user, node) and not _brings_values(own)


def _becomes_array(user: ParsedFile, node: ast.expr) -> bool:
    """Whether what a function gives is made an array, as it is or by methods of tensors."""
    around = user.syntax.parent(node)
    while isinstance(around, ast.Call) and around.func is node:
        member = user.syntax.parent(around)
        if not isinstance(member, ast.Attribute):
            return False
        if member.attr == "numpy":
            return True
        if member.attr not in TENSOR_METHODS - TENSOR_MOVES:
            return False
        node, around = member, user.syntax.parent(member)
    return False


def _brings_values(own: ast.AST | None) -> bool:
    """Whether a function may bring to the host what it is given on an accelerator."""
    return own is None or any(isinstance(n, ast.Call) and brings_back(n) for n in walk(own))


def is_given_host_values(file: ParsedFile, node: ast.expr, builds: bool = False) -> bool:
    """Return whether a function is called there with something that is on the host for certain.

    All that it is given is on the host then: it would fail with anything else beside it. Of what
    is made there without a word about devices that may be forgotten: all has to be made like that.

    Args:
        builds: whether it is a class: settings, of which it is built, tell nothing of what its
            methods are given.
    """
    call = file.syntax.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    values = [Placed(file, value) for value in given]
    if any(map(is_brought_to_host, values)):
        return True
    if all(is_number_or_text(v) and (builds or not is_set_by_users(v)) for v in values):
        return False
    return all(map(is_made_on_host, values))


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
