"""What `--diff` shows: a patch in the file's own bytes, as `git apply` and `patch -p1` take it."""

from __future__ import annotations

import difflib
import io
import os
import re

from torchdev_lint.source.shown import from_here

_UNSAFE = re.compile(rb'[\x00-\x1f"\\\x7f]')


def difference(path: str, before: bytes, after: bytes) -> bytes:
    """Return the patch that leads from one content of a file to another, empty if they are equal.

    Args:
        path: where the file is.
        before: its bytes as they are.
        after: its bytes as they are to be.
    """
    # For a patch a line ends in a newline, and a carriage return is a character like others.
    old, new = (io.BytesIO(data).readlines() for data in (before, after))
    names = _named(b"a/", path), _named(b"b/", path)
    return b"".join(
        line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
        for line in difflib.diff_bytes(difflib.unified_diff, old, new, *names, lineterm=b"\n")
    )


def _named(side: bytes, path: str) -> bytes:
    """Return a path as git writes it: quoted where it has to be, and its end marked.

    It is that from the current folder, where a patch is applied; else the absolute one, without the
    slash at its beginning, with which `patch -p1 -d /` finds it.
    """
    path = os.path.normpath(path)
    if os.path.isabs(path) or path.split(os.sep)[0] == os.pardir:
        path = from_here(os.path.abspath(path))
    name = side + os.fsencode(path).replace(os.fsencode(os.sep), b"/").lstrip(b"/")
    if _UNSAFE.search(name):
        return b'"' + _UNSAFE.sub(lambda found: b"\\%03o" % ord(found[0]), name) + b'"'
    return name + b"\t" * (b" " in name)
