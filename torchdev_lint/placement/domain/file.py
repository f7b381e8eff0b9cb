"""Which file code stands in."""

from __future__ import annotations


class File:
    """A file of the project, as the code in it is told apart from that of others.

    What is known of its text is no business of the domain.
    """

    __slots__ = ()
