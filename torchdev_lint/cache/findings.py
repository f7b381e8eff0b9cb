"""The cache as the flake8 plugin uses it, which is handed a text and wants findings alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache as once

from torchdev_lint.cache.cache import Cache
from torchdev_lint.cache.entry import Asked
from torchdev_lint.cache.place import given_folder, is_off
from torchdev_lint.config.settings import Settings
from torchdev_lint.finding import Finding
from torchdev_lint.project.files import digest_of
from torchdev_lint.project.seen import Seen
from torchdev_lint.records import replace
from torchdev_lint.report import FileReport
from torchdev_lint.source.source import Source

_KIND = "flake8"


@once
def usual_cache() -> Cache | None:
    """Return the cache that the user's environment wants, None if it wants none."""
    return None if is_off() else Cache(given_folder())


def known(cache: Cache, source: Source, settings: Settings) -> Sequence[Finding] | None:
    """Return what is found in a text, None if that is not known.

    Args:
        cache: what is known.
        source: the text.
        settings: what holds for it.
    """
    report = cache.known(source.path, _asked(source, settings))
    return None if report is None else report.findings


def keep(
    cache: Cache, source: Source, settings: Settings, seen: Seen, found: Sequence[Finding]
) -> None:
    """Keep what was found in a text, also what comments silence, which flake8 wants to know.

    Args:
        cache: where to keep it.
        source: the text.
        settings: what holds for it.
        seen: what was looked at.
        found: what they found.
    """
    plain = tuple(replace(finding, fix=None, unsafe_fix=None) for finding in found)
    cache.keep(_asked(source, settings), seen, FileReport(source.path, plain))


def _asked(source: Source, settings: Settings) -> Asked:
    content = digest_of(source.data).hex()
    rest = settings.besides_rules()
    return Asked(_KIND, content, settings.rules, rest, named=None, unsafe=False)
