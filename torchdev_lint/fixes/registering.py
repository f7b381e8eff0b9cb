"""Mending a plain container of modules or parameters: one that registers them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from torchdev_lint.catalog.modules import TAKEN_BY_DICTS
from torchdev_lint.change import Fix, Insert, Replace
from torchdev_lint.placement.evidence.classes import builds_container
from torchdev_lint.placement.facts.events import Unregistered
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.building import set_up_at
from torchdev_lint.proof.proof import Proof
from torchdev_lint.source.annotated import annotation_of

_LIST_METHODS = frozenset({"append", "extend", "insert"})
_DICT_METHODS = frozenset({"keys", "values", "items"})
_READING = frozenset(
    {"enumerate", "zip", "len", "reversed", "list", "tuple", "iter", "all", "any", "map", "sum"}
)
"""Functions to which a container of modules is as good as any."""
_WRITTEN_OUT = {
    "list": (ast.List, ast.ListComp, ast.BinOp), "tuple": (ast.Tuple,), "dict": (ast.Dict,),
    "generator": (ast.GeneratorExp,),
}  # fmt: skip
"""What a container looks like where it is made, of a kind that `torch.nn` has as well."""
_EMPTY = frozenset({"[]", "{}", "()", "list()", "dict()", "tuple()"})


def registered(facts: Facts, kept: Unregistered) -> Fix | None:
    """Return the fix that keeps modules or parameters where they are registered.

    It is unsafe: the state dict has more keys then.
    """
    value, proof = kept.node.value, facts.derived(Proof)
    if not isinstance(kept.node, ast.Assign) or value is None:
        return None
    if annotation_of(kept.node) is not None:
        return None  # it would no longer be of the type that is noted
    if len(kept.node.targets) != 1 or not isinstance(kept.node.targets[0], ast.Attribute):
        return None
    stores = proof.modules.stores_of(kept.owner, kept.attr)
    others = (store for store in stores if not _leaves_room(facts, store))
    if not kept.only_objects or len(list(islice(others, 2))) != 1:
        return None
    if not _is_set_up_before(facts, kept.node) or not _is_fit(facts, kept, value):
        return None
    wrapper = _name_for(facts, kept)
    if wrapper is None:
        return None
    span, text = facts.span(value), facts.text(value)
    if text in _EMPTY:
        return Fix(f"Make it a `{wrapper}`", "unsafe", (Replace(span, f"{wrapper}()"),))
    start = Insert(span.line, span.column, f"{wrapper}(")
    end = Insert(span.end_line, span.end_column, ")")
    return Fix(f"Wrap it in `{wrapper}`", "unsafe", (start, end))


def _leaves_room(facts: Facts, store: ast.Attribute) -> bool:
    """Whether a container of modules may be put where an attribute is set: to `None`, or to one."""
    value = getattr(facts.syntax.statement(store), "value", None)
    if isinstance(value, ast.Constant):
        return value.value is None
    return value is not None and builds_container(value)


def _is_set_up_before(facts: Facts, statement: ast.Assign) -> bool:
    """Whether the module can take parts where a statement stands: `super().__init__()` has run."""
    found = facts.syntax.method(statement)
    if found is None:
        return False
    method, owner = found
    places: list[ast.AST] = [statement]
    if method.name != "__init__":
        places += facts.derived(Proof).mentions.lookups(method.name)
        places.remove(statement)
    inits = (part for part in owner.body if getattr(part, "name", "") == "__init__")
    init = next(inits, None)
    if not isinstance(init, ast.FunctionDef) or not places:
        return False
    number = set_up_at(init)
    if number == len(init.body):
        return False
    begin = init.body[number].lineno
    return all(
        facts.syntax.scope(place) is init and getattr(place, "lineno", 0) > begin
        for place in places
    )


def _is_fit(facts: Facts, kept: Unregistered, value: ast.expr) -> bool:
    """Whether a container of `torch.nn` can stand in for the plain one, wherever it is read."""
    is_dict = kept.container == "dict"
    if isinstance(value, ast.Call) and getattr(value.func, "id", "") == kept.container:
        return not value.args and all(
            word.arg is not None and word.arg not in TAKEN_BY_DICTS for word in value.keywords
        )
    if isinstance(value, ast.Name):
        if kept.container == "dict" or not _is_last_mention(facts, value):
            return False
    elif facts.text(value) not in _EMPTY:
        if not isinstance(value, _WRITTEN_OUT.get(kept.container, ())):
            return False
        if isinstance(value, ast.Tuple) and not facts.text(value).startswith("("):
            return False
        if isinstance(value, ast.Dict) and not all(map(_is_key, value.keys)):
            return False
    reads = facts.derived(Proof).mentions.lookups(kept.attr)
    return all(_may_be_module(facts, read, is_dict) for read in reads)


def _is_last_mention(facts: Facts, variable: ast.Name) -> bool:
    """Whether nothing is added to a list any more by the variable that held it first."""
    named = facts.syntax.named(variable.id, facts.syntax.scope(variable))
    return facts.syntax.loop(variable) is None and all(
        (node.lineno, node.col_offset) <= (variable.lineno, variable.col_offset) for node in named
    )


def _may_be_module(facts: Facts, read: ast.Attribute, is_dict: bool) -> bool:
    """Whether a container of modules serves as well where an attribute is read."""
    parent = facts.syntax.parent(read)
    if isinstance(parent, ast.Subscript) and parent.value is read:
        return not is_dict or isinstance(parent.ctx, ast.Load) or _is_key(parent.slice)
    if isinstance(parent, ast.Attribute):
        methods = _DICT_METHODS if is_dict else _LIST_METHODS
        return parent.attr in methods and facts.syntax.is_called(parent)
    if isinstance(parent, ast.Call):
        name = getattr(parent.func, "id", "")
        return name in _READING and read in parent.args
    if isinstance(parent, ast.Compare):
        asks_for_keys = all(isinstance(op, (ast.In, ast.NotIn)) for op in parent.ops) and is_dict
        return asks_for_keys or all(isinstance(op, (ast.Is, ast.IsNot)) for op in parent.ops)
    if isinstance(parent, ast.Assign):
        return all(isinstance(target, (ast.Tuple, ast.List)) for target in parent.targets)
    is_looped = isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is read
    return is_looped or (isinstance(parent, ast.Starred) and not is_dict)


def _is_key(key: ast.expr | None) -> bool:
    """Whether a key of a dict may be the name of a part: a literal, and no method's."""
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        return False
    return key.value.isidentifier() and key.value not in TAKEN_BY_DICTS


def _name_for(facts: Facts, kept: Unregistered) -> str | None:
    """How the file calls the container of `torch.nn` that is needed."""
    kind = "Dict" if kept.container == "dict" else "List"
    wanted = f"{'Module' if kept.modules else 'Parameter'}{kind}"
    values = facts.derived(Proof).values
    for text in sorted(_names_of(facts, wanted), key=len):
        expression = ast.parse(text, mode="eval").body
        if values.library(expression, kept.node) == f"torch.nn.{wanted}":
            return text
    return None


def _names_of(facts: Facts, member: str) -> Iterator[str]:
    """Yield the names that a member of `torch.nn` may have, going by the file's imports."""
    full = f"torch.nn.{member}"
    for statement in facts.tree.body:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)):
            continue
        package = f"{statement.module}." if isinstance(statement, ast.ImportFrom) else ""
        for alias in statement.names:
            imported = package + alias.name
            if not package and not alias.asname:
                yield full
            elif full == imported or full.startswith(f"{imported}."):
                yield (alias.asname or alias.name) + full.removeprefix(imported)
