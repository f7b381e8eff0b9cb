"""All that was set for a run: on the command line, and in files for one folder or another."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields

from torchdev_lint.config.files import levels_in, levels_of
from torchdev_lint.config.folder import Excluded, FolderSettings
from torchdev_lint.config.levels import Levels, last
from torchdev_lint.config.patterns import within
from torchdev_lint.config.selection import Coded
from torchdev_lint.config.settings import RunSettings, Settings
from torchdev_lint.records import replace


class Configurations:
    """What holds for which file.

    Args:
        given: what was set on the command line, the place that counts for least first.
        file: the file of settings that was named there, which holds for all files; None: for each
            file the nearest one upwards does.
        isolated: whether files of settings are not looked at.

    Raises:
        SettingsProblem: something is wrong with the file that was named.
    """

    def __init__(self, given: Levels, file: str | None = None, isolated: bool = False) -> None:
        self._given = given
        self._fixed: Levels | None = () if isolated else None
        if file is not None:
            self._fixed = levels_of(os.path.abspath(file), folder=os.getcwd())
        self._files: dict[str, Levels] = {}
        self._excluded: dict[Levels, Excluded] = {}
        self._folders: dict[Levels, FolderSettings] = {}

    def levels_at(self, path: str) -> Levels:
        """Return all that was set for a file or folder in a folder; paths are absolute."""
        folder = os.path.dirname(path)
        files = self._nearest(folder) if self._fixed is None else self._fixed
        return (*files, *self._given)

    def _nearest(self, folder: str) -> Levels:
        """Return what the nearest file sets, from a folder upwards."""
        passed = []
        while folder not in self._files:
            passed.append(folder)
            above = os.path.dirname(folder)
            found = levels_in(folder)
            if found or above == folder:
                self._files[folder] = found
            else:
                folder = above
        self._files.update(dict.fromkeys(passed, self._files[folder]))
        return self._files[folder]

    def leaves_out(self, path: str, is_folder: bool) -> bool:
        """Whether a path, absolute, is excluded; the folders above it are not looked at."""
        levels = self.levels_at(path)
        if levels not in self._excluded:
            self._excluded[levels] = Excluded(levels)
        return self._excluded[levels].covers(path, is_folder)

    def leaves_out_named(self, path: str) -> bool:
        """Whether a path that the user names is excluded, or a folder above it.

        Folders are looked at up to the current one, or the one of the settings.
        """
        path = os.path.abspath(path)
        levels = self.levels_at(path)
        tops = [within(folder) for folder in {os.getcwd(), *(x.folder for x in levels)}]
        while not self.leaves_out(path, os.path.isdir(path)):
            path = os.path.dirname(path)
            if not any(has(path) for has in tops):
                return False
        return True

    def settings_of(self, path: str, rules: Sequence[Coded]) -> Settings:
        """Return what holds for a file.

        Args:
            path: the file, absolute.
            rules: all rules.

        Raises:
            SettingsProblem: something is wrong with what was set.
        """
        levels = self.levels_at(path)
        if levels not in self._folders:
            self._folders[levels] = FolderSettings(levels, rules)
        return self._folders[levels].of(path)

    def for_run(self) -> RunSettings:
        """Return what holds for a run as a whole: what was set for the current folder.

        Raises:
            SettingsProblem: something is wrong with it.
        """
        try:
            levels = self.levels_at(os.path.join(os.getcwd(), "any"))
        except OSError:  # it is gone
            levels = self._given
        usual = RunSettings()
        given = {
            each.name: found[1]
            for each in fields(usual)
            if (found := last(levels, each.name)) is not None
        }
        for name in ("cache_dir", "baseline"):
            found = last(levels, name)
            if found is not None:
                given[name] = os.path.join(found[0].folder, found[1])
        return replace(usual, **given)
