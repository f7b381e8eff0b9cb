"""Packages that load their members only when they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_imports import MAIN, MASKS, lines, write

WAYS = {
    "imports in __getattr__": """
        def __getattr__(name):
            if name == "mask":
                from .inner import mask

                return mask
            raise AttributeError(name)
        """,
    "a name that is asked for": """
        import importlib

        def __getattr__(name):
            if name in ("mask", "moved"):
                return getattr(importlib.import_module(".inner", __name__), name)
            raise AttributeError(name)
        """,
    "a table of modules": """
        import importlib

        _MODULES = {"mask": "inner", "missing": "nowhere"}

        def __getattr__(name):
            if name in _MODULES:
                module = importlib.import_module("." + _MODULES[name], __package__)
                return getattr(module, name)
            raise AttributeError(name)
        """,
    "a table with other names": """
        from importlib import import_module

        _WHERE = {"mask": (".inner", "made")}

        def __getattr__(name):
            module, member = _WHERE[name]
            return getattr(import_module(module, __name__), member)
        """,
    "lazy_loader": """
        import lazy_loader as lazy

        __getattr__, __dir__, __all__ = lazy.attach(__name__, submod_attrs={"inner": ["mask"]})
        """,
    "an object in its place": """
        import sys
        from package.late import LazyModule

        _structure = {"other": ["nothing"]}
        try:
            import torch
        except ImportError:
            pass
        else:
            _structure["inner"] = ["moved"]
            _structure["inner"].extend(["mask"])
        sys.modules[__name__] = LazyModule(__name__, globals()["__file__"], _structure)
        """,
    "an object in its place, with imports for type checkers": """
        import sys
        from typing import TYPE_CHECKING
        from package.late import LazyModule, structure_of

        if TYPE_CHECKING:
            from .inner import *
        else:
            sys.modules[__name__] = LazyModule(__name__, structure_of(__file__))
        """,
    "over two packages": """
        def __getattr__(name):
            from .again import mask

            return mask
        """,
}
INNER = MASKS + "\n\ndef made():\n    return torch.zeros(4, 4)\n"


@pytest.mark.parametrize("package", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("mask", ["mask()", "other()"])
def test_ways_to_load_late(tmp_path: Path, package: str, mask: str) -> None:
    imported = "mask" if mask == "mask()" else "mask as other"
    files = {
        "main.py": MAIN.format(imports=f"from package import {imported}", mask=mask),
        "package/__init__.py": package,
        "package/inner.py": INNER,
        "package/again/__init__.py": "__getattr__ = late({'mask': '..inner'})\n",
    }
    write(tmp_path, files)
    assert lines(tmp_path) == [("TDL002", 12)]


def test_what_nothing_tells_is_out_of_sight(tmp_path: Path) -> None:
    """Names that come from anywhere, a circle, and a table in a module that loads nothing late."""
    packages = [
        "def __getattr__(name):\n    return find(name)\n",
        "def __getattr__(name):\n    from package import mask\n    return mask\n",
        "def __getattr__(name):\n    from package.circle import mask\n    return mask\n",
        "TABLE = {'mask': 'inner'}\n",
        "__getattr__ = late({'mask': 'nowhere', 3: 'inner', **more})\n",
    ]
    main = MAIN.format(imports="from package import mask", mask="mask()")
    circle = "def __getattr__(name):\n    from package import mask\n    return mask\n"
    files = {"main.py": main, "package/inner.py": MASKS, "package/circle.py": circle}
    for package in packages:
        write(tmp_path, {**files, "package/__init__.py": package})
        assert lines(tmp_path) == []
