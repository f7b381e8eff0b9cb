"""Where it failed: the code of a call in a traceback, and what takes part in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from torchdev_lint.known.known import Known, Nature
from torchdev_lint.known.trail import Trail, trail_to
from torchdev_lint.placement.domain.values import Place
from torchdev_lint.records import dataclass
from torchdev_lint.source.cells import in_cell
from torchdev_lint.source.span import Span
from torchdev_lint.tracebacks.files import AnalysedFile
from torchdev_lint.tracebacks.reading import Frame

_OPERATIONS = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript)


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """A value that takes part in what failed.

    Args:
        node: its expression.
        known: what is known of it.
        trail: where that comes from.
    """

    node: ast.expr
    known: Known
    trail: Trail


class Scene:
    """The code of a call in a traceback.

    Args:
        frame: the call.
        file: the file that it is in.
        marks: whether the traceback marks what failed in lines: one without failed as a whole.
    """

    def __init__(self, frame: Frame, file: AnalysedFile, marks: bool) -> None:
        self.frame = frame
        self.file = file
        self.line = _line_now(frame, file)
        self.statement = file.knowledge.statement_at(self.line or frame.line)
        self.marked = self._marked(marks)

    @property
    def is_stale(self) -> bool:
        """Whether the file doesn't have the line any more that the traceback shows."""
        return self.line is None

    @property
    def text(self) -> str:
        """The line as it is in the file now; as the traceback shows it if it isn't there."""
        return self.frame.text if self.line is None else self.file.source.lines[self.line - 1]

    @property
    def statement_span(self) -> Span | None:
        """The statement that failed, without those in it."""
        return None if self.statement is None else self._head(self.statement)

    def _head(self, statement: ast.stmt) -> Span:
        span = self.file.source.span(statement)
        body = getattr(statement, "body", None)
        if not isinstance(body, list):
            return span
        own = self.file.knowledge.own_expressions(statement)
        ends = [(self.file.source.span(node).end_line, 10**6) for node in own]
        line, column = max(ends, default=(span.line, 10**6))
        return Span(span.line, span.column, line, column)

    def _marked(self, marks: bool) -> ast.AST | None:
        """The expression or statement that failed, None where the traceback doesn't tell it."""
        if self.line is None or self.statement is None:
            return None
        if self.frame.marked is None:
            return self._whole() if marks else self._only_operation()
        line = self.file.source.lines[self.line - 1]
        # What a log puts before the line is part of the text, but not of the file.
        shift = line.index(line.strip()) - self.frame.text.index(line.strip())
        begin, end = (column + shift for column in self.frame.marked)
        node: ast.AST | None = self.file.knowledge.at(self.line, begin)
        syntax = self.file.knowledge.syntax
        while node is not None and node is not self.statement:
            span = self.file.source.span(node)
            if span.end_line > self.line or span.end_column >= end:
                return node
            node = syntax.parent(node)
        return node

    def _whole(self) -> ast.AST | None:
        """What fails in a line that is one as a whole."""
        statement = self.statement
        if statement is None or statement.lineno != statement.end_lineno:
            return None
        return statement.value if isinstance(statement, ast.Expr) else statement

    def _only_operation(self) -> ast.AST | None:
        """What fails in a statement if nothing else in it can."""
        assert self.statement is not None
        own = self.file.knowledge.own_expressions(self.statement)
        operations: list[ast.AST] = [node for node in own if isinstance(node, _OPERATIONS)]
        if isinstance(self.statement, ast.AugAssign):
            operations.append(self.statement)
        return operations[0] if len(operations) == 1 else None

    @cached_property
    def operands(self) -> list[Operand]:
        """What takes part and lives somewhere, or may, in the order of the text.

        Of what may be in several places it is told how it gets to the CPU.
        """
        knowledge = self.file.knowledge
        nodes: list[ast.expr] = []
        if isinstance(self.marked, ast.expr):
            nodes = [node for node in _taking_part(self.marked) if self._counts(node)]
        elif self.statement is not None:
            # Of all of the statement nothing came: it failed.
            result = getattr(self.statement, "value", None)
            own = knowledge.own_expressions(self.statement)
            nodes = knowledge.that_matter([node for node in own if node is not result])
        read = [n for n in nodes if not isinstance(getattr(n, "ctx", None), ast.Store)]
        return [
            Operand(node, knowledge.of(node), trail_to(knowledge, node, Place.HOST))
            for node in dict.fromkeys(read)
        ]

    def _counts(self, node: ast.expr) -> bool:
        """Whether it lives somewhere, or may: of what is called, what isn't asked of a value."""
        knowledge, known = self.file.knowledge, self.file.knowledge.of(node)
        if not known.cases or not known.matters or knowledge.is_receiver(node):
            return False
        is_method = isinstance(node, ast.Attribute) and knowledge.syntax.is_called(node)
        return known.nature is not Nature.UNKNOWN or not (
            is_method and knowledge.of(node.value).matters  # type: ignore[attr-defined]  # an attribute
        )


def _line_now(frame: Frame, file: AnalysedFile) -> int | None:
    """Where a line is now that a traceback shows, None if it isn't there or may be several."""
    lines = file.source.lines
    if not frame.text:
        return frame.line if 0 < frame.line <= len(lines) else None
    there = lines[frame.line - 1].strip() if 0 < frame.line <= len(lines) else ""
    cells = file.source.cells
    if there and frame.text.endswith(there) and not cells:
        return frame.line
    same = [number for number, line in enumerate(lines, 1) if line.strip() == frame.text]
    if cells and len(same) > 1:
        same = [n for n in same if in_cell(cells, Span(n, 0, n, 0)).line == frame.line]
    return same[0] if len(same) == 1 else None


def _taking_part(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what an operation takes: its operands, arguments, and what it is a method of."""
    if isinstance(node, ast.Call):
        function = node.func
        yield function
        if isinstance(function, ast.Attribute):
            yield function.value
        for given in (*node.args, *(keyword.value for keyword in node.keywords)):
            yield from _elements(given)
    else:
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                yield from _elements(part)


def _elements(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, (ast.Tuple, ast.List)):
        for part in node.elts:
            yield from _elements(part)
    else:
        yield node.value if isinstance(node, ast.Starred) else node
