"""What comments say that silence findings.

    x = torch.ones(3)  # torchdev-lint: ignore[TDL002] the caller moves it
    # torchdev-lint: ignore[host-tensor-in-forward]
    x = torch.ones(3)
    # torchdev-lint: ignore-file[TDL101]

The same with `ruff:` is what Ruff makes of `# noqa` comments that name our rules; there a rule has
to be named. What `# noqa` silences, flake8 decides; here it is read only to tell what it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdev_lint.records import dataclass
from torchdev_lint.suppression.comments import Comment

_OWN = re.compile(
    r"#\s*(?P<tool>torchdev-lint|ruff)\s*:\s*(?P<what>ignore-file|file-ignore|ignore)(?![\w-])"
    r"(?:\s*\[(?P<rules>[^\]]*)\])?(?P<reason>[^#]*)"
)
_NOQA = re.compile(
    r"# noqa(?::\s?(?P<rules>[A-Z]+[0-9]+(?:[,\s]*[A-Z]+[0-9]+)*))?(?P<reason>[^#]*)",
    re.IGNORECASE,
)
"""As flake8 reads it."""
_NAME = re.compile(r"[^\s,]+")


@dataclass(frozen=True, slots=True)
class Named:
    """A rule that is named.

    Args:
        text: as it is written: a code, the beginning of one, or a name.
        start: the character of the comment at which that begins.
    """

    text: str
    start: int

    def means(self, code: str, name: str) -> bool:
        """Whether a rule is meant."""
        return code.startswith(self.text.upper()) or name == self.text.lower()


@dataclass(frozen=True, slots=True)
class Directive:
    """What a comment says.

    Args:
        comment: the comment.
        start: the character of it at which that begins.
        end: the character after its last one, a reason included.
        tool: who is told: `torchdev-lint`, `ruff` or `noqa`.
        whole_file: whether it is about the file.
        rules: the rules that are named; None: all are meant.
    """

    comment: Comment
    start: int
    end: int
    tool: str
    whole_file: bool
    rules: tuple[Named, ...] | None

    @property
    def lines(self) -> range:
        """The lines that it is about: its statement, or on a line of its own the one behind it."""
        return self.comment.statement or self.comment.next

    def silences(self, code: str, name: str) -> bool:
        """Whether it is about a rule."""
        return self.rules is None or any(named.means(code, name) for named in self.rules)


def directives_in(comment: Comment) -> Iterator[Directive]:
    """Yield what a comment says in our own form, or in Ruff's."""
    for match in _OWN.finditer(comment.text):
        whole_file = match["what"] != "ignore"
        if match["rules"] is None and match["tool"] != "torchdev-lint":
            continue
        if not whole_file or not comment.statement:
            yield _directive(comment, match, match["tool"], whole_file)


def noqa_in(comment: Comment) -> Iterator[Directive]:
    """Yield what a comment says to flake8."""
    match = _NOQA.search(comment.text)
    if match is not None:
        yield _directive(comment, match, "noqa", whole_file=False)


def _directive(comment: Comment, match: re.Match[str], tool: str, whole_file: bool) -> Directive:
    rules = None
    if match["rules"] is not None:
        start = match.start("rules")
        found = _NAME.finditer(match["rules"])
        rules = tuple(Named(name.group(), start + name.start()) for name in found)
    end = match.start() + len(match.group().rstrip())
    return Directive(comment, match.start(), end, tool, whole_file, rules)
