"""`torchdev-lint why FILE:LINE[:COLUMN]`: what is known of the values there, and how."""

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
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.source import SourceError, is_notebook, read_source, require_python
from torchdev_lint.suppression.suppressions import unsuppressed

_PLACE = re.compile(r"(.+?):(\d+)(?::(\d+))?")
_FORMATS = ("text", "mermaid", "json")


@dataclass(frozen=True, slots=True)
class Position:
    """What is asked about.

    Args:
        path: the file, as the user wrote it.
        line: counted from 1.
        column: counted from 1; None: all of the line.
    """

    path: str
    line: int
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What there is to say of a position.

    Args:
        text: the line.
        trails: of each value there the way to where it comes from.
        findings: what is reported about the line.
    """

    position: Position
    text: str
    trails: tuple[Trail, ...]
    findings: tuple[Finding, ...]


def run(arguments: Sequence[str]) -> int:
    """Run the subcommand and return its exit code."""
    parser = Parser(
        prog="torchdev-lint why",
        description="Say what is known of each value on a line: where it lives, where that comes "
        "from step by step, and where nothing is reported the first thing that isn't known.",
        allow_abbrev=False,
    )
    parser.add_argument("place", type=_position, metavar="FILE:LINE[:COLUMN]",
        help="as findings say it; a column asks for the innermost expression there")  # fmt: skip
    parser.add_argument("--format", choices=_FORMATS, default="text",
        help="mermaid draws the ways (default: text)")  # fmt: skip
    options = parser.parse_args(arguments)
    position: Position = options.place
    try:
        answer = answer_to(position)
    except SourceError as error:
        print(Problem(position.path, error.message, error.line, error.column), file=sys.stderr)
        return 2
    sys.stdout.write(_written(answer, options.format))
    return 0


def _position(text: str) -> Position:
    match = _PLACE.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not FILE:LINE or FILE:LINE:COLUMN")
    path, line, column = match.groups()
    return Position(path, int(line), None if column is None else int(column))


def answer_to(position: Position) -> Answer:
    """Return what there is to say of a position.

    Raises:
        SourceError: the file can't be read, or has no such line, or nothing is there.
        SettingsProblem: something is wrong with what is set for it.
    """
    if is_notebook(position.path):
        raise SourceError("is a notebook, whose lines `why` can't be asked about")
    source = read_source(position.path)
    require_python(position.path, source.data)
    if not 0 < position.line <= len(source.lines):
        raise SourceError(f"there is no line {position.line}: it has {len(source.lines)}")
    settings = Configurations(()).settings_of(os.path.abspath(position.path), ALL_RULES)
    with told(settings.told):
        knowledge = Knowledge(source)
        trails = tuple(trail_to(knowledge, node) for node in _asked(knowledge, position))
    found = unsuppressed(source, lint(source, knowledge.tree, settings)) if trails else ()
    findings = tuple(finding for finding in found if _is_about(finding, position.line))
    return Answer(position, source.lines[position.line - 1], trails, findings)


def _asked(knowledge: Knowledge, position: Position) -> list[ast.expr]:
    """The expressions that are asked about."""
    if position.column is None:
        return knowledge.on_line(position.line)
    node = knowledge.at(position.line, position.column - 1)
    if node is None:
        raise SourceError("no expression is there", position.line, position.column)
    return [node]


def _is_about(finding: Finding, line: int) -> bool:
    spans = [finding.span, *(place.span for place in finding.related if place.path is None)]
    return any(span.line <= line <= span.end_line for span in spans)


def _written(answer: Answer, format: str) -> str:
    if format == "mermaid":
        from torchdev_lint.commands.trails_mermaid import drawn

        return drawn(answer.trails)
    if format == "json":
        from torchdev_lint.commands.trails_json import as_json

        return as_json(answer)
    from torchdev_lint.commands.trails_text import as_text

    return as_text(answer)
