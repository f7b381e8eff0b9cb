"""What every Python file knows without an import."""

from __future__ import annotations

BUILTINS = frozenset(
    """
    abs all any bool callable dict divmod enumerate filter float frozenset getattr hasattr id int
    isinstance iter len list map max min next object print range repr reversed round set setattr
    slice sorted str sum super tuple type zip
    """.split()
)
"""Built-in functions and types the analysis knows."""

LOOKING_ON = ("builtins.", "inspect.", "logging.", "math.", "os.", "warnings.")
"""Modules of Python's own whose functions move nothing, and call nothing that might.

Source: https://docs.python.org/3/library/index.html
"""

TYPE_FORMS = ("typing.", "typing_extensions.", "collections.abc.", "builtins.")
"""Where names come from that make a type of others, as `Optional[…]`."""
