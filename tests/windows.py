"""A machine with Windows, as far as paths go: drives, backslashes, and names in whatever case.

What stands on its drives lies in a folder of this machine. While it is on, `os.path` is that of
Windows, and what `os` does with paths is done there; the linter and all modules are as they are.
"""

from __future__ import annotations

import builtins
import io
import ntpath
import os
from collections.abc import Callable, Iterator
from pathlib import Path, PureWindowsPath
from types import TracebackType
from typing import Any

import pytest

_BY_PATH = (
    *("stat", "lstat", "listdir", "open", "mkdir", "rmdir", "unlink", "remove", "utime", "chmod"),
    *("access", "readlink", "listxattr", "getxattr", "setxattr"),
)
"""What `os` does with one path, which comes first."""
_BY_TWO = ("replace", "rename")
_ELSEWHERE = ("chown", "O_NOFOLLOW", "O_DIRECTORY", "set_blocking")
"""What is not there."""


class Windows:
    """A machine.

    Args:
        root: the folder of this machine in which its drives lie.
        folder: the current folder.
    """

    def __init__(self, root: Path, folder: str) -> None:
        self._root = root
        self.folder = folder
        (root / "C").mkdir()
        Path(self.real(folder)).mkdir(parents=True)

    def real(self, path: Any) -> Any:
        """Return where something lies on this machine; what is no path of that one, as it is."""
        given = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path
        if not isinstance(given, str) or given.startswith("/"):
            return path
        if given.startswith("\\"):  # it began with `/`, and was made a path of Windows
            return given.replace("\\", "/")
        whole = ntpath.normpath(ntpath.join(self.folder, given))
        drive, rest = ntpath.splitdrive(whole)
        here = str(self._root / drive.rstrip(":").upper())
        for name in filter(None, rest.split("\\")):
            here = f"{here}/{self._as_it_is_written(here, name)}"
        return here

    def write(self, path: str, text: str) -> None:
        """Write a file, and the folders that it is in."""
        place = Path(self.real(path))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="")

    def read(self, path: str) -> str:
        """Return what stands in a file."""
        return Path(self.real(path)).read_bytes().decode()

    def turn_on(self, patch: pytest.MonkeyPatch) -> None:
        """Have all paths be those of the machine."""
        patch.setattr("torchdev_lint.reporters.sarif.Path", _path_class(self.folder))
        for name in _ELSEWHERE:
            patch.delattr(os, name, raising=False)
        patch.setattr(os, "supports_dir_fd", set())
        for name in _BY_PATH:
            patch.setattr(os, name, self._with_real(getattr(os, name), 1))
        for name in _BY_TWO:
            patch.setattr(os, name, self._with_real(getattr(os, name), 2))
        for module in (builtins, io):
            patch.setattr(module, "open", self._with_real(open, 1))
        patch.setattr(os, "scandir", self._scandir(os.scandir))
        patch.setattr(os, "getcwd", lambda: self.folder)
        patch.setattr(os, "sep", "\\")
        patch.setattr(os, "altsep", "/")
        patch.setattr(os, "path", ntpath)

    def _as_it_is_written(self, folder: str, name: str) -> str:
        """Return the name that a file has, whatever its case here."""
        try:
            there = {each.lower(): each for each in _LISTDIR(folder)}
        except OSError:
            return name
        return there.get(name.lower(), name)

    def _with_real(self, done: Callable[..., Any], paths: int) -> Callable[..., Any]:
        def there(*args: Any, **named: Any) -> Any:
            named.pop("dir_fd", None)
            first = [self.real(arg) for arg in args[:paths]]
            return done(*first, *args[paths:], **named)

        return there

    def _scandir(self, done: Callable[[Any], Any]) -> Callable[[str], _Listing]:
        return lambda path: _Listing(path, done(self.real(path)))


_LISTDIR = os.listdir


class _Listing:
    """What is in a folder, by paths of the machine."""

    def __init__(self, folder: str, found: Any) -> None:
        self._folder = folder
        self._found = found

    def __iter__(self) -> Iterator[Any]:
        return (_Entry(ntpath.join(self._folder, each.name), each) for each in self._found)

    def __enter__(self) -> _Listing:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._found.close()


class _Entry:
    """A file or folder in a folder."""

    def __init__(self, path: str, found: Any) -> None:
        self.path = path
        self._found = found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found, name)


def _path_class(folder: str) -> type[PureWindowsPath]:
    class WindowsPath(PureWindowsPath):
        @classmethod
        def cwd(cls) -> WindowsPath:
            return cls(folder)

    return WindowsPath
