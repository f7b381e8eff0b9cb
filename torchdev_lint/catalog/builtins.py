"""What every Python file knows without an import."""

from __future__ import annotations

import builtins

BUILTINS = frozenset(
    """
    abs all any bool callable dict divmod enumerate filter float frozenset getattr hasattr
    id input int isinstance iter len list map max min next object print range repr reversed round
    set setattr slice sorted str sum super tuple type vars zip
    """.split()
)
"""Built-in functions and types the analysis knows."""

AFTER_FIELDS = ("__post_init__", "__attrs_post_init__")
"""Methods that a constructor made of fields calls when these are set: of data classes and attrs.

Source: https://docs.python.org/3/library/dataclasses.html#post-init-processing
"""
CONSTRUCTING = frozenset({"__init__", *AFTER_FIELDS})
"""Methods that are called where an object is built, and nowhere else."""

BUILT_IN = frozenset(dir(builtins)).union(
    """
    BaseExceptionGroup EncodingWarning ExceptionGroup PythonFinalizationError WindowsError
    __annotations__ copyright credits exit license quit
    """.split()
)
"""All that is built in: here, on some systems, since some version, or by the module `site`."""

FILLING = frozenset("append appendleft extend extendleft insert add update setdefault".split())
"""Methods of lists, sets and dicts that put something into them."""

READING = frozenset({"copy", "count", "get", "index", "items", "keys", "values"})
"""Methods of lists, tuples and dicts that leave them as they are."""

CHANGING = FILLING.union("clear discard pop popitem popleft remove reverse rotate sort".split())
"""All that change them."""

PYTHON_2 = frozenset(
    """
    apply basestring buffer cmp coerce execfile file intern long raw_input reduce reload unichr
    unicode xrange
    """.split()
)
"""Built in once: older programs read them.
Source: https://docs.python.org/3/whatsnew/3.0.html"""

BROUGHT = frozenset(
    """
    __builtins__ __cached__ __file__ __path__
    _ dbutils display get_ipython reveal_type spark
    """.split()
)
"""What a module has by itself, or interactive shells, notebooks, translations and checkers of types
bring along."""

THERE = BUILT_IN | PYTHON_2 | BROUGHT | {"__class__"}
"""All that a function may read though nothing in its file binds it; a method its class besides.

Source: https://docs.python.org/3/reference/datamodel.html#creating-the-class-object
"""

COPYING = frozenset({"copy", "deepcopy"})
"""Functions that copy what they are given.

Source: https://docs.python.org/3/library/copy.html
"""

LOOKING_ON = ("builtins.", "inspect.", "logging.", "math.", "os.", "warnings.")
"""Modules of Python's own whose functions move nothing, and call nothing that might.

Source: https://docs.python.org/3/library/index.html
"""

TYPE_FORMS = ("typing.", "typing_extensions.", "collections.abc.", "builtins.")
"""Where names come from that make a type of others, as `Optional[…]`."""
