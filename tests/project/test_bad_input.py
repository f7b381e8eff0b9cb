"""Files around one that are not as they should be: it is linted all the same."""

from __future__ import annotations

import ast
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .test_imports import MAIN, MASKS, lines, write

USE = MAIN.format(imports="import torch\nfrom masks import mask", mask="mask() + torch.ones(4)")
KNOWN = ("TDL002", 13)


def _link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def _circle_of_links(path: Path) -> None:
    path.symlink_to("other.py")
    path.with_name("other.py").symlink_to(path.name)


def _broken_link(path: Path) -> None:
    path.symlink_to("nowhere.py")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "mask.py").mkdir()


def _not_text(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00mask = 3")


def _too_large(path: Path) -> None:
    path.write_text(MASKS + "# nothing\n" * 200_000)


def _too_deep(path: Path) -> None:
    path.write_text("mask = " + "(" * 5_000 + ")" * 5_000 + "\n")


@pytest.mark.parametrize(
    "make",
    [
        _link_to_itself,
        _circle_of_links,
        _broken_link,
        _pipe,
        _folder,
        _not_text,
        _too_large,
        _too_deep,
    ],
)
def test_what_cant_be_read_is_out_of_sight(tmp_path: Path, make: object) -> None:
    assert callable(make)
    write(tmp_path, {"main.py": USE})
    make(tmp_path / "masks.py")
    assert lines(tmp_path) == [KNOWN]


def test_folders_that_link_to_each_other(tmp_path: Path) -> None:
    """A package that holds itself is imported as far as the import says, and no further."""
    main = USE.replace("from masks", "from package.package.package.masks")
    write(tmp_path, {"main.py": main, "package/__init__.py": "", "package/masks.py": MASKS})
    (tmp_path / "package/package").symlink_to(tmp_path / "package")
    assert lines(tmp_path) == [("TDL002", 13), ("TDL002", 13)]


@pytest.mark.slow
def test_ten_thousand_modules_in_a_circle(tmp_path: Path) -> None:
    """It takes a few times as long as reading and parsing them, on any machine."""
    count = 10_000
    (tmp_path / "pyproject.toml").touch()
    for number in range(count):
        after = (number + 1) % count
        text = f"import torch\nfrom m{after} import *\nfrom m{after} import mask\n"
        (tmp_path / f"m{number}.py").write_text(text)
    (tmp_path / "main.py").write_text(USE.replace("masks", "m0"))
    reading = _seconds(lambda: [ast.parse(path.read_bytes()) for path in tmp_path.glob("*.py")])
    found: list[tuple[str, int]] = []
    linting = _seconds(lambda: found.extend(lines(tmp_path)))
    assert found == [KNOWN]
    assert linting < 15 * reading


def test_modules_that_import_all_of_each_other(tmp_path: Path) -> None:
    """There are more ways from one to another than can be gone: each is asked once for a name."""
    (tmp_path / "pyproject.toml").touch()
    names = [f"m{number}" for number in range(9)]
    for name in names:
        stars = "".join(f"from {other} import *\n" for other in names if other != name)
        (tmp_path / f"{name}.py").write_text(f"import torch\n{stars}")
    with (tmp_path / "m7.py").open("a") as last:
        last.write(MASKS)
    use = USE.replace("from masks import mask", "from m0 import *")
    missing = "".join(f"nobody_has_{number}()\n" for number in range(20))
    (tmp_path / "main.py").write_text(use + missing)
    found: list[tuple[str, int]] = []
    assert _seconds(lambda: found.extend(lines(tmp_path))) < 5
    assert KNOWN in found


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@pytest.mark.parametrize(
    ("imported", "others"),
    [
        ("masks", {"masks.py": "from main import Kind\n"}),
        ("main", {}),
        ("masks", {"masks.py": "from more import Kind\n", "more.py": "from main import Kind\n"}),
    ],
    ids=["another file", "itself", "two others"],
)
def test_a_name_that_is_imported_in_a_circle(
    tmp_path: Path, imported: str, others: dict[str, str]
) -> None:
    """No file of the circle binds it: a library may be meant that is called as one of them."""
    text = f"import torch\nfrom {imported} import Kind\n\n\ndef moved(x: Kind):\n"
    text += "    y = torch.ones(3)\n    y.cuda()\n    return x + y\n"
    write(tmp_path, {"pyproject.toml": "", "main.py": text, **others})
    assert lines(tmp_path) == [("TDL001", 7)]


@pytest.mark.parametrize("name", ["types", "io", "logging", "random", "copy"])
def test_modules_named_like_those_of_the_standard_library(tmp_path: Path, name: str) -> None:
    """In a package they are its own; at the top Python's own come first."""
    layer = "import torch\nfrom torch import nn\n\n\ndef mask():\n    return torch.zeros(4, 4)\n"
    inside = USE.replace("from masks", f"from .{name}")
    by_name = USE.replace("from masks", f"from package.{name}")
    files = {
        f"package/{name}.py": layer,
        "package/__init__.py": "",
        "package/net.py": inside,
        "main.py": by_name,
        f"{name}.py": "def mask(:\n",
        "top.py": USE.replace("from masks", f"from {name}"),
    }
    write(tmp_path, files)
    assert lines(tmp_path, "package/net.py") == [KNOWN, KNOWN]
    assert lines(tmp_path) == [KNOWN, KNOWN]
    assert lines(tmp_path, "top.py") == [KNOWN]
