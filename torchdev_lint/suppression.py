"""`# noqa` comments, honoured exactly as flake8 honours them: by flake8's own code."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable, Sequence

from torchdev_lint.finding import Finding
from torchdev_lint.source import Source


def unsuppressed(source: Source, findings: Sequence[Finding]) -> list[Finding]:
    """Leave out the findings that a comment in the file silences.

    Args:
        source: the file.
        findings: what was found in it.
    """
    if not findings or "noqa" not in source.text.lower():
        return list(findings)
    from flake8.defaults import NOQA_FILE
    from flake8.violation import Violation

    lines = list(io.StringIO(source.text, newline=None))
    if any(NOQA_FILE.match(line) for line in lines):
        return []
    comments = _noqa_lines(lines)

    def is_silenced(finding: Finding) -> bool:
        line, column = finding.span.line, finding.span.column
        text = comments.get(line) or "".join(lines[line - 1 : line])
        violation = Violation(finding.code, source.path, line, column, finding.message, text)
        return bool(violation.is_inline_ignored(disable_noqa=False))

    return [finding for finding in findings if not is_silenced(finding)]


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
