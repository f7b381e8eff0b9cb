"""Reading tracebacks as they are found: Python's, pytest's, rich's and IPython's, and in logs.

What a line means is told by its form, wherever in the line that begins: logs put a time, a level or
a process before it. Lines of several processes are told apart by what names the process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdev_lint.records import dataclass

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
"""What colours text on a terminal."""
_BORDERS = re.compile("[│┃┆┊]")
"""The frames that rich draws around tracebacks."""
_PYTHON = re.compile(r'File "(?P<path>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<function>[^\s│]+))?')
_PLACE = re.compile(
    r"(?:^|(?<=\s))(?:File )?(?P<path>(?:[A-Za-z]:)?[^\s:\"'<>|*?]+\.pyw?):(?P<line>\d+)"
    r"(?=$|[\s,:])(?::(?= ))?(?:,? in (?P<function>\w[\w.<>]*))?"
)
"""`a.py:3: in f` of pytest, `a.py:3 in f` of rich, `File a.py:3, in f(x)` of IPython."""
_ERROR = re.compile(
    r"(?:^|(?<=[\s:]))(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit))"
    r"(?::\s+(?P<message>\S.*))?$"
)
_MARKS = re.compile(r"\s*(?P<marks>[~^]+)\s*$")
_HEAD = "Traceback (most recent call last)"
_PROCESS = re.compile(
    r"^(?:[\d\s:.,/TZ|+\-\[\]]|[A-Z]{4,8}\b)*?"
    r"(?P<name>\[(?:rank|default|worker|local_rank)\W{0,2}\d+\]|\(\w+ pid=\d+[^)]*\)"
    r"|(?:rank|worker)\W?\d+(?= ?[:|])|^\d+(?=: ))",
    re.I,
)
"""What names one of several processes in a log, behind a time and a level."""
_MOST_LINES = 4
"""Over how many lines a message may be broken."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A call in a traceback.

    Args:
        path: the file, as it is written there.
        line: the line, counted from 1.
        function: what was called, empty where that isn't said.
        text: the line's text, without indentation, empty where it isn't there.
        marked: which characters of the text are marked as what failed, None if none are.
    """

    path: str
    line: int
    function: str = ""
    text: str = ""
    marked: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Traceback:
    """An exception, and the calls that led to it.

    Args:
        frames: the calls, the innermost last.
        type: the exception's class, as it is written.
        message: its text, in one line.
    """

    frames: tuple[Frame, ...]
    type: str
    message: str


def tracebacks_in(text: str) -> list[Traceback]:
    """Return the tracebacks in a text, in the order in which they end, each once."""
    found: dict[Traceback, None] = {}
    for lines in _by_process(text):
        found.update(dict.fromkeys(_Reader(lines).read()))
    return list(found)


def _by_process(text: str) -> list[list[str]]:
    """The lines of each process, without colours and borders."""
    processes: dict[str, list[str]] = {}
    for line in _ESCAPES.sub("", text).splitlines():
        named = _PROCESS.search(line)
        line = _BORDERS.sub(" ", line).rstrip()
        processes.setdefault(named["name"] if named else "", []).append(line)
    return list(processes.values())


class _Reader:
    """Goes through the lines of one process.

    Args:
        lines: the lines.
    """

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def read(self) -> Iterator[Traceback]:
        """Yield what the lines tell of."""
        frames: list[Frame] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if _HEAD in line:
                frames = []
            elif (frame := self._frame(line)) is not None:
                frames.append(frame)
            raised = _ERROR.search(line) if frames else None
            if raised is not None:
                message = " ".join([raised["message"] or "", *self._rest()]).strip()
                last = [] if frame is not None else self._place_behind(raised["type"])
                yield Traceback((*frames, *last), raised["type"], message)
                frames = []

    def _frame(self, line: str) -> Frame | None:
        """The call that a line tells of; the lines of code below it belong to it."""
        match = _PYTHON.search(line) or _PLACE.search(line)
        if match is None:
            return None
        text, marked = self._code(line[: match.start()].rstrip())
        return Frame(match["path"], int(match["line"]), match["function"] or "", text, marked)

    def _code(self, prefix: str) -> tuple[str, tuple[int, int] | None]:
        """The line of code behind that of a call, and what of it is marked.

        Args:
            prefix: what the log puts before each line.
        """
        line = self._line(self._at).removeprefix(prefix)
        if not line.strip() or _is_told(line):
            return "", None
        self._at += 1
        text, below = line.strip(), self._line(self._at).removeprefix(prefix)
        marks = _MARKS.fullmatch(below)
        if marks is None:
            return text, None
        self._at += 1
        begin = marks.start("marks") - line.index(text)
        return text, (begin, begin + len(marks["marks"])) if begin >= 0 else None

    def _place_behind(self, type: str) -> list[Frame]:
        """The innermost call, which pytest tells below the message, with the type once more."""
        for number in range(self._at, self._at + _MOST_LINES):
            match = _PLACE.search(self._line(number))
            if match is not None:
                raised = _ERROR.search(self._line(number))
                if raised is None or raised["type"] != type:
                    return []
                self._at = number + 1
                return [Frame(match["path"], int(match["line"]))]
        return []

    def _rest(self) -> Iterator[str]:
        """What may belong to a message that is broken over several lines."""
        for number in range(self._at, self._at + _MOST_LINES):
            line = self._line(number)
            if not line.strip() or _is_told(line):
                return
            yield line.strip()

    def _line(self, number: int) -> str:
        return self._lines[number] if number < len(self._lines) else ""


def _is_told(line: str) -> bool:
    """Whether a line says something about the traceback itself: it is no code or message."""
    return any(form.search(line) for form in (_PYTHON, _PLACE, _ERROR)) or _HEAD in line
