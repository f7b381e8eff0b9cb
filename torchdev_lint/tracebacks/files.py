"""The files that a traceback names: which are the user's own, and where they lie here."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from torchdev_lint.applying.offered import offered
from torchdev_lint.applying.version import version_of
from torchdev_lint.catalog.told import told
from torchdev_lint.config.configurations import Configurations
from torchdev_lint.finding import Finding
from torchdev_lint.known.knowledge import Knowledge
from torchdev_lint.linter import facts_of, findings_in
from torchdev_lint.records import replace
from torchdev_lint.rules import ALL_RULES, EVERY_RULE
from torchdev_lint.source.source import read_source
from torchdev_lint.stack import on_own_stack

_INSTALLED = re.compile(
    r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python\d|\\Python[\w.-]*\d[\w.-]*\\Lib\\|^<"
)
"""What the paths of installed packages hold, and of code that is in no file."""


def is_installed(path: str) -> bool:
    """Whether a file is part of an installed package or of Python, or no file at all."""
    return _INSTALLED.search(path.replace("~", "")) is not None


def located(path: str) -> str | None:
    """Return where a file lies here that a traceback names, None if it isn't here.

    The traceback may come from another machine: then it is looked for below the current folder,
    by as much of the end of its path as there is.
    """
    path = os.path.expanduser(path)
    if os.path.isfile(path):
        return _shown(path)
    parts = [part for part in re.split(r"[/\\]", path) if part not in {"", ".", ".."}]
    ends = (os.path.join(*parts[number:]) for number in range(len(parts)))
    return next((end for end in ends if os.path.isfile(end)), None)


def _shown(path: str) -> str:
    """A path as it is written in the current folder, if it lies there."""
    try:
        near = os.path.relpath(path)
    except ValueError:  # on another drive
        return path
    return path if near.startswith(os.pardir) else near


class AnalysedFile:
    """A file of a traceback, and all that is known of it.

    What is set for it holds, but all rules are asked: the error has come, whatever is ignored.

    Args:
        path: where it lies.

    Raises:
        SourceError: it can't be read or parsed.
        SettingsProblem: something is wrong with what is set for it.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.absolute = os.path.abspath(path)
        self.source = read_source(path)
        settings = Configurations(()).settings_of(self.absolute, ALL_RULES)
        self._settings = replace(settings, rules=EVERY_RULE.rules)
        with told(settings.told):
            self.knowledge = Knowledge(self.source)
            self.findings: Sequence[Finding] = self._found()

    @on_own_stack
    def _found(self) -> Sequence[Finding]:
        """What is wrong with it, each with the fix that has been tried, silenced or not."""
        tree = self.knowledge.tree
        facts = facts_of(self.source, tree, self._settings)
        if facts is None:
            return ()
        found = findings_in(self.source, facts, self._settings)
        version = version_of(self.source, tree, facts, found)
        return offered(version, self._settings, unsafe=True).findings
