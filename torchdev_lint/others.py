"""Rules of others that are installed, by the entry points that name them. Nothing is imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

from torchdev_lint.records import dataclass

GROUP = "torchdev_lint.rules"
"""The group of entry points that name rules."""
OWN = "TDL"
"""What the codes of our own rules begin with, and those of no other."""
_INFOS = (".dist-info", ".egg-info")


@dataclass(frozen=True, order=True, slots=True)
class Provider:
    """What somebody else has installed.

    Args:
        distribution: what it is called, and which release it is, such as `acme-rules 1.0`.
        value: the rule or module of rules, as `package.module:name`.
    """

    distribution: str
    value: str


@cache
def providers() -> tuple[Provider, ...]:
    """Return all rules of others that are installed, in an order that is always the same."""
    if not any(map(_has_rules, sys.path)):
        return ()
    # Imported late: it takes as long as all the rest of a run that finds its results in the cache.
    from importlib.metadata import entry_points

    found = set[Provider]()
    for entry in entry_points(group=GROUP):
        dist = entry.dist
        name = "" if dist is None else f"{dist.name} {dist.version}"
        found.add(Provider(name, entry.value))
    return tuple(sorted(found))


def states() -> Iterator[str]:
    """Yield what has to be the same for the rules of others to find the same.

    That is which they are, and the states of the files that they are in: who writes one has the
    same release all the time.
    """
    for provider in providers():
        yield f"{provider.distribution}: {provider.value}"
        yield from _files_of(provider.value.partition(":")[0].partition(".")[0])


def _has_rules(folder: str) -> bool:
    """Whether something that is installed in a folder has rules."""
    try:
        with os.scandir(folder) as entries:
            infos = [entry.path for entry in entries if entry.name.endswith(_INFOS)]
    except OSError:  # none, or an archive
        return False
    return any(map(_names_rules, infos))


def _names_rules(info: str) -> bool:
    try:
        with open(os.path.join(info, "entry_points.txt"), "rb") as file:
            return GROUP.encode() in file.read()
    except OSError:
        return False


def _files_of(module: str) -> Iterator[str]:
    """Yield the Python files of a module or package, each with when it was changed last."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        return
    pending = list(spec.submodule_search_locations or [spec.origin or ""])
    while pending:
        path = pending.pop()
        if os.path.isdir(path):
            names = sorted(os.listdir(path))
            pending += [os.path.join(path, name) for name in names if name != "__pycache__"]
        elif path.endswith(".py"):
            yield f"{path} {os.stat(path).st_mtime_ns}"
