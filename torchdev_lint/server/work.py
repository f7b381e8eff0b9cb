"""What is found out about files for an editor, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable

from torchdev_lint.applying.apply import fix_source
from torchdev_lint.applying.files import placed_edits
from torchdev_lint.applying.silence import silencing
from torchdev_lint.catalog.told import told
from torchdev_lint.change import CannotEdit, Replace
from torchdev_lint.checking import check_file
from torchdev_lint.config.configurations import Configurations
from torchdev_lint.config.levels import is_set
from torchdev_lint.config.problem import SettingsProblem
from torchdev_lint.finding import Finding
from torchdev_lint.project.seen import forget_outdated, watching
from torchdev_lint.report import FileReport, Task, Work
from torchdev_lint.rules import ALL_RULES
from torchdev_lint.server.hints import hints_in
from torchdev_lint.server.questions import About, Checked, Failure, Hints, Question
from torchdev_lint.source.buffers import hold
from torchdev_lint.source.discovery import Target
from torchdev_lint.source.notebook import Notebook
from torchdev_lint.source.problem import internal_error
from torchdev_lint.source.source import SourceError, read_source


def answered(question: Question) -> object:
    """Do what is asked for, and never raise."""
    try:
        hold(question.texts)
        forget_outdated()
        return _WORK[question.about](*question.arguments)
    except SettingsProblem as problem:
        return Failure(str(problem))
    except SourceError as error:
        return Failure(error.message)
    except Exception as error:
        return Failure(internal_error(error))


def _check(path: str) -> Checked:
    """Lint a file by the settings that hold for it; what they exclude has no findings."""
    configurations = Configurations(())
    try:
        if configurations.leaves_out_named(path):
            return Checked(FileReport(path))
        settings = configurations.settings_of(path, ALL_RULES)
    except SettingsProblem as problem:
        return Checked(FileReport(path), str(problem))
    work = Work(edits=True, unsafe=_unsafe(configurations, path))
    with watching() as seen:
        report = check_file(Task(Target(path, named=True), settings), work=work)
    whole = seen.whole()
    return Checked(report, "", frozenset(whole.files), frozenset(whole.projects))


def _fix_all(path: str) -> tuple[str, ...]:
    """Return the text of a file after fixing all that can be fixed in it; a notebook's by cells."""
    configurations = Configurations(())
    settings = configurations.settings_of(path, ALL_RULES)
    with told(settings.told):
        after = fix_source(read_source(path), settings, _unsafe(configurations, path)).source
    return after.sources() if isinstance(after, Notebook) else (after.text,)


def _silence(path: str, finding: Finding) -> tuple[Replace, ...]:
    """Return what puts a comment into a file that silences a finding; nothing if none can."""
    source = read_source(path)
    try:
        fix, _ = silencing(source, [finding])
    except CannotEdit:
        return ()
    return placed_edits(source, fix) or ()


def _hints(path: str) -> Hints:
    """Return where what a file binds lives, by position."""
    return hints_in(read_source(path), Configurations(()).settings_of(path, ALL_RULES))


def _unsafe(configurations: Configurations, path: str) -> bool:
    """Whether unsafe fixes are to be applied like safe ones."""
    return is_set(configurations.levels_at(path), "unsafe_fixes")


_WORK: dict[About, Callable[..., object]] = {
    "nothing": lambda: None,
    "findings": _check,
    "fixing": _fix_all,
    "silencing": _silence,
    "hints": _hints,
}
