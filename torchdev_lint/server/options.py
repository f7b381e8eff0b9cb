"""What users can set in their editor; all else stands in files of settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from torchdev_lint.config.problem import closest
from torchdev_lint.records import dataclass

SECTION = "torchdev-lint"
"""What editors call our part of their settings."""
_INLAY_HINTS = "inlayHints"


@dataclass(frozen=True, slots=True)
class Options:
    """What was set in the editor.

    Args:
        inlay_hints: whether it is shown where variables, attributes and parameters live.
    """

    inlay_hints: bool = False


def options_from(value: object, complain: Callable[[str], None]) -> Options | None:
    """Return what was set, None if nothing was said.

    Args:
        value: what the editor sent: our section, or something that holds it.
        complain: is told what can't be meant.
    """
    if not isinstance(value, Mapping):
        return None
    section = value.get(SECTION, value)
    if not isinstance(section, Mapping):
        complain(f"the setting {SECTION} is not a group of settings")
        return None
    for key in section:
        if key != _INLAY_HINTS:
            complain(f"there is no setting {SECTION}.{key}{closest(str(key), [_INLAY_HINTS])}")
    wanted = section.get(_INLAY_HINTS, False)
    if not isinstance(wanted, bool):
        complain(f"the setting {SECTION}.{_INLAY_HINTS} is neither true nor false")
        return None
    return Options(wanted)
