"""A Python file: its bytes, its text, its syntax tree, and places in it."""

from __future__ import annotations

import ast
import io
import os
import re
import stat
import tokenize
import warnings
from functools import cached_property
from typing import ClassVar, cast

from torchdev_lint.catalog.ecosystem import LIBRARIES, OF_TENSORS
from torchdev_lint.source.annotated import plain_assignments
from torchdev_lint.source.buffers import buffer_of
from torchdev_lint.source.cells import Cells, line_in_words
from torchdev_lint.source.problem import Kind
from torchdev_lint.source.span import Span
from torchdev_lint.stack import on_own_stack

NEWLINE = re.compile(r"\r\n|\r|\n")
"""Where lines end, as Python's parser splits them."""
_BOM = "\ufeff"

NOTEBOOK = ".ipynb"
"""What the names of notebooks end in."""
_SUFFIXES = frozenset({"", NOTEBOOK, ".gyp", ".gypi", ".py", ".pyi", ".pyw", ".tac", ".wsgi"})
"""What the names of Python files end in; those of scripts in nothing."""
MAX_BYTES = 10_000_000
"""How many bytes a file may have: code that was written has a hundredth of that."""
_MAX_NOTEBOOK = 100_000_000
"""How many a notebook may have, which holds pictures."""
_SHEBANG = re.compile(rb"#!.*[/ \t](?:python|pypy)[\d.]*w?(?![^\s])")


class SourceError(Exception):
    """The file can't be read as Python source.

    Args:
        message: what is wrong.
        line: the line it is on, counted from 1, where known.
        column: the character on that line, counted from 1, where known.
        cell: the cell of a notebook in which that line is.
    """

    kind: ClassVar[Kind] = "io-error"

    def __init__(
        self,
        message: str,
        line: int | None = None,
        column: int | None = None,
        cell: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.cell = cell


class TooLarge(SourceError):
    """The file has more bytes than are read of any.

    Args:
        message: what is wrong.
        beginning: what it begins with, as far as it was read.
    """

    def __init__(self, message: str, beginning: bytes) -> None:
        super().__init__(message)
        self.beginning = beginning


class OtherLanguage(SourceError):
    """The file is a notebook, and none of Python's."""


class SyntaxProblem(SourceError):
    """The text is not valid Python for the running interpreter."""

    kind = "invalid-syntax"


class Source:
    """The text of one file.

    Args:
        path: the path as it is shown to the user.
        text: the decoded text without a byte order mark, line endings as they are.
        data: the bytes of the file.
        encoding: the codec that leads from one to the other.
    """

    def __init__(self, path: str, text: str, data: bytes, encoding: str) -> None:
        self.path = path
        self.text = text
        self.data = data
        self.encoding = encoding

    @classmethod
    def from_text(cls, text: str, path: str) -> Source:
        """Make a source from text that has been decoded already."""
        return cls(path, text.removeprefix(_BOM), text.encode("utf-8", "surrogatepass"), "utf-8")

    @classmethod
    def from_bytes(cls, data: bytes, path: str) -> Source:
        """Decode a file's bytes as Python does: byte order mark, coding cookie, UTF-8.

        Of a notebook it is the program that its cells make.

        Raises:
            SourceError: the bytes aren't text in their encoding, hold a NUL, or are no notebook.
        """
        if is_notebook(path):
            from torchdev_lint.source.notebook import Notebook  # late: it is a source itself

            return Notebook(path, data)
        text, encoding = _decode(data)
        nul = text.find("\0")
        if nul >= 0:
            raise SourceError("source contains a NUL byte", _line_at(text, nul))
        return cls(path, text.removeprefix(_BOM), data, encoding)

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends, split where Python's parser splits them."""
        return NEWLINE.split(self.text)

    @property
    def written(self) -> list[str]:
        """The lines as whoever wrote them knows them."""
        return self.lines

    @property
    def cells(self) -> Cells:
        """Where the cells of a notebook are."""
        return ()

    def mentions_torch(self) -> bool:
        """Whether the file can possibly use PyTorch."""
        return mentions_torch(self.data)

    @cached_property
    def program(self) -> str:
        """What to read if the text is no Python: of a script in cells, these without magics."""
        from torchdev_lint.source.magics import script_as_python  # late: nearly all is Python

        return script_as_python(self.text)

    @on_own_stack
    def parse(self) -> ast.Module:
        """Return the syntax tree.

        Raises:
            SyntaxProblem: the text isn't valid Python, or too deeply nested for the parser.
        """
        try:
            return self._parsed(self.text)
        except SyntaxProblem:
            if self.program == self.text:
                raise
        return self._parsed(self.program)

    def _parsed(self, text: str) -> ast.Module:
        try:
            with warnings.catch_warnings():
                # Invalid escapes and the like are the author's business, not ours.
                warnings.simplefilter("ignore")
                return plain_assignments(ast.parse(text))
        except SyntaxError as error:
            from torchdev_lint.source.newer import newer_syntax  # late: nearly all can be parsed

            line = error.lineno or 1
            hint = newer_syntax(self.lines[line - 1] if line <= len(self.lines) else "")
            raise SyntaxProblem(
                f"syntax error: {error.msg}{hint}", line, error.offset or None
            ) from None
        except (RecursionError, MemoryError):
            raise SyntaxProblem("nested too deeply for Python's parser", 1) from None
        except ValueError as error:  # a lone surrogate, say
            raise SyntaxProblem(f"cannot be parsed: {error}", 1) from None

    def span(self, node: ast.AST) -> Span:
        """Return where a node is, in characters: `ast` counts columns in UTF-8 bytes.

        Args:
            node: an expression, statement or other node that has a position.
        """
        placed = cast("ast.expr", node)
        line, column = placed.lineno, placed.col_offset
        end_line, end_column = placed.end_lineno or line, placed.end_col_offset or column
        if self.text.isascii():
            return Span(line, column, end_line, end_column)
        return Span(
            line, self._characters(line, column), end_line, self._characters(end_line, end_column)
        )

    def line_of(self, node: ast.AST) -> str:
        """Return the line on which a node begins, as a message names it."""
        return line_in_words(self.cells, self.span(node).line)

    def segment(self, node: ast.AST) -> str:
        """Return a node's text as it is written."""
        span = self.span(node)
        lines = self.lines[span.line - 1 : span.end_line]
        if len(lines) == 1:
            return lines[0][span.column : span.end_column]
        first, *middle, last = lines
        return "\n".join([first[span.column :], *middle, last[: span.end_column]])

    def _characters(self, line: int, offset: int) -> int:
        # Positions inside f-strings are unreliable before Python 3.12: they may lie outside.
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if text.isascii():
            return offset
        return len(text.encode("utf-8", "replace")[:offset].decode("utf-8", "ignore"))


def is_notebook(path: str) -> bool:
    """Whether a file is a notebook, by its name."""
    return os.path.splitext(path)[1].lower() == NOTEBOOK


def cells_in(path: str) -> Cells:
    """Return where the cells of a file are; none if it is no notebook, or can't be read."""
    try:
        return read_source(path).cells if is_notebook(path) else ()
    except SourceError:
        return ()


def mentions_torch(data: bytes) -> bool:
    """Tell whether a file with these bytes can possibly use PyTorch.

    It names it, or another library on top of it, or asks what others give for what tensors have.
    """
    return LIBRARIES.search(data) is not None or OF_TENSORS.search(data) is not None


def require_python(path: str, data: bytes) -> None:
    """Make sure that a file says that it is Python, by its name or by its first line.

    Much else can be parsed, an empty text or a table, without anything to be found in it. What is
    called as a notebook tells its language itself.

    Raises:
        SourceError: it doesn't.
    """
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in _SUFFIXES and not _SHEBANG.match(data):
        raise SourceError(
            f"is not Python: its name ends in {suffix}, and no `#!` line names python"
        )


def encoded(text: str) -> bytes:
    """Return the bytes of a Python file that has a text: in UTF-8, unless it says another encoding.

    What can't be encoded so is in UTF-8, with its lone surrogates, so that whoever decodes it can
    say what is wrong.
    """
    data = text.encode("utf-8", "surrogatepass")
    try:
        return text.encode(tokenize.detect_encoding(io.BytesIO(data).readline)[0])
    except (SyntaxError, ValueError):
        return data


def unreadable(error: OSError) -> str:
    """Say that a file can't be read, and why."""
    return f"cannot be read: {error.strerror or error}"


def read_bytes(path: str, limit: int | None = None) -> bytes:
    """Return a file's bytes.

    They are those of the text that stands in for it, where one does.

    Args:
        path: the file.
        limit: how many bytes it may have; None: as many as a file of its kind.

    Raises:
        TooLarge: it has more than that.
        SourceError: it can't be read.
    """
    buffer = buffer_of(path)
    if limit is None:
        limit = _MAX_NOTEBOOK if is_notebook(path) else MAX_BYTES
    try:
        data = _read_regular(path, limit + 1) if buffer is None else buffer.data[: limit + 1]
    except OSError as error:
        raise SourceError(unreadable(error)) from None
    except ValueError as error:  # a NUL in the path
        raise SourceError(f"cannot be read: {error}") from None
    if len(data) > limit:
        raise TooLarge(f"is larger than {limit // 1_000_000} MB", data)
    return data


def _read_regular(path: str, limit: int) -> bytes:
    """Read a regular file. Nothing else is opened: a pipe is waited for, a device may never end."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise SourceError("is not a regular file")
    with open(path, "rb", opener=without_waiting) as file:
        return file.read(limit)


def without_waiting(path: str, flags: int) -> int:
    """Open a file, or what lies in its place, such as a pipe that nobody writes to."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_source(path: str) -> Source:
    """Read and decode a file.

    Raises:
        SourceError: the file can't be read, isn't text in its encoding, or holds a NUL.
    """
    return Source.from_bytes(read_bytes(path), path)


def _decode(data: bytes) -> tuple[str, str]:
    cookie_error = ""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        # Either the cookie is wrong or the first lines aren't UTF-8: decoding tells which.
        encoding, cookie_error = "utf-8", error.msg
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start : error.start + 1].hex()
        raise SourceError(f"is not valid {encoding}: byte 0x{byte}", line) from None
    except (LookupError, ValueError) as error:  # a codec that is no text encoding, or refuses
        raise SourceError(f"cannot be decoded as {encoding}: {error}", 1) from None
    if cookie_error:
        raise SourceError(cookie_error, 1)
    return text, encoding


def _line_at(text: str, index: int) -> int:
    return len(NEWLINE.findall(text, 0, index)) + 1
