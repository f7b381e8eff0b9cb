"""All that the analysis knows of the expressions of one file."""

from __future__ import annotations

import ast
from functools import cached_property

from torchdev_lint.garbage import not_collected
from torchdev_lint.known.known import Known, Nature, cases_of
from torchdev_lint.known.recorder import Recorder
from torchdev_lint.linter import parsed
from torchdev_lint.placement.analysis import Project, analyse
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.domain.values import Instance, Tensor, Value, alternatives
from torchdev_lint.placement.evidence.neighbours import default_changes_around
from torchdev_lint.placement.facts.events import Skipped
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.resolution import project_path
from torchdev_lint.source.source import Source
from torchdev_lint.source.span import Span
from torchdev_lint.stack import on_own_stack
from torchdev_lint.syntax.bindings import Bindings
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk

_WRITTEN = (ast.Store, ast.Del)
_NAMED = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Await)


class Knowledge:
    """What is known of the expressions of a file.

    All of its functions are run, and all that they call in other files: linting leaves out what
    can't lead to a finding.

    Args:
        source: the file's text.
        tree: its syntax tree, if it was parsed already.

    Raises:
        SyntaxProblem: the text isn't valid Python, or too deeply nested for the parser.
    """

    def __init__(self, source: Source, tree: ast.Module | None = None) -> None:
        self.source = source
        self.tree = parsed(source) if tree is None else tree
        self._recorder = Recorder()
        self._run()

    @on_own_stack
    @not_collected()
    def _run(self) -> None:
        changes = default_changes_around(self.source.path)
        self._facts = analyse(
            self.tree,
            self.source,
            wanted=lambda node: True,
            project=Project(ParsedFile(project_path(self.source.path), self.tree, self.source)),
            default_changes=changes,
            fixable=False,
            watcher=self._recorder,
        )

    @property
    def syntax(self) -> Syntax:
        """The tree with the way back from a node to what it is part of."""
        return self._facts.syntax

    @cached_property
    def bindings(self) -> Bindings:
        """What names are bound to."""
        return self.syntax.derived(Bindings)

    def of(self, node: ast.AST) -> Known:
        """Return what is known of an expression, or of what an assignment or loop binds.

        Args:
            node: an expression of the tree, or a parameter.
        """
        seen = self._recorder.seen.get(node)
        if seen is None and (read := self._read_from(node)) is not None:
            seen = self._recorder.seen.get(read)
        return Known(self.source.span(node), self.source.segment(node), cases_of(seen or ()))

    def values(self, node: ast.AST) -> list[Value]:
        """Return the values that an expression may give, in the analysis's own terms."""
        return self._recorder.values(node)

    def origin_made_by(self, node: ast.AST) -> Origin | None:
        """Return the origin of the host value that a node makes itself, None if it makes none."""
        for seen in self._recorder.seen.get(node, ()):
            for option in alternatives(seen.value):
                made = seen.obj(option) if isinstance(option, Instance) else option
                origin: Origin | None = getattr(made, "origin", None)
                if origin is not None and origin.made.node is node:
                    return origin
        return None

    def is_within_reach(self, node: ast.AST) -> bool:
        """Whether an expression was evaluated at all."""
        return node in self._recorder.seen

    def moves_along(self, node: ast.Attribute) -> bool:
        """Whether an attribute is part of a module, and moves with it: a module or parameter."""
        owners = self._recorder.seen.get(node.value, ())
        if not any(case.nature is Nature.MODULE for case in cases_of(owners)):
            return False
        values = self.values(node)
        return any(
            isinstance(v, Instance) or (isinstance(v, Tensor) and v.registered) for v in values
        )

    def skipped(self, node: ast.AST) -> str:
        """Return why the code around a node was not looked at to its end; empty if it was."""
        around = {node, *self.syntax.around(node)}
        return next((s.reason for s in self._facts.of(Skipped) if s.node in around), "")

    def at(self, line: int, column: int) -> ast.expr | None:
        """Return the innermost expression at a position, None where there is none.

        Args:
            line: counted from 1.
            column: counted from 0, in characters.
        """
        found: tuple[Span, ast.expr] | None = None
        for node in walk(self.tree):
            if not isinstance(node, ast.expr):
                continue
            span = self.source.span(node)
            begin, end = (span.line, span.column), (span.end_line, span.end_column)
            if begin <= (line, column) < end and (found is None or _is_inside(span, found[0])):
                found = span, node
        return None if found is None else found[1]

    def exactly(self, span: Span) -> ast.expr | None:
        """Return the expression that takes up just a stretch of the text, None if none does."""
        node: ast.AST | None = self.at(span.line, span.column)
        while isinstance(node, ast.expr):
            if self.source.span(node) == span:
                return node
            node = self.syntax.parent(node)
        return None

    def on_line(self, line: int) -> list[ast.expr]:
        """Return the expressions that begin on a line and live somewhere, as they stand there.

        Where none does, since a statement goes on, those of the whole statement.
        """
        nodes = [node for node in walk(self.tree) if isinstance(node, ast.expr)]
        found = [node for node in nodes if node.lineno == line]
        if not found:
            statement = self.statement_at(line)
            found = [] if statement is None else self.own_expressions(statement)
        return self.that_matter(found)

    def statement_at(self, line: int) -> ast.stmt | None:
        """Return the smallest statement that has a part on a line."""
        found = [
            node
            for node in walk(self.tree)
            if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)
        ]
        return max(found, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None)

    def own_expressions(self, statement: ast.stmt) -> list[ast.expr]:
        """Return the expressions of a statement, but for those of statements in it."""
        found: list[ast.expr] = []
        pending: list[ast.AST] = list(ast.iter_child_nodes(statement))
        while pending:
            node = pending.pop()
            if isinstance(node, ast.expr):
                found.append(node)
            if not isinstance(node, ast.stmt):
                pending += ast.iter_child_nodes(node)
        return found

    def that_matter(self, nodes: list[ast.expr]) -> list[ast.expr]:
        """Return those of some expressions that live somewhere, or may, in the order of the text.

        What is only computed between them is left out.
        """
        kept = [node for node in nodes if self._is_told_of(node)]
        return sorted(kept, key=_order)

    def _is_told_of(self, node: ast.expr) -> bool:
        known = self.of(node)
        if not known.cases or not known.matters:
            return False
        parent = self.syntax.parent(node)
        if isinstance(parent, ast.Attribute):
            is_used = known.nature.lives_somewhere and self.syntax.is_called(parent)
            return is_used and not self.is_receiver(node)
        is_sure = known.nature is not Nature.UNKNOWN or not self.syntax.is_called(node)
        return isinstance(node, _NAMED) and is_sure

    def is_receiver(self, node: ast.expr) -> bool:
        """Whether it is the object whose method is run: `self`."""
        method = self.syntax.method(node)
        arguments = method[0].args if method else None
        first = [*arguments.posonlyargs, *arguments.args][:1] if arguments else []
        return isinstance(node, ast.Name) and any(node.id == name.arg for name in first)

    def _read_from(self, node: ast.AST) -> ast.AST | None:
        """An expression that reads what a node binds: of the target nothing was noted itself."""
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, _WRITTEN):
            name = node.id
        else:
            return self._assigned_to(node)
        scope = self.syntax.scope(node)
        around = self.syntax.parent(scope) if isinstance(node, ast.arg) else scope
        reads = [n for n in self.syntax.named(name, around or scope) if self.is_within_reach(n)]
        # The next one tells best: those further down may read what was moved by then.
        reads.sort(key=lambda read: (read.lineno, read.col_offset))
        reached = [(read, self.bindings.reaching(name, read)) for read in reads]
        alone = next((read for read, bound in reached if bound == {node}), None)
        among = next((read for read, bound in reached if node in bound), None)
        return alone or self._assigned_to(node) or among

    def _assigned_to(self, node: ast.AST) -> ast.AST | None:
        """What an assignment gives a target that stands alone."""
        parent = self.syntax.parent(node)
        if isinstance(parent, ast.Assign) and node in parent.targets:
            return parent.value
        return parent.value if isinstance(parent, ast.AnnAssign) and parent.target is node else None

    def scope(self, node: ast.AST) -> str:
        """Return the dotted name of the function or class around a node, empty for the module."""
        return self.syntax.scope_name(node)

    def function_around(self, node: ast.AST) -> ast.AST | None:
        """Return the function whose code a node is, None for the module's own."""
        scope = self.syntax.scope(node)
        return scope if isinstance(scope, FUNCTIONS) else None


def _is_inside(span: Span, other: Span) -> bool:
    begins = (span.line, span.column) >= (other.line, other.column)
    return begins and (span.end_line, span.end_column) <= (other.end_line, other.end_column)


def _order(node: ast.expr) -> tuple[int, int, int, int]:
    """The order of the text, where the parts come before the whole."""
    return (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
