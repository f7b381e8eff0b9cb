"""Replacing a file: all of it or nothing."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat

from torchdev_lint import signals

TEMPORARY = ".torchdev-lint.tmp"
"""What the names of temporary files end in; only a process that was killed leaves one behind."""

_LONGEST = 100
"""How many bytes of a file's name its temporary file has in its own."""


class WriteError(Exception):
    """The file was not written; it is as it was."""


def replace_file(real: str, before: bytes, after: bytes) -> None:
    """Put new content in a file's place, in one step.

    The content is written to a temporary file in the same folder, which then takes the file's
    name; at any moment the file is either as it was or as it is to be. No link is followed: should
    a folder above the file be replaced by one at any moment, nothing is written where that leads.

    Args:
        real: the file, by a path without links.
        before: what was read from it.
        after: what it is to hold.

    Raises:
        WriteError: it can't be written, or has changed since it was read.
    """
    try:
        with _Folder(os.path.dirname(real)) as folder:
            name = os.path.basename(real)
            status = folder.status(name)
            if not stat.S_ISREG(status.st_mode):
                raise WriteError("is not a regular file")
            # A rename would succeed all the same, and the superuser may write anything.
            if not status.st_mode & 0o222 or not os.access(real, os.W_OK):
                raise WriteError("is read-only")
            if status.st_nlink > 1:
                raise WriteError("has hard links, which would go on leading to the old text")
            with signals.blocked():  # until the temporary file is gone
                _write_beside(folder, name, before, after, status)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR}:
            raise WriteError("is a link now, or in a folder that is one") from None
        raise WriteError(error.strerror or str(error)) from None


class _Folder:
    """A folder that was opened without following a link, and stays the same wherever it goes.

    Where a system can't open folders, it is found again by its path each time.

    Args:
        path: the folder, by a path without links.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._handle = _opened(path) if os.open in os.supports_dir_fd else None

    def __enter__(self) -> _Folder:
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            os.close(self._handle)

    def status(self, name: str) -> os.stat_result:
        """Return what is known of a file in the folder."""
        return os.stat(self._path(name), dir_fd=self._handle, follow_symlinks=False)

    def open(self, name: str, flags: int) -> int:
        """Open a file in the folder."""
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        return os.open(
            self._path(name), flags | getattr(os, "O_BINARY", 0), 0o600, dir_fd=self._handle
        )

    def replace(self, source: str, target: str) -> None:
        """Give a file of the folder another one's name."""
        os.replace(
            self._path(source),
            self._path(target),
            src_dir_fd=self._handle,
            dst_dir_fd=self._handle,
        )

    def remove(self, name: str) -> None:
        """Remove a file of the folder."""
        os.unlink(self._path(name), dir_fd=self._handle)

    def sync(self) -> None:
        """Make new names last; where folders can't be synced, nothing is lost but that."""
        with contextlib.suppress(OSError):
            handle = os.open(self._path("."), os.O_RDONLY, dir_fd=self._handle)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def _path(self, name: str) -> str:
        return name if self._handle is not None else os.path.join(self.path, name)


def _opened(path: str) -> int:
    """Open a folder, each one above it first, so that none of them is a link."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    flags |= getattr(os, "O_PATH", 0)  # which folders allow that may be passed, and not read
    handle = os.open(os.sep, flags)
    for part in filter(None, path.split(os.sep)):
        try:
            inner = os.open(part, flags, dir_fd=handle)
        finally:
            os.close(handle)
        handle = inner
    return handle


def _write_beside(
    folder: _Folder, name: str, before: bytes, after: bytes, status: os.stat_result
) -> None:
    temporary = f".{_shortened(name)}.{secrets.token_hex(8)}{TEMPORARY}"
    handle = folder.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        with open(handle, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        _copy_attributes(
            os.path.join(folder.path, name), os.path.join(folder.path, temporary), status
        )
        with open(folder.open(name, os.O_RDONLY), "rb") as file:
            if file.read() != before:
                raise WriteError("has changed since it was read")
        folder.replace(temporary, name)
    except BaseException:
        with contextlib.suppress(OSError):
            folder.remove(temporary)
        raise
    folder.sync()


def _shortened(name: str) -> str:
    """The beginning of a name, to which something can be added within any file system's limit."""
    while len(os.fsencode(name)) > _LONGEST:
        name = name[:-1]
    return name


def _copy_attributes(real: str, temporary: str, status: os.stat_result) -> None:
    """Give the new file the old one's owner, permissions and extended attributes."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only the superuser may give files away
            os.chown(temporary, status.st_uid, status.st_gid)
    shutil.copystat(real, temporary)
    os.utime(temporary)  # it did change
