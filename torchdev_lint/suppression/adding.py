"""Which comments would silence what is found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from torchdev_lint.change import Change, Insert
from torchdev_lint.finding import Finding
from torchdev_lint.source.source import Source
from torchdev_lint.suppression.comments import comments_in, groups_in, tokens_of

_LISTED = re.compile(r"# noqa:\s?[A-Z]+[0-9]+(?:[,\s]*[A-Z]+[0-9]+)*", re.IGNORECASE)
"""What names codes already, to which others can be added."""


def noqa_for(source: Source, findings: Sequence[Finding]) -> Iterator[Change]:
    """Yield what puts `# noqa` comments where flake8 looks for them, in the order of lines.

    That is at the end of a line; of strings over several lines, and of lines that a backslash
    joins, at the end of the last one.

    Args:
        source: the file.
        findings: what is to be silenced.
    """
    tokens = tokens_of(source)
    last = {line: group.stop - 1 for group in groups_in(tokens) for line in group}
    comments = {comment.line: comment for comment in comments_in(tokens)}
    codes: dict[int, dict[str, None]] = {}
    for finding in findings:
        line = last.get(finding.span.line, finding.span.line)
        codes.setdefault(line, {})[finding.code] = None
    for line in sorted(codes):
        comment = comments.get(line)
        listed = None if comment is None else _LISTED.search(comment.text)
        names = ",".join(codes[line])
        if comment is not None and listed is not None:
            yield Insert(line, comment.column + listed.end(), f",{names}")
        else:
            yield Insert(line, len(source.lines[line - 1].rstrip()), f"  # noqa: {names}")
