"""Which functions give back what they are handed, told from their text."""

from __future__ import annotations

import ast

import pytest

from torchdev_lint.syntax.handing_back import HandingBack

BACK = {
    "itself": "def f(g):\n    g.__doc__ = 'x'\n    return g",
    "on each path": "def f(g):\n    if a:\n        return g\n    else:\n        return g",
    "by another": "def h(x, g):\n    return g\ndef f(g):\n    return h(1, g)",
    "by an inner one": "def f(g=None):\n    def h(g):\n        return g\n"
    "    if g:\n        return h(g)\n    return h",
    "through a wrapper": "def f(g):\n    def w(a, *b, c, **d):\n        print(a)\n"
    "        return g(a, *b, c=c, **d)\n    return w",
}
NOT_BACK = {
    "something else": "def f(g):\n    return 1",
    "at times": "def f(g):\n    if a:\n        return g",
    "bound anew": "def f(g):\n    g = 1\n    return g",
    "with another method": "def f(g):\n    g.forward = 1\n    return g",
    "with an attribute by name": "def f(g):\n    setattr(g, a, 1)\n    return g",
    "handed to an argument": "def f(g, table):\n    table.add(g)\n    return g",
    "what a wrapper changes": "def f(g):\n    def w(*a):\n        return g(*a).cpu()\n    return w",
    "other arguments": "def f(g):\n    def w(a, b):\n        return g(b, a)\n    return w",
    "under another context": "def f(g):\n    def w(*a):\n        with c:\n"
    "            return g(*a)\n    return w",
    "what another function makes of it": "def f(g):\n    return h(g)",
    "a generator": "def f(g):\n    yield\n    return g",
    "in a circle": "def f(g):\n    return f(g)",
}


@pytest.mark.parametrize("source", BACK.values(), ids=BACK)
def test_a_function_is_handed_back(source: str) -> None:
    assert _told(source).hands_back(_last(source), is_class=False)


@pytest.mark.parametrize("source", NOT_BACK.values(), ids=NOT_BACK)
def test_it_may_be_another(source: str) -> None:
    assert not _told(source).hands_back(_last(source), is_class=False)


def test_what_it_is_decides() -> None:
    source = "def f(g):\n    if isinstance(g, type):\n        return g\n    return None"
    assert _told(source).hands_back(_last(source), is_class=True)
    assert not _told(source).hands_back(_last(source), is_class=False)


def test_settings_come_first() -> None:
    inner = "    def h(g):\n        return g\n"
    source = f"def f(a=None, *, b):\n{inner}    if a:\n        return 1\n    return h"
    assert _told(source).makes_decorator(_last(source), is_class=False)
    assert not _told(source).hands_back(_last(source), is_class=False)


def test_what_is_set_of_a_class() -> None:
    source = "def f(c):\n    c.forward = 1\n    setattr(c, 'step', 2)\n    return c"
    assert _told(source).replaced_by(_last(source)) == frozenset({"forward", "step"})
    by_name = "def f(c):\n    setattr(c, name, 2)\n    return c"
    assert _told(by_name).replaced_by(_last(by_name)) is None


_TREES: dict[str, ast.Module] = {}


def _tree(source: str) -> ast.Module:
    return _TREES.setdefault(source, ast.parse(source))


def _told(source: str) -> HandingBack:
    return HandingBack(_tree(source))


def _last(source: str) -> ast.stmt:
    return _tree(source).body[-1]
