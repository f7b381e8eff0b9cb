"""`torchdev-lint why FILE:LINE[:COLUMN]`: what is known of the values there, and how.

In a notebook it is `FILE:CELL:LINE[:COLUMN]`, or as findings write it, `nb.ipynb:cell 3:2:5`.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import sys
from collections.abc import Sequence

from torchdev_lint.catalog.told import told
from torchdev_lint.config.configurations import Configurations
from torchdev_lint.finding import Finding
from torchdev_lint.known.knowledge import Knowledge
from torchdev_lint.known.trail import Trail, trail_to
from torchdev_lint.linter import lint
from torchdev_lint.parser import Parser
from torchdev_lint.records import dataclass
from torchdev_lint.rules import ALL_RULES
from torchdev_lint.source.cells import Cells
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.source import (
    NOTEBOOK,
    Source,
    SourceError,
    is_notebook,
    read_source,
    require_python,
)
from torchdev_lint.suppression.suppressions import unsuppressed

_PLACE = re.compile(r"(.+?):(\d+)(?::(\d+))?")
_PLACE_IN_CELL = re.compile(rf"(.+{re.escape(NOTEBOOK)}):(?:cell )?(\d+):(\d+)(?::(\d+))?", re.I)
_FORMATS = ("text", "mermaid", "json")


@dataclass(frozen=True, slots=True)
class Position:
    """What is asked about.

    Args:
        path: the file, as the user wrote it.
        line: counted from 1, of a notebook in its cell.
        column: counted from 1; None: all of the line.
        cell: which cell of a notebook, counted from 1.
    """

    path: str
    line: int
    column: int | None = None
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What there is to say of a position.

    Args:
        text: the line.
        trails: of each value there the way to where it comes from.
        findings: what is reported about the line.
        cells: where its cells are, if it is a notebook.
    """

    position: Position
    text: str
    trails: tuple[Trail, ...]
    findings: tuple[Finding, ...]
    cells: Cells = ()


def run(arguments: Sequence[str]) -> int:
    """Run the subcommand and return its exit code."""
    parser = Parser(
        prog="torchdev-lint why",
        description="Say what is known of each value on a line: where it lives, where that comes "
        "from step by step, and where nothing is reported the first thing that isn't known.",
        allow_abbrev=False,
    )
    parser.add_argument("place", type=_position, metavar="FILE:LINE[:COLUMN]",
        help="as findings say it, in a notebook FILE:CELL:LINE; a column asks for the innermost "
        "expression there")  # fmt: skip
    parser.add_argument("--format", choices=_FORMATS, default="text",
        help="mermaid draws the ways (default: text)")  # fmt: skip
    options = parser.parse_args(arguments)
    position: Position = options.place
    try:
        answer = answer_to(position)
    except SourceError as error:
        place = error.line, error.column
        print(Problem(position.path, error.message, *place, cell=error.cell), file=sys.stderr)
        return 2
    sys.stdout.write(_written(answer, options.format))
    return 0


def _position(text: str) -> Position:
    match = _PLACE_IN_CELL.fullmatch(text)
    if match is not None:
        path, cell, line, column = match.groups()
        return Position(path, int(line), None if column is None else int(column), int(cell))
    match = _PLACE.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not FILE:LINE or FILE:LINE:COLUMN")
    path, line, column = match.groups()
    if is_notebook(path):
        raise argparse.ArgumentTypeError(f"{text!r} names no cell: FILE:CELL:LINE")
    return Position(path, int(line), None if column is None else int(column))


def answer_to(position: Position) -> Answer:
    """Return what there is to say of a position.

    Raises:
        SourceError: the file can't be read, or has no such line, or nothing is there.
        SettingsProblem: something is wrong with what is set for it.
    """
    source = read_source(position.path)
    require_python(position.path, source.data)
    line = _line_of_program(source, position)
    settings = Configurations(()).settings_of(os.path.abspath(position.path), ALL_RULES)
    with told(settings.told):
        knowledge = Knowledge(source)
        trails = tuple(trail_to(knowledge, node) for node in _asked(knowledge, position, line))
    found = unsuppressed(source, lint(source, knowledge.tree, settings)) if trails else ()
    findings = tuple(finding for finding in found if _is_about(finding, line))
    return Answer(position, source.written[line - 1], trails, findings, source.cells)


def _line_of_program(source: Source, position: Position) -> int:
    """The line that is asked about, of a notebook as one of the program that its cells make."""
    first, count = 1, len(source.lines)
    if position.cell is not None:
        number = next((n for n, c in enumerate(source.cells) if c.number == position.cell), None)
        if number is None:
            raise SourceError(f"cell {position.cell} holds no code")
        first = source.cells[number].line
        behind = source.cells[number + 1 :]
        count = (behind[0].line if behind else count) - first
    if not 0 < position.line <= count:
        where = "it" if position.cell is None else f"cell {position.cell}"
        raise SourceError(f"there is no line {position.line}: {where} has {count}")
    return first + position.line - 1


def _asked(knowledge: Knowledge, position: Position, line: int) -> list[ast.expr]:
    """The expressions that are asked about.

    Args:
        knowledge: of the file.
        position: what is asked about.
        line: its line in the program.
    """
    if position.column is None:
        return knowledge.on_line(line)
    node = knowledge.at(line, position.column - 1)
    if node is None:
        place = position.line, position.column, position.cell
        raise SourceError("no expression is there", *place)
    return [node]


def _is_about(finding: Finding, line: int) -> bool:
    spans = [finding.span, *(place.span for place in finding.related if place.path is None)]
    return any(span.line <= line <= span.end_line for span in spans)


def _written(answer: Answer, format: str) -> str:
    if format == "mermaid":
        from torchdev_lint.commands.trails_mermaid import drawn

        return drawn(answer.trails, answer.cells)
    if format == "json":
        from torchdev_lint.commands.trails_json import as_json

        return as_json(answer)
    from torchdev_lint.commands.trails_text import as_text

    return as_text(answer)
