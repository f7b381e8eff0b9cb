"""Replacing a file: all of it or nothing."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile

from torchdev_lint import signals

TEMPORARY = ".torchdev-lint.tmp"
"""What the names of temporary files end in; only a process that was killed leaves one behind."""

_LONGEST = 100
"""How many bytes of a file's name its temporary file has in its own."""


class WriteError(Exception):
    """The file was not written; it is as it was."""


def replace_file(path: str, before: bytes, after: bytes) -> None:
    """Put new content in a file's place, in one step.

    The content is written to a temporary file in the same folder, which then takes the file's
    name; at any moment the file is either as it was or as it is to be. A symbolic link stays
    one, and the file that it leads to is replaced.

    Args:
        path: the file.
        before: what was read from it.
        after: what it is to hold.

    Raises:
        WriteError: it can't be written, or has changed since it was read.
    """
    real = os.path.realpath(path)
    try:
        status = os.stat(real)
        if not stat.S_ISREG(status.st_mode):
            raise WriteError("is not a regular file")
        # A rename would succeed all the same, and the superuser may write anything.
        if not status.st_mode & 0o222 or not os.access(real, os.W_OK):
            raise WriteError("is read-only")
        if status.st_nlink > 1:
            raise WriteError("has hard links, which would go on leading to the old text")
        with signals.blocked():  # until the temporary file is gone
            _write_beside(real, before, after, status)
    except OSError as error:
        raise WriteError(error.strerror or str(error)) from None


def _write_beside(real: str, before: bytes, after: bytes, status: os.stat_result) -> None:
    folder, name = os.path.split(real)
    handle, temporary = tempfile.mkstemp(TEMPORARY, f".{_shortened(name)}.", folder)
    try:
        with open(handle, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        _copy_attributes(real, temporary, status)
        with open(real, "rb") as file:
            if file.read() != before:
                raise WriteError("has changed since it was read")
        os.replace(temporary, real)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


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


def _sync_folder(folder: str) -> None:
    """Make the new name last; where folders can't be synced, nothing is lost but that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
