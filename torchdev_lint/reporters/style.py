"""Colours and links on a terminal, and whether there are any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from torchdev_lint.records import dataclass

BOLD, RED, BLUE, GREEN, CYAN = "1", "1;31", "1;34", "32", "1;36"
"""The parameters of the escape sequences that turn a colour on."""

_LINKING_TERMINALS = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby"})
"""What `TERM_PROGRAM` is in terminals that have links."""
_MARKS = ("WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "DOMTERM", "ALACRITTY_WINDOW_ID")
"""Variables that only terminals set that have links."""
_FIRST_VTE = 5000
"""The first version of the terminals of GNOME, Xfce, … that has links, as `VTE_VERSION` has it."""


@dataclass(frozen=True, slots=True)
class Style:
    """What a terminal can do.

    Args:
        colour: whether to use colours.
        links: whether a text can be a link.
    """

    colour: bool = False
    links: bool = False

    def paint(self, text: str, colour: str) -> str:
        """Return a text in a colour."""
        return f"\x1b[{colour}m{text}\x1b[0m" if self.colour else text

    def link(self, text: str, url: str | None) -> str:
        """Return a text that leads to an address, if there is one."""
        return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\" if self.links and url else text


PLAIN = Style()


def style_for(stream: TextIO, color: str, environment: Mapping[str, str]) -> Style:
    """Return what may be used in what is written to a stream.

    Args:
        stream: the stream.
        color: what the user wants: `auto`, `always` or `never`.
        environment: the variables of the process.
    """
    return Style(
        _wants_colour(stream, color, environment),
        color != "never" and _has_links(stream, environment),
    )


def _wants_colour(stream: TextIO, color: str, environment: Mapping[str, str]) -> bool:
    if color != "auto":
        return color == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def _has_links(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Tell whether a terminal has links (OSC 8): those that don't may show the address instead."""
    forced = environment.get("FORCE_HYPERLINK")
    if forced is not None:
        return forced != "0"
    if not stream.isatty() or environment.get("TERM") == "dumb":
        return False
    if environment.get("TERM_PROGRAM") in _LINKING_TERMINALS:
        return True
    vte = environment.get("VTE_VERSION", "")
    return (vte.isdecimal() and int(vte) >= _FIRST_VTE) or any(map(environment.get, _MARKS))
