"""What is silenced: by `# noqa`, as flake8 has it or elsewhere in a statement, or by our form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from torchdev_lint.finding import Finding
from torchdev_lint.source.source import Source
from torchdev_lint.suppression.comments import Comment, comments_in, groups_in, lines_of, tokens_of
from torchdev_lint.suppression.directives import Directive, directives_in

UNUSED = "TDL900"
"""The rule that reports comments which silence nothing: only one that names it silences that."""


T = TypeVar("T")


class _ByLine(Generic[T]):
    """What is said of stretches of lines; many comments may stand in one long statement."""

    def __init__(self) -> None:
        self._stretches: dict[int, list[range]] = {}
        self._said: dict[range, list[T]] = {}

    def add(self, lines: range, what: T) -> None:
        """Note what is said of some lines."""
        if lines not in self._said:
            self._said[lines] = []
            for line in lines:
                self._stretches.setdefault(line, []).append(lines)
        self._said[lines].append(what)

    def at(self, line: int) -> Iterator[T]:
        """Yield what is said of a line."""
        for lines in self._stretches.get(line, ()):
            yield from self._said[lines]


class Suppressions:
    """The comments of a file that silence findings.

    Args:
        source: the file.

    Attributes:
        comments: all comments, if one of them may silence something.
        directives: what they say in our own form, or in Ruff's.
        everything: whether flake8 is told to leave the file alone.
        groups: for each line those that flake8 takes together with it.
    """

    def __init__(self, source: Source) -> None:
        self.comments: list[Comment] = []
        self.directives: list[Directive] = []
        self.everything = False
        self.groups: dict[int, range] = {}
        self._path = source.path
        self._lines: list[str] = []
        self._statements = _ByLine[str]()
        self._own = _ByLine[Directive]()
        text = source.text.lower()
        if "noqa" in text or "torchdev-lint" in text or "ruff" in text:
            self._read(source)

    def _read(self, source: Source) -> None:
        from flake8.defaults import NOQA_FILE

        self._lines = lines_of(source.text)
        self.everything = any(NOQA_FILE.match(line) for line in self._lines)
        tokens = tokens_of(source)
        for group in groups_in(tokens):
            self.groups.update(dict.fromkeys(group, group))
        self.comments = comments_in(tokens)
        for comment in self.comments:
            self._statements.add(comment.statement, comment.text)
            self.directives += directives_in(comment)
        for directive in self.directives:
            self._own.add(directive.lines, directive)

    def silences(self, code: str, name: str, line: int) -> bool:
        """Whether a comment silences a rule on a line: there, in its statement, or in the file.

        Args:
            code: the rule's code.
            name: its name.
            line: the line, counted from 1.
        """
        return self.silences_line(code, line) or self.silences_elsewhere(code, name, line)

    def silences_line(self, code: str, line: int) -> bool:
        """Whether flake8 itself finds a code silenced that is reported on a line.

        Args:
            code: the rule's code.
            line: the line, counted from 1.
        """
        if not self._lines or self.everything:
            return self.everything
        group = self.groups.get(line, range(line, line + 1))
        text = "".join(self._lines[group.start - 1 : group.stop - 1])
        return self._is_noqa(code, line, text)

    def silences_elsewhere(self, code: str, name: str, line: int) -> bool:
        """Whether something else silences a rule on a line than what flake8 sees there.

        That is `# noqa` on any line of the statement (of one with a block, such as `with`, that is
        its head), or our own form.

        Args:
            code: the rule's code.
            name: its name.
            line: the line, counted from 1.
        """
        if any(self._is_noqa(code, line, text) for text in self._statements.at(line)):
            return True
        about = [*(d for d in self.directives if d.whole_file), *self._own.at(line)]
        return any(d.silences(code, name) and (d.rules or code != UNUSED) for d in about)

    def _is_noqa(self, code: str, line: int, text: str) -> bool:
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
    return [f for f in findings if not comments.silences(f.code, f.name, f.span.line)]
