"""`# noqa` comments: those that flake8 honours, by its own code, and a statement's others."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable, Sequence

from torchdev_lint.finding import Finding
from torchdev_lint.source.source import Source


class Suppressions:
    """The comments of a file that silence findings.

    Args:
        source: the file.
    """

    def __init__(self, source: Source) -> None:
        self._path = source.path
        self._lines: list[str] = []
        self._texts: dict[int, str] = {}
        self._comments: dict[int, list[str]] = {}
        self._everything = False
        if "noqa" in source.text.lower():
            from flake8.defaults import NOQA_FILE

            self._lines = list(io.StringIO(source.text, newline=None))
            self._everything = any(NOQA_FILE.match(line) for line in self._lines)
            tokens = _tokens(self._lines)
            self._texts = _noqa_lines(self._lines, tokens)
            self._comments = _comments_of_statements(tokens)

    def silences(self, code: str, line: int) -> bool:
        """Whether a comment silences a code on a line: on that line or elsewhere in its statement.

        Args:
            code: the rule's code.
            line: the line, counted from 1.
        """
        return self.silences_line(code, line) or self.silences_statement(code, line)

    def silences_line(self, code: str, line: int) -> bool:
        """Whether flake8 itself finds a code silenced that is reported on a line.

        Args:
            code: the rule's code.
            line: the line, counted from 1.
        """
        if not self._lines or self._everything:
            return self._everything
        text = self._texts.get(line) or "".join(self._lines[line - 1 : line])
        return self._is_silenced(code, line, text)

    def silences_statement(self, code: str, line: int) -> bool:
        """Whether a comment on any line of the statement that a line is part of silences a code.

        Of a statement with a block, such as `with`, that is its head.

        Args:
            code: the rule's code.
            line: the line, counted from 1.
        """
        comments = self._comments.get(line, ())
        return any(self._is_silenced(code, line, comment) for comment in comments)

    def _is_silenced(self, code: str, line: int, text: str) -> bool:
        from flake8.violation import Violation

        violation = Violation(code, self._path, line, 0, "", text)
        return bool(violation.is_inline_ignored(disable_noqa=False))


def unsuppressed(source: Source, findings: Sequence[Finding]) -> list[Finding]:
    """Leave out the findings that a comment in the file silences.

    Args:
        source: the file.
        findings: what was found in it.
    """
    if not findings:
        return []
    comments = Suppressions(source)
    return [f for f in findings if not comments.silences(f.code, f.span.line)]


def _noqa_lines(lines: Sequence[str], tokens: Iterable[tokenize.TokenInfo]) -> dict[int, str]:
    """Map each line to the text in which flake8 looks for its `noqa`.

    Lines that belong to one string or are joined by a backslash share one comment; lines joined
    by brackets don't.
    """
    texts: dict[int, str] = {}
    first = last = 0
    for token in tokens:
        if token.type in (tokenize.ENDMARKER, tokenize.DEDENT):
            continue
        first = min(first or token.start[0], token.start[0])
        last = max(last, token.end[0])
        if token.type in (tokenize.NL, tokenize.NEWLINE):
            text = "".join(lines[first - 1 : last])
            texts.update(dict.fromkeys(range(first, last + 1), text))
            first = last = 0
    return texts


def _comments_of_statements(tokens: Iterable[tokenize.TokenInfo]) -> dict[int, list[str]]:
    """Map each line to the comments of its statement, if that has any.

    A comment that stands between two statements belongs to neither.
    """
    found: dict[int, list[str]] = {}
    first, comments = 0, list[str]()
    for token in tokens:
        if token.type == tokenize.NEWLINE:
            if comments:
                found.update(dict.fromkeys(range(first, token.end[0] + 1), comments))
            first, comments = 0, []
        elif token.type == tokenize.COMMENT:
            if first:
                comments.append(token.string)
        elif token.type not in _BETWEEN:
            first = first or token.start[0]
    return found


_BETWEEN = (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
"""What stands between statements, or within one without being a part of it."""


def _tokens(lines: Sequence[str]) -> list[tokenize.TokenInfo]:
    rest = iter(lines)
    try:
        return list(tokenize.generate_tokens(lambda: next(rest)))
    except (tokenize.TokenError, SyntaxError):
        return []
