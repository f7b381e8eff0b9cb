"""`# noqa` comments, honoured exactly as flake8 honours them: by flake8's own code."""

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
        self._comments: dict[int, str] = {}
        self._everything = False
        if "noqa" in source.text.lower():
            from flake8.defaults import NOQA_FILE

            self._lines = list(io.StringIO(source.text, newline=None))
            self._everything = any(NOQA_FILE.match(line) for line in self._lines)
            self._comments = _noqa_lines(self._lines)

    def silences(self, code: str, line: int) -> bool:
        """Whether a comment silences a code on a line.

        Args:
            code: the rule's code.
            line: the line, counted from 1.
        """
        if not self._lines or self._everything:
            return self._everything
        from flake8.violation import Violation

        text = self._comments.get(line) or "".join(self._lines[line - 1 : line])
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


def _noqa_lines(lines: Sequence[str]) -> dict[int, str]:
    """Map each line to the text in which flake8 looks for its `noqa`.

    Lines that belong to one string or are joined by a backslash share one comment; lines joined
    by brackets don't.
    """
    texts: dict[int, str] = {}
    first = last = 0
    for token in _tokens(lines):
        if token.type in (tokenize.ENDMARKER, tokenize.DEDENT):
            continue
        first = min(first or token.start[0], token.start[0])
        last = max(last, token.end[0])
        if token.type in (tokenize.NL, tokenize.NEWLINE):
            text = "".join(lines[first - 1 : last])
            texts.update(dict.fromkeys(range(first, last + 1), text))
            first = last = 0
    return texts


def _tokens(lines: Sequence[str]) -> Iterable[tokenize.TokenInfo]:
    rest = iter(lines)
    try:
        return list(tokenize.generate_tokens(lambda: next(rest)))
    except (tokenize.TokenError, SyntaxError):
        return []
