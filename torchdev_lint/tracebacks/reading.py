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
_CELL = re.compile(
    r"(?:Cell|Input) In ?\[(?P<path>\d+)\], "
    r"(?:line (?P<line>\d+)(?:, in (?P<function>\w+))?|in <cell line)"
)
"""How IPython names a cell: by how many have been run before it."""
_POINTED_AT = re.compile(r"\s*(?:-+>|❱)\s*(?P<line>\d+)\s?(?P<code>.*)")
"""How IPython and rich mark the line that failed, among those around it."""
_ERROR = re.compile(
    r"(?:^|(?<=[\s:]))(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit))"
    r"(?::\s+(?P<message>\S.*))?$"
)
_MARKS = re.compile(r"\s*(?P<marks>[~^]+)\s*$")
_FAILED = re.compile(r">\s+(?P<code>\S.*)")
"""How pytest marks the line that failed, where it shows a function from its beginning."""
_NO_CODE = re.compile(
    r"(?:_ ?){3,}|[-=_]{3,}.*|\"{3}|(?:The above|During handling of the above) exc.*"
)
"""What stands between two calls, or between two exceptions."""
_LOGGED = re.compile(
    r"\W*(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL)\b)|.*\d%\|"
)
"""How a line of a log or a bar of progress begins, which goes on behind an error."""
_ESCAPED_LINE = re.compile(r"^.*Traceback \(most recent call last\):\\n.*$", re.MULTILINE)
"""A line of a log that holds a whole traceback, as JSON or Python would write the text."""
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
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
_MOST_AROUND = 12
"""How far from a place the line that failed may be shown, with others between them."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A call in a traceback.

    Args:
        path: the file, as it is written there; of a cell, how many have been run before it.
        line: the line, counted from 1; of a cell, in it.
        function: what was called, empty where that isn't said.
        text: the line's text, without indentation, empty where it isn't there.
        marked: which characters of the text are marked as what failed, None if none are.
        is_cell: whether it is in a cell of a notebook.
    """

    path: str
    line: int
    function: str = ""
    text: str = ""
    marked: tuple[int, int] | None = None
    is_cell: bool = False


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
    for lines in _by_process(_ESCAPED_LINE.sub(_unescaped, text)):
        found.update(dict.fromkeys(_Reader(lines).read()))
    return list(found)


def _unescaped(line: re.Match[str]) -> str:
    """A text with the lines and characters for which something else is written."""
    return _ESCAPED.sub(
        lambda escape: (
            chr(int(escape[1], 16)) if escape[1] else {"n": "\n"}.get(escape[2], escape[2])
        ),
        line[0],
    )


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
            raised = _ERROR.search(line) if frames or line.startswith("E  ") else None
            if raised is not None:
                prefix = "" if frame is not None else line[: raised.start()]
                message = " ".join([raised["message"] or "", *self._rest(prefix)]).strip()
                last = [] if frame is not None else self._place_behind(raised["type"])
                if frames or last:
                    yield Traceback((*frames, *last), raised["type"], message)
                frames = []

    def _frame(self, line: str) -> Frame | None:
        """The call that a line tells of; the lines of code below it belong to it."""
        match = _PYTHON.search(line) or _PLACE.search(line) or _CELL.search(line)
        if match is None:
            return None
        pointed = None if match.re is _PYTHON else self._pointed_at()
        if pointed is not None:
            text, marked = pointed["code"].strip(), None
        else:
            text, marked = self._code(line[: match.start()].rstrip())
        if not text:
            text, marked = self._code_above(self._at - 1)
        number = match["line"] or (pointed["line"] if pointed else 1)
        is_cell = match.re is _CELL
        return Frame(
            match["path"], int(number), match["function"] or "", text, marked, is_cell=is_cell
        )

    def _pointed_at(self) -> re.Match[str] | None:
        """The line of code that is pointed at below that of a call, and whatever is before it."""
        for number in range(self._at, min(self._at + _MOST_AROUND, len(self._lines))):
            found = _POINTED_AT.fullmatch(self._lines[number])
            if found is not None:
                self._at = number + 1
                return found
            if _is_told(self._lines[number]):
                break
        return None

    def _code(self, prefix: str) -> tuple[str, tuple[int, int] | None]:
        """The line of code behind that of a call, and what of it is marked.

        Args:
            prefix: what the log puts before each line.
        """
        line = self._line(self._at).removeprefix(prefix)
        if not line.strip() or _is_told(line):
            return "", None
        self._at += 1
        marked = _marked(line, line.strip(), self._line(self._at).removeprefix(prefix))
        self._at += marked is not None
        return line.strip(), marked

    def _code_above(self, number: int) -> tuple[str, tuple[int, int] | None]:
        """The line of code above that of a call, where pytest shows more than one.

        Args:
            number: the line of the call.
        """
        above = [
            line for line in self._lines[max(0, number - _MOST_AROUND) : number] if line.strip()
        ]
        while above and above[-1].startswith("E  "):
            above.pop()
        below = above.pop() if above and _MARKS.fullmatch(above[-1]) else ""
        failed = _FAILED.fullmatch(above[-1]) if above else None
        return (
            ("", None)
            if failed is None
            else (failed["code"], _marked(failed[0], failed["code"], below))
        )

    def _place_behind(self, type: str) -> list[Frame]:
        """The innermost call, which pytest tells below the message, with the type once more."""
        for number in range(self._at, self._at + _MOST_LINES):
            match = _PLACE.search(self._line(number))
            if match is not None:
                raised = _ERROR.search(self._line(number))
                if raised is None or raised["type"] != type:
                    return []
                self._at = number + 1
                return [Frame(match["path"], int(match["line"]), "", *self._code_above(number))]
        return []

    def _rest(self, prefix: str) -> Iterator[str]:
        """What may belong to a message that is broken over several lines.

        Args:
            prefix: what the log puts before each line.
        """
        for number in range(self._at, self._at + _MOST_LINES):
            line = self._line(number).removeprefix(prefix.rstrip())
            if not any(map(str.isalnum, line)) or _is_told(line) or _LOGGED.match(line):
                return
            yield line.strip()

    def _line(self, number: int) -> str:
        return self._lines[number] if number < len(self._lines) else ""


def _is_told(line: str) -> bool:
    """Whether a line says something about the traceback itself: it is no code or message."""
    told = any(form.search(line) for form in (_PYTHON, _PLACE, _CELL, _ERROR)) or _HEAD in line
    return told or _NO_CODE.fullmatch(line.strip()) is not None


def _marked(line: str, code: str, below: str) -> tuple[int, int] | None:
    """Which characters of the code in a line are marked in the line below it, if any are."""
    marks = _MARKS.fullmatch(below)
    if marks is None:
        return None
    begin = marks.start("marks") - line.index(code)
    return (begin, begin + len(marks["marks"])) if begin >= 0 else None
