"""What findings, facts and fixes point at."""

from __future__ import annotations

from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of source text.

    Args:
        line: first line, counted from 1.
        column: first character on that line, counted from 0.
        end_line: last line, counted from 1.
        end_column: the character after the last one, counted from 0.
    """

    line: int
    column: int
    end_line: int
    end_column: int

    def behind(self, part: Span) -> Span:
        """Return the rest of the stretch, from where a part of it ends."""
        return Span(part.end_line, part.end_column, self.end_line, self.end_column)
