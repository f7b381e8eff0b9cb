"""The fixtures, programs of one file and projects of several, and what they promise."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from tests.command import FIXTURES

MAIN = "main.py"
_PROJECT = "project_"

_RUNTIME = re.compile(r"^# runtime: (fails|passes|silent|not run)\b[ :]*(.*)$", re.MULTILINE)
_REAL = re.compile(r"\s*\(on a real device(?: with ([\w, ]+))?\)$")
_EXPECT = re.compile(r"# expect: (TDL\d{3}(?:, TDL\d{3})*)")

Kind = Literal["fails", "passes", "silent", "not run"]


@dataclass(frozen=True, slots=True)
class Declaration:
    """The `# runtime:` line of a fixture.

    Args:
        kind: what its run does.
        type: the exception's class name, where it fails.
        text: a piece of the exception's message, or the reason not to run it.
        needs: the packages without which it isn't run, nor is it in the simulation; None if it
            runs wherever the tests do.
    """

    kind: Kind
    type: str = ""
    text: str = ""
    needs: tuple[str, ...] | None = None

    def on(self, real: bool) -> Declaration:
        """Return what this comes to on a device, which may be not to run at all.

        Args:
            real: whether the device is a real one.
        """
        if self.needs is None or (real and all(map(find_spec, self.needs))):
            return self
        packages = f" with {', '.join(self.needs)}" if self.needs else ""
        return Declaration("not run", text=f"needs a real device{packages}")


def declaration(source: str) -> Declaration:
    """Read the runtime line of a fixture.

    Raises:
        ValueError: there is none, or more than one, or it can't be read.
    """
    lines = _RUNTIME.findall(source)
    if len(lines) != 1:
        raise ValueError(f"one '# runtime:' line expected, found {len(lines)}")
    kind, rest = lines[0]
    needs = None
    if (real := _REAL.search(rest)) is not None:
        rest = rest[: real.start()]
        needs = tuple((real[1] or "").replace(",", " ").split())
    if kind == "fails":
        name, separator, text = rest.partition(": ")
        if not separator or not name.isidentifier():
            raise ValueError(f"'fails' needs 'Type: text', not {rest!r}")
        return Declaration("fails", name, text.strip(), needs)
    if kind == "silent":
        return Declaration("silent", "AssertionError", needs=needs)
    if kind == "not run":
        return Declaration("not run", text=rest.strip("() "))
    return Declaration("passes", needs=needs)


def expected_lines(source: str) -> dict[int, tuple[str, ...]]:
    """Return the lines with an `# expect:` marker, and the codes expected there."""
    return {
        number: tuple(match.group(1).split(", "))
        for number, line in enumerate(source.splitlines(), 1)
        if (match := _EXPECT.search(line))
    }


def in_project(program: Path) -> bool:
    """Whether a file is what a project's run begins with."""
    return program.name == MAIN and program.parent.name.startswith(_PROJECT)


def files_of(program: Path) -> tuple[Path, ...]:
    """The Python files of a program: those in the folder of a project's `main.py`, or just one."""
    return tuple(sorted(program.parent.rglob("*.py"))) if in_project(program) else (program,)


@dataclass(frozen=True, slots=True)
class Fixture:
    """A program that shows one thing.

    Args:
        main: the file that is run; all there is, but for projects.
    """

    main: Path

    @property
    def root(self) -> Path:
        """The file, or a project's folder."""
        return self.main.parent if self.is_project else self.main

    @property
    def name(self) -> str:
        """What it is called in tests and in the evidence."""
        return f"{self.root.parent.name}/{self.root.stem}"

    @property
    def code(self) -> str:
        """The rule it is about."""
        return self.root.parent.name

    @property
    def is_project(self) -> bool:
        """Whether it has several files."""
        return in_project(self.main)

    @property
    def files(self) -> tuple[Path, ...]:
        """Its Python files."""
        return files_of(self.main)

    @property
    def declaration(self) -> Declaration:
        """What it says about its run."""
        return declaration(self.main.read_text(encoding="utf-8"))

    @property
    def expected(self) -> dict[Path, dict[int, tuple[str, ...]]]:
        """For each of its files the lines with findings, and their codes."""
        return {path: expected_lines(path.read_text(encoding="utf-8")) for path in self.files}

    @property
    def flagged(self) -> bool:
        """Whether anything is expected to be found in it."""
        return any(self.expected.values())

    def copied_to(self, folder: Path) -> Fixture:
        """Copy it, with all its files, into a folder for its rule."""
        root = folder / self.code / self.root.name
        root.parent.mkdir(parents=True, exist_ok=True)
        if self.is_project:
            shutil.copytree(self.root, root, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(self.root, root)
        return Fixture(root / MAIN if self.is_project else root)


def fixtures_in(folder: Path) -> tuple[Fixture, ...]:
    """Return the fixtures in the folder of a rule, by name."""
    mains = [*folder.glob("*.py"), *folder.glob(f"{_PROJECT}*/{MAIN}")]
    return tuple(sorted(map(Fixture, mains), key=lambda fixture: fixture.name))


ALL = tuple(fixture for folder in sorted(FIXTURES.iterdir()) for fixture in fixtures_in(folder))
FLAGGED = tuple(fixture for fixture in ALL if fixture.flagged)
CLEAN = tuple(fixture for fixture in ALL if not fixture.flagged)
PROJECTS = tuple(fixture for fixture in ALL if fixture.is_project)


def id_of(program: Path) -> str:
    """Return what a test of a program of one file is called."""
    return f"{program.parent.name}/{program.stem}"


def name_of(fixture: Fixture) -> str:
    """Return what a test of a fixture is called."""
    return fixture.name
