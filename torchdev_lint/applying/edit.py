"""From changes to edits: which stretches of the text are replaced by what."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise

from torchdev_lint.change import (
    AddArgument,
    CannotEdit,
    Change,
    DeleteStatement,
    Fix,
    Insert,
    InsertStatement,
    Replace,
)
from torchdev_lint.records import dataclass
from torchdev_lint.source.notebook import CannotReplace, Notebook
from torchdev_lint.source.source import NEWLINE, Source
from torchdev_lint.source.span import Span

_FIRST_BLOCK = re.compile(r"^\S[^\r\n]*:[ \t]*(?:\r\n|\r|\n)([ \t]+)\S", re.MULTILINE)
_COMMENT_OR_NOTHING = re.compile(r"[ \t\f]*(#[^\r\n]*)?(?=\r|\n|\Z)")


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A stretch of text to replace.

    Args:
        start: its first character, counted from 0 in the whole text.
        end: the character after its last one.
        content: what comes in its place.
    """

    start: int
    end: int
    content: str

    @property
    def replacement(self) -> tuple[int, int, str]:
        """The same for who knows nothing of fixes."""
        return self.start, self.end, self.content

    def touches(self, other: Edit) -> bool:
        """Whether the two can't be applied to one text in any order."""
        return self.start < other.end and other.start < self.end

    @property
    def assigns(self) -> str:
        """What the content assigns to, if it is a line of its own that does so; else ``."""
        line = self.content.strip("\r\n")
        is_line = self.start == self.end and line != self.content and len(line.splitlines()) == 1
        target, equals, _ = line.strip().partition(" = ")
        return target if is_line and equals else ""


class Text:
    """A source's text, with places in it as numbers of characters."""

    def __init__(self, source: Source) -> None:
        self.text = source.text
        self._notebook = source if isinstance(source, Notebook) else None
        ends = list(NEWLINE.finditer(self.text))
        self._starts = [0, *(match.end() for match in ends)]
        self._newlines = [match.group() for match in ends]

    def offset(self, line: int, column: int) -> int:
        """Return the number of characters before a place.

        Args:
            line: counted from 1.
            column: counted from 0.
        """
        return self._starts[line - 1] + column

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of a character: the inverse of `offset`."""
        line = bisect_right(self._starts, offset) - 1
        return line + 1, offset - self._starts[line]

    def lines_changed(self, edit: Edit) -> range:
        """Return the lines that an edit changes, counted from 1; a line put between two: none."""
        (first, column), (last, _) = self.place(edit.start), self.place(edit.end)
        if edit.start == edit.end and _is_whole_lines(edit.content, at_start=column == 0):
            return range(0)
        return range(first, last + 1)

    def edits(self, fix: Fix) -> tuple[Edit, ...]:
        """Return what a fix replaces, in order.

        Raises:
            CannotEdit: it can't be done here.
        """
        edits = sorted(self._edit(change) for change in fix.changes)
        if any(first.touches(second) for first, second in pairwise(edits)):
            raise CannotEdit("the edits of one fix overlap")
        if self._notebook is not None:
            try:
                self._notebook.check([edit.replacement for edit in edits])
            except CannotReplace as error:
                raise CannotEdit(str(error)) from None
        return tuple(edits)

    def told(self, edit: Edit) -> Replace:
        """Return an edit by lines and columns; in a notebook it stays within a cell."""
        if self._notebook is not None:
            edit = Edit(*self._notebook.within_cell(*edit.replacement))
        return Replace(Span(*self.place(edit.start), *self.place(edit.end)), edit.content)

    def _edit(self, change: Change) -> Edit:
        if isinstance(change, Insert):
            start = self.offset(change.line, change.column)
            return Edit(start, start, self._in_lines(change.text, start))
        if isinstance(change, Replace):
            start, end = self.stretch_of(change.span)
            return Edit(start, end, self._in_lines(change.text, start))
        if isinstance(change, AddArgument):
            return self._add_argument(change)
        if isinstance(change, DeleteStatement):
            return self._delete(change.span)
        return self._insert_statement(change)

    def stretch_of(self, span: Span) -> tuple[int, int]:
        """Return the characters of a place: its first one, and the one behind it."""
        start = self.offset(span.line, span.column)
        return start, self.offset(span.end_line, span.end_column)

    def _add_argument(self, change: AddArgument) -> Edit:
        # Imported late: libcst is only needed once something is rewritten.
        from torchdev_lint.applying.call import with_argument

        start, end = self.stretch_of(change.call)
        old = self.text[start:end]
        return _smallest(start, old, with_argument(old, self._in_lines(change.text, start)))

    def _insert_statement(self, change: InsertStatement) -> Edit:
        first, start = self._line_of(change.anchor)
        indentation, text = self.text[first:start], change.text
        if change.under:
            text = f"{change.under}\n{indentation}{self._indentation_step()}{text}"
        if change.after:
            end = self._end_of_line(change.anchor)
            return Edit(end, end, self._in_lines(f"\n{indentation}{text}", end))
        at = self._above_comments(change.anchor.line, indentation)
        return Edit(at, at, self._in_lines(f"{indentation}{text}\n", start))

    def _delete(self, span: Span) -> Edit:
        first, start = self._line_of(span)
        rest = _COMMENT_OR_NOTHING.match(self.text, self.offset(span.end_line, span.end_column))
        if rest is None:
            raise CannotEdit("the statement does not end its line")
        if rest.group(1):
            return Edit(start, rest.start(1), "")
        match = NEWLINE.match(self.text, rest.end())
        return Edit(first, match.end() if match else rest.end(), "")

    def _line_of(self, span: Span) -> tuple[int, int]:
        """Return where a statement's line begins, and where the statement does."""
        first, start = self.offset(span.line, 0), self.offset(span.line, span.column)
        if self.text[first:start].strip(" \t"):
            raise CannotEdit("the statement does not begin its line")
        return first, start

    def _end_of_line(self, span: Span) -> int:
        end = self.offset(span.end_line, span.end_column)
        rest = _COMMENT_OR_NOTHING.match(self.text, end)
        if rest is None:
            raise CannotEdit("the statement does not end its line")
        return rest.end()

    def _in_lines(self, text: str, offset: int) -> str:
        """Return what a change puts at a place, its lines ending as those of the file do there."""
        if not self._newlines:
            return text
        line = bisect_right(self._starts, offset) - 1
        return text.replace("\n", self._newlines[line if line < len(self._newlines) else 0])

    def _indentation_step(self) -> str:
        """Return what the file's first block is indented by."""
        match = _FIRST_BLOCK.search(self.text)
        return match.group(1) if match else "    "

    def _above_comments(self, line: int, indentation: str) -> int:
        """Return where the comments begin that stand directly above a line."""
        while line > 1:
            start = self._starts[line - 2]
            if not self.text.startswith(f"{indentation}#", start):
                break
            line -= 1
        return self._starts[line - 1]


def apply_edits(source: Source, edits: Sequence[Edit]) -> Source:
    """Return the source with edits made. Outside of them not one byte changes.

    Args:
        source: the file.
        edits: in order, none touching another.

    Raises:
        CannotEdit: the file's encoding does not let its text be cut into pieces, or a notebook's
            text has no such stretch.
    """
    if isinstance(source, Notebook):
        try:
            return source.replaced([edit.replacement for edit in edits])
        except CannotReplace as error:
            raise CannotEdit(str(error)) from None
    codec = "utf-8" if source.encoding in {"utf-8", "utf-8-sig"} else source.encoding
    data = [codecs.BOM_UTF8 if source.data.startswith(codecs.BOM_UTF8) else b""]
    kept, text, at = list(data), [], 0
    try:
        for edit in (*edits, Edit(len(source.text), len(source.text), "")):
            before = source.text[at : edit.start]
            data += [before.encode(codec), edit.content.encode(codec)]
            kept += [before.encode(codec), source.text[edit.start : edit.end].encode(codec)]
            text += [before, edit.content]
            at = edit.end
    except UnicodeEncodeError as error:
        raise CannotEdit(f"the fix can't be written in {source.encoding}: {error}") from None
    if b"".join(kept) != source.data:
        raise CannotEdit(f"a file in {source.encoding} can't be changed in places")
    return Source(source.path, "".join(text), b"".join(data), source.encoding)


class Shift:
    """Where edits put the characters that were there before.

    Args:
        edits: in order, none touching another.
    """

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits
        self._starts = [edit.start for edit in edits]
        lengthened = (len(edit.content) - (edit.end - edit.start) for edit in edits)
        self._by = list(accumulate(lengthened, initial=0))
        self._written = [start + by for start, by in zip(self._starts, self._by, strict=False)]

    def moved(self, offset: int) -> int:
        """Return where a character is; one that was replaced, where its edit ends.

        Args:
            offset: where it was.
        """
        number = bisect_right(self._starts, offset)
        if number and self._edits[number - 1].end > offset:
            return self.stretch(number - 1)[1]
        return offset + self._by[number]

    def origin(self, offset: int) -> int:
        """Return where a character was; one that an edit has written, where the edit begins.

        Args:
            offset: where it is.
        """
        number = bisect_right(self._written, offset)
        if number and offset < self.stretch(number - 1)[1]:
            return self._starts[number - 1]
        return offset - self._by[number]

    def stretch(self, number: int) -> tuple[int, int]:
        """Return where the content of an edit begins and ends.

        Args:
            number: which of the edits, counted from 0.
        """
        start = self._written[number]
        return start, start + len(self._edits[number].content)


def _is_whole_lines(text: str, at_start: bool) -> bool:
    return text.endswith(("\r", "\n")) if at_start else text.startswith(("\r", "\n"))


def _smallest(start: int, old: str, new: str) -> Edit:
    """Return the edit without what old and new text have in common at both ends."""
    limit = min(len(old), len(new))
    head = next((i for i in range(limit) if old[i] != new[i]), limit)
    limit -= head
    tail = next((i for i in range(limit) if old[-1 - i] != new[-1 - i]), limit)
    return Edit(start + head, start + len(old) - tail, new[head : len(new) - tail])
