"""What holds for any program: no crash, and findings that don't depend on its formatting."""

from __future__ import annotations

import ast
import copy
import io
import random
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.command import FIXTURES
from tests.fixtures import PROJECTS, Fixture, id_of, name_of
from tests.renaming import renamed, renamed_together
from tests.rewording import REWORDINGS, Rewording, reworded
from tests.turns import in_turn
from torchdev_lint.checking import check_file
from torchdev_lint.linter import lint
from torchdev_lint.report import StandardInput, Task
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.discovery import STDIN, Target
from torchdev_lint.source.source import Source, read_source

PROGRAMS = sorted(FIXTURES.glob("*/*.py"))

often = settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow])

programs = st.sampled_from(PROGRAMS)
seeds = st.integers(0, 2**32).map(random.Random)


@cache
def text_of(program: Path) -> str:
    return program.read_text(encoding="utf-8")


def found(text: str) -> Counter[tuple[int, str]]:
    """Return the line and code of each finding, in a file without a project and its namesakes."""
    source = Source.from_text(text, "")
    return Counter((f.span.line, f.code) for f in lint(source, source.parse(), EVERY_RULE))


@cache
def found_in(program: Path) -> Counter[tuple[int, str]]:
    return found(text_of(program))


def codes(findings: Counter[tuple[int, str]]) -> Counter[str]:
    return Counter(code for _, code in findings.elements())


@pytest.mark.slow
class TestNoCrash:
    def check(self, data: bytes) -> None:
        report = check_file(Task(Target(STDIN, True), EVERY_RULE), StandardInput(data, "a.py"))
        if report.problem is not None:
            assert "internal error" not in report.problem.message
            assert report.problem.line is not None

    @often
    @given(st.binary())
    def test_on_any_bytes(self, data: bytes) -> None:
        self.check(data)
        self.check(b"import torch\n" + data)

    @often
    @given(st.text())
    def test_on_any_text(self, text: str) -> None:
        self.check(f"import torch\n{text}".encode("utf-8", "replace"))

    @often
    @given(programs, seeds)
    def test_on_programs_with_lines_lost_and_moved(
        self, program: Path, chance: random.Random
    ) -> None:
        lines = text_of(program).splitlines(keepends=True)
        for _ in range(chance.randint(1, 4)):
            start, length = chance.randrange(len(lines)), chance.randint(1, 3)
            taken = lines[start : start + length]
            if chance.random() < 0.5:
                del lines[start : start + length]
            place = chance.randint(0, len(lines))
            if chance.random() < 0.5:
                lines[place:place] = taken
            if not lines:
                return
        self.check("".join(lines).encode())

    @often
    @given(programs, programs, seeds)
    def test_on_programs_with_expressions_swapped(
        self, program: Path, donor: Path, chance: random.Random
    ) -> None:
        """Grammatical nonsense gets further than torn lines do."""
        tree = ast.parse(text_of(program))
        gifts = [n for n in ast.walk(ast.parse(text_of(donor))) if isinstance(n, ast.expr)]
        for _ in range(chance.randint(1, 5)):
            swap_an_expression(tree, chance.choice(gifts), chance)
        try:
            text = ast.unparse(tree)
            ast.parse(text)
        except (SyntaxError, ValueError, AttributeError):  # what can't be written
            return
        self.check(text.encode())


def swap_an_expression(tree: ast.AST, gift: ast.expr, chance: random.Random) -> None:
    places = [
        (node, field, index)
        for node in ast.walk(tree)
        for field, value in ast.iter_fields(node)
        for index, item in enumerate(value if isinstance(value, list) else [value])
        if isinstance(item, ast.expr) and isinstance(getattr(item, "ctx", ast.Load()), ast.Load)
    ]
    node, field, index = chance.choice(places)
    gift = copy.deepcopy(gift)  # or it might come to hold itself
    value = getattr(node, field)
    if isinstance(value, list):
        value[index] = gift
    else:
        setattr(node, field, gift)


@pytest.mark.slow
class TestFormatting:
    @often
    @given(programs, seeds)
    def test_blank_lines_and_comments(self, program: Path, chance: random.Random) -> None:
        lines = text_of(program).splitlines(keepends=True)
        starts = statement_starts(text_of(program))
        chosen = {line for line in starts if chance.random() < 0.2}
        output: list[str] = []
        moved_to: dict[int, int] = {}
        for number, line in enumerate(lines, 1):
            if number in chosen:
                output.append(
                    chance.choice(["\n", "    \n", "# a comment\n", "        # x.to(d)\n"])
                )
            output.append(line)
            moved_to[number] = len(output)
        expected = Counter((moved_to[n], code) for n, code in found_in(program).elements())
        assert found("".join(output)) == expected

    @often
    @given(programs, seeds)
    def test_parentheses(self, program: Path, chance: random.Random) -> None:
        text = text_of(program)
        lines = [line.encode() for line in text.splitlines(keepends=True)]
        spots = [node for node in wrappable(ast.parse(text)) if chance.random() < 0.2]
        edits = [(node.end_lineno or 0, node.end_col_offset or 0, b")") for node in spots]
        edits += [(node.lineno, node.col_offset, b"(") for node in spots]
        for row, column, mark in sorted(edits, key=lambda edit: (-edit[0], -edit[1])):
            line = lines[row - 1]
            lines[row - 1] = line[:column] + mark + line[column:]
        assert found(b"".join(lines).decode()) == found_in(program)

    @pytest.mark.parametrize("program", in_turn(PROGRAMS, 0, id_of))
    def test_written_anew(self, program: Path) -> None:
        text = ast.unparse(ast.parse(text_of(program)))
        assert codes(found(text)) == codes(found_in(program))

    @pytest.mark.parametrize("program", in_turn(PROGRAMS, 1, id_of))
    def test_carriage_returns(self, program: Path) -> None:
        assert found(text_of(program).replace("\n", "\r\n")) == found_in(program)

    @pytest.mark.parametrize("program", in_turn(PROGRAMS, 2, id_of))
    def test_names(self, program: Path) -> None:
        text = renamed(text_of(program))
        assert text != text_of(program)
        assert found(text) == found_in(program), text

    @pytest.mark.parametrize("rewording", REWORDINGS)
    @pytest.mark.parametrize("program", in_turn(PROGRAMS, 4, id_of))
    def test_other_words(self, program: Path, rewording: Rewording) -> None:
        text = reworded(text_of(program), rewording)
        plain = ast.unparse(ast.parse(text_of(program)))
        if text != plain:
            assert codes(found(text)) == codes(found(plain)), text

    @pytest.mark.parametrize("project", in_turn(PROJECTS, 3, name_of))
    def test_names_of_a_project(self, project: Fixture, tmp_path: Path) -> None:
        files = project.copied_to(tmp_path).files
        before = [text_of(path) for path in files]
        after = renamed_together(before)
        assert after != before
        for path, text in zip(files, after, strict=True):
            path.write_text(text, encoding="utf-8")
        for path, original in zip(files, project.files, strict=True):
            source = read_source(str(path))
            findings = lint(source, source.parse(), EVERY_RULE)
            expected = project.expected[original].items()
            assert Counter((f.span.line, f.code) for f in findings) == Counter(
                (line, code) for line, codes in expected for code in codes
            ), source.text


def statement_starts(text: str) -> set[int]:
    """Lines where a statement begins; others may lie inside a string or a joined line."""
    starts, fresh = set(), True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.NL):
            continue
        if fresh:
            starts.add(token.start[0])
        fresh = token.type == tokenize.NEWLINE
    return starts


def wrappable(tree: ast.Module) -> Iterator[ast.expr]:
    """Expressions that mean the same in parentheses, one inside another left out."""
    for node in ast.walk(tree):
        value = getattr(node, "value", None)
        if isinstance(node, (ast.Assign, ast.Return, ast.AugAssign)) and value is not None:
            yield value
        elif isinstance(node, ast.BinOp):
            yield node.right
        elif isinstance(node, ast.Call) and not isinstance(node.func, ast.Name):
            yield from (arg for arg in node.args if isinstance(arg, (ast.Name, ast.Call)))
