"""Which comments silence nothing, and what is left of them without that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchdev_lint.change import Replace
from torchdev_lint.finding import Finding
from torchdev_lint.records import dataclass
from torchdev_lint.source.source import Source
from torchdev_lint.source.span import Span
from torchdev_lint.suppression.directives import Directive, Named, noqa_in
from torchdev_lint.suppression.suppressions import Suppressions

_CODES = "TDL"
_OPT_IN = "TDL9"


@dataclass(frozen=True, slots=True)
class Unused:
    """A comment that silences nothing, or of which some rules silence nothing.

    Args:
        names: those rules, as they are written; none: the comment names none.
        span: where the comment says so.
        edit: what takes it away.
    """

    names: tuple[str, ...]
    span: Span
    edit: Replace


def unused_in(source: Source, found: Sequence[Finding]) -> Iterator[Unused]:
    """Yield what silences nothing in a file.

    Args:
        source: the file.
        found: what all rules find in it, silenced or not.
    """
    comments = Suppressions(source)
    if comments.everything:
        return
    directives = [*comments.directives, *(d for c in comments.comments for d in noqa_in(c))]
    for directive in sorted(directives, key=lambda d: (d.comment.line, d.start)):
        lines = _lines_of(directive, comments)
        here = [f for f in found if lines is None or f.span.line in lines]
        names = [named for named in directive.rules or () if _is_ours(named, directive)]
        idle = [n for n in names if not any(n.means(f.code, f.name) for f in here)]
        blanket = directive.rules is None and directive.tool == "torchdev-lint" and not here
        if idle or blanket:
            edit = _without(idle, directive, source)
            yield Unused(tuple(n.text for n in idle), _span(directive), edit)


def _lines_of(directive: Directive, comments: Suppressions) -> set[int] | None:
    """Return the lines that something is about; None: all of them."""
    if directive.whole_file:
        return None
    if directive.tool != "noqa":
        return set(directive.lines)
    comment = directive.comment
    return {comment.line, *comments.groups.get(comment.line, ()), *comment.statement}


def _is_ours(named: Named, directive: Directive) -> bool:
    """Whether a rule is named that is one of those that find something in code."""
    text = named.text.upper()
    if directive.tool == "torchdev-lint":
        return not text.startswith(_OPT_IN)
    return text.startswith(_CODES) and not text.startswith(_OPT_IN)


def _span(directive: Directive) -> Span:
    line, column = directive.comment.line, directive.comment.column
    return Span(line, column + directive.start, line, column + directive.end)


def _without(idle: Sequence[Named], directive: Directive, source: Source) -> Replace:
    """Return what takes away rules that silence nothing, or all if no other one is left."""
    rules = directive.rules or ()
    left = [named for named in rules if named not in idle]
    comment = directive.comment
    if left:
        first, last = rules[0], rules[-1]
        written = comment.text[first.start : last.start + len(last.text)]
        text = (", " if ", " in written or "," not in written else ",").join(n.text for n in left)
        start, end = comment.column + first.start, comment.column + last.start + len(last.text)
        return Replace(Span(comment.line, start, comment.line, end), text)
    start, end = comment.column + directive.start, comment.column + directive.end
    line = source.lines[comment.line - 1]
    before, behind = line[:start], line[end:]
    if not behind.strip():
        if not before.strip() and comment.line < len(source.lines):
            return Replace(Span(comment.line, 0, comment.line + 1, 0), "")
        start, end = len(before.rstrip()), len(line.rstrip("\r\n"))
    else:
        end += len(behind) - len(behind.lstrip())
    return Replace(Span(comment.line, start, comment.line, end), "")
