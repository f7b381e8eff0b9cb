"""What a switch has settled whose value is written out: `use_cuda = True`."""

from __future__ import annotations

import ast

from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax


class Settled:
    """Which parts of a file are never read, or never kept, by what its switches say.

    Args:
        syntax: the file's tree.
        proof: what is proven of its names.
    """

    def __init__(self, syntax: Syntax, proof: Proof) -> None:
        self._syntax = syntax
        self._proof = proof

    def is_overruled(self, node: ast.AST) -> bool:
        """Return whether a switch leaves out an expression, or what is assigned of it is replaced.

        That is so of `device = "cpu"` before `if use_cuda: device = "cuda"`, for example.
        """
        child = node
        for part in self._syntax.around(node):
            if isinstance(part, (*FUNCTIONS, ast.ClassDef)):
                break
            if isinstance(part, (ast.If, ast.IfExp)) and self._is_left_out(part, child):
                return True
            if isinstance(part, ast.Assign) and self._is_replaced(part):
                return True
            child = part
        return False

    def _is_left_out(self, choice: ast.If | ast.IfExp, child: ast.AST) -> bool:
        """Whether one of two ways is the one that is never taken."""
        verdict = self._verdict(choice.test)
        left = {True: choice.orelse, False: choice.body}.get(verdict) if verdict is not None else []
        return child in left if isinstance(left, list) else child is left

    def _is_replaced(self, assign: ast.Assign) -> bool:
        """Whether a variable gets another value behind an assignment, where a switch says so."""
        block, names = self._syntax.block(assign), set(map(path_of, assign.targets)) - {None}
        for statement in block[block.index(assign) + 1 :] if block else ():
            if isinstance(statement, ast.If) and self._verdict(statement.test) is True:
                given = (each.targets for each in statement.body if isinstance(each, ast.Assign))
                if any(names <= set(map(path_of, targets)) for targets in given if names):
                    return True
        return False

    def _verdict(self, test: ast.expr) -> bool | None:
        """What a condition is, if that is written out; None if not."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            verdict = self._verdict(test.operand)
            return None if verdict is None else not verdict
        values = [test]
        if isinstance(test, ast.Name):
            values = self._proof.values.values(test.id, test)
        told = {each.value if isinstance(each, ast.Constant) else None for each in values}
        return next(iter(told)) is True if len(told) == 1 and told <= {True, False} else None
