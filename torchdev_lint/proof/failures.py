"""What becomes of a program in which a value turns out to be no tensor.

Where something takes a value as a tensor, and would take nothing else, a program that goes on has
one. A fix may ask that value for its device before, if one that is no tensor ends the program in
either case: at the fix, or at what takes it a little later.
"""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import ONLY_TENSOR_METHODS
from torchdev_lint.proof.grounds import Grounds
from torchdev_lint.proof.modules import Modules
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.order import leaves_block
from torchdev_lint.syntax.walking import walk

_OTHER_ERRORS = frozenset(
    """
    ArithmeticError AssertionError EOFError FileExistsError FileNotFoundError FloatingPointError
    ImportError IndexError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError
    NotImplementedError OSError OverflowError PermissionError RuntimeError StopIteration
    SystemExit TimeoutError UnicodeDecodeError UnicodeError ValueError ZeroDivisionError
    """.split()
)
"""Exceptions that are raised for something else than a wrong type or attribute."""
_EXPECTS_ERRORS = frozenset({"suppress", "raises", "assertRaises", "assertRaisesRegex"})
_ENDS_QUIETLY = frozenset({"exit", "_exit", "quit", "SystemExit"})
"""Names of what ends a program without its having failed."""
_GO_ON_BESIDE = frozenset(
    "_thread asyncio atexit concurrent multiprocessing threading torch.multiprocessing".split()
)
"""Modules that run code whose failure doesn't end the program."""
_QUESTIONS = frozenset({"isinstance", "hasattr", "getattr", "type", "callable", "is_tensor"})
"""Functions that tell one kind of value from others."""
_ENDS_A_CONTEXT = frozenset({"__exit__", "__aexit__"})
_QUIET_BUILTINS = frozenset("enumerate isinstance len print range repr str type zip".split())
"""Built-in functions that raise nothing, or a `TypeError`."""


class Failures:
    """What a file does with exceptions.

    Args:
        grounds: what is known of its names.
        modules: what its modules are.
    """

    def __init__(self, grounds: Grounds, modules: Modules) -> None:
        self._syntax = grounds.syntax
        self._bindings = grounds.bindings
        self._order = grounds.order
        self._mentions = grounds.mentions
        self._values = grounds.values
        self._modules = modules
        words = self._mentions.words
        self._go_on = bool(_EXPECTS_ERRORS & words)  # though a value is of another type
        self._are_told_apart = bool(_ENDS_QUIETLY & words)
        for node in walk(self._syntax.tree):
            self._note(node)

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            self._go_on |= any(_is_beside(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            self._go_on |= any(map(_is_beside, names))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            swallows = node.name in _ENDS_A_CONTEXT and _may_return_true(node)
            self._go_on |= swallows or node.name == "__del__"
        elif isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            self._note_try(node)  # type: ignore[arg-type]  # both have the fields

    def _note_try(self, node: ast.Try) -> None:
        self._go_on |= any(leaves_block(part) for part in node.finalbody)
        if all(map(_runs_no_code, node.body)):
            return
        for handler in node.handlers:
            self._are_told_apart = True
            self._go_on |= not _is_other_error(handler.type)

    def may_come_before(self, place: ast.AST, taker: ast.AST) -> bool:
        """Return whether a value that is taken as a tensor may as well be asked for its device.

        What follows is certain to take it, and nobody can tell which of the two has failed: no
        handler goes on, and nothing in between raises another exception that one takes for an
        answer.

        Args:
            place: where it would be asked, before.
            taker: what takes it.
        """
        if self._go_on or not self._order.follows(place, taker):
            return False
        return not self._are_told_apart or all(
            self._is_quiet(node) for node in self._order.between(place, taker)
        )

    def ends_for_others(self, node: ast.expr) -> bool:
        """Return whether the program ends where a value of a finding stands, if it is no tensor.

        The `forward` of a model of the file may take another one, where it asks what it was given.
        """
        call = self._syntax.parent(node)
        if isinstance(call, ast.Call) and node in call.args:
            forward = self._modules.forward_of(call.func, call)
            if forward is not None and self._asks_for(forward, call.args.index(node)):
                return False
        return self.may_come_before(node, self._syntax.statement(node) or node)

    def _asks_for(self, method: ast.FunctionDef, number: int) -> bool:
        """Whether a method asks what one of its arguments is."""
        given = method.args.args[number + 1 :]
        reads = self._mentions.reads(given[0].arg) if given else ()
        return any(method in self._syntax.around(r) and self._is_question(r) for r in reads)

    def _is_question(self, read: ast.Name) -> bool:
        """Whether what a variable holds is told from other kinds of values at a place."""
        parent = self._syntax.parent(read)
        if isinstance(parent, ast.Call):
            return (dotted(parent.func) or "").rpartition(".")[2] in _QUESTIONS
        return isinstance(parent, ast.Match)

    def _is_quiet(self, node: ast.AST) -> bool:
        """Whether a node raises only what would end the program as well, if anything."""
        if isinstance(node, ast.Call):
            return self._is_quiet_call(node)
        if isinstance(node, ast.Subscript):
            return isinstance(node.ctx, ast.Store) or getattr(node.value, "attr", "") == "shape"
        if isinstance(node, ast.Attribute):
            return not self._mentions.is_computed(node.attr)
        return not isinstance(node, (ast.Assert, ast.With, ast.AsyncWith))

    def _is_quiet_call(self, call: ast.Call) -> bool:
        if self._values.library(call.func).startswith("torch."):
            return True
        if isinstance(call.func, ast.Name) and call.func.id in _QUIET_BUILTINS:
            return self._bindings.is_builtin(call.func.id, call)
        if self._modules.class_of_layer(call.func):
            return True
        if not isinstance(call.func, ast.Attribute):
            return False
        made = self._modules.construction(call.func.value)
        is_librarys = made is not None and self._values.library(made.func).startswith("torch.")
        return is_librarys or call.func.attr in ONLY_TENSOR_METHODS


def _is_beside(module: str) -> bool:
    return module in _GO_ON_BESIDE or module.partition(".")[0] in _GO_ON_BESIDE


def _is_other_error(caught: ast.expr | None) -> bool:
    """Whether what a handler catches says nothing of types and attributes."""
    if isinstance(caught, ast.Tuple):
        return all(_is_other_error(kind) for kind in caught.elts)
    return isinstance(caught, ast.Name) and caught.id in _OTHER_ERRORS


def _runs_no_code(statement: ast.stmt) -> bool:
    """Whether a statement runs nothing of its file, as an import does."""
    if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass)):
        return True
    plain = isinstance(statement, (ast.Assign, ast.Expr))
    return plain and isinstance(getattr(statement, "value", None), ast.Constant)


def _may_return_true(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(_gives_more_than_false(node) for node in walk(function))


def _gives_more_than_false(node: ast.AST) -> bool:
    given = node.value if isinstance(node, ast.Return) else None
    return given is not None and not (isinstance(given, ast.Constant) and not given.value)
