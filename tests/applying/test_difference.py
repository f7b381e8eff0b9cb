"""`--diff` writes patches that git and patch take, whatever the file is like."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from tests.command import DISCARDED, ROOT, start

pytestmark = pytest.mark.slow

FIXED = DISCARDED.replace("images.to", "images = images.to")
WORDS = "# größe\n"

FORMS = {
    "plain": (DISCARDED.encode(), FIXED.encode()),
    "utf-8": tuple((WORDS + text).encode() for text in (DISCARDED, FIXED)),
    "byte order mark": tuple((WORDS + text).encode("utf-8-sig") for text in (DISCARDED, FIXED)),
    "latin-1": tuple(
        ("# coding: latin-1\n" + WORDS + text).encode("latin-1") for text in (DISCARDED, FIXED)
    ),
    "CRLF": tuple(text.replace("\n", "\r\n").encode() for text in (DISCARDED, FIXED)),
    "CR": tuple(text.replace("\n", "\r").encode() for text in (DISCARDED, FIXED)),
    "some CR among LF": tuple(text.replace("\n", "\r", 2).encode() for text in (DISCARDED, FIXED)),
    "no newline at the end": tuple(text.rstrip().encode() for text in (DISCARDED, FIXED)),
    "the last line without a newline": tuple(
        text.partition("print")[0].rstrip().encode() for text in (DISCARDED, FIXED)
    ),
    "CRLF without the last": tuple(
        text.replace("\n", "\r\n").rstrip().encode() for text in (DISCARDED, FIXED)
    ),
    "form feeds and other separators": tuple(
        text.replace("\nprint", "\n\f\ny = 'a\x1cb\u2028c\x85d'\nprint").encode()
        for text in (DISCARDED, FIXED)
    ),
}
LOCALES = {
    "C": {"LC_ALL": "C"},
    "C without UTF-8": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "latin-1": {"PYTHONIOENCODING": "latin-1:strict"},
    "utf-16": {"PYTHONIOENCODING": "utf-16"},
}


def difference(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> bytes:
    """Return what `--diff` writes in a folder."""
    whole = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
    with open(os.devnull, "rb") as nothing, TemporaryFile() as out, TemporaryFile() as err:
        streams = nothing.fileno(), out.fileno(), err.fileno()
        code = start(["torchdev_lint", "--diff", *arguments], folder, whole, *streams)()
        out.seek(0)
        err.seek(0)
        assert code == 1, err.read()
        return out.read()


def apply(folder: Path, patch: bytes, *command: str) -> None:
    """Feed a patch to a program."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        input=patch,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A git repository with a folder in it."""
    apply(tmp_path, b"", "git", "init", "-q")
    (tmp_path / "src").mkdir()
    return tmp_path


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("command", ["git apply", "patch -p1 --binary"])
def test_any_file(repository: Path, name: str, command: str) -> None:
    if shutil.which(command.split()[0]) is None:
        pytest.skip(f"needs {command}")
    before, after = FORMS[name]
    path = repository / "src" / "a.py"
    path.write_bytes(before)
    apply(repository, difference(repository), *command.split())
    assert path.read_bytes() == after


@pytest.mark.parametrize("locale", LOCALES)
def test_in_any_locale(repository: Path, locale: str) -> None:
    names = ["utf-8", "byte order mark", "latin-1", "CR", "CRLF"]
    for name in names:
        (repository / "src" / f"{name}.py").write_bytes(FORMS[name][0])
    apply(repository, difference(repository, env=LOCALES[locale]), "git", "apply")
    for name in names:
        assert (repository / "src" / f"{name}.py").read_bytes() == FORMS[name][1]


@pytest.mark.parametrize("locale", ["C", "C without UTF-8"])
def test_any_name(repository: Path, locale: str) -> None:
    names = ["two words", "größe", "a\ttab", 'a"quote', "back\\slash", "line\nend"]
    for name in names:
        (repository / "src" / f"{name}.py").write_text(DISCARDED)
    apply(repository, difference(repository, env=LOCALES[locale]), "git", "apply")
    for name in names:
        assert (repository / "src" / f"{name}.py").read_text() == FIXED


@pytest.mark.parametrize("given", [[], ["."], ["a.py"], ["./a.py"]])
def test_from_a_folder_below(repository: Path, given: list[str]) -> None:
    path = repository / "src" / "a.py"
    path.write_text(DISCARDED)
    apply(path.parent, difference(path.parent, *given), "git", "apply")
    assert path.read_text() == FIXED


def test_several_files_in_one_patch(repository: Path) -> None:
    for number, (before, _) in enumerate(FORMS.values()):
        (repository / f"m{number:02}.py").write_bytes(before)
    apply(repository, difference(repository), "git", "apply")
    for number, (_, after) in enumerate(FORMS.values()):
        assert (repository / f"m{number:02}.py").read_bytes() == after


@pytest.mark.parametrize("place", ["{0}", "{0}/src/a.py", "../{1}/src", "src/../src/a.py"])
def test_however_the_path_is_written(repository: Path, place: str) -> None:
    path = repository / "src" / "a.py"
    path.write_text(DISCARDED)
    patch = difference(repository, place.format(repository, repository.name))
    assert patch.startswith(b"--- a/src/a.py\n+++ b/src/a.py\n")
    apply(repository, patch, "git", "apply")
    assert path.read_text() == FIXED


@pytest.mark.parametrize("given", ["..", "../a.py", "{0}"])
def test_a_file_elsewhere_has_its_whole_name(repository: Path, given: str) -> None:
    path = repository / "a.py"
    path.write_text(DISCARDED)
    patch = difference(repository / "src", given.format(repository))
    assert patch.startswith(b"--- a" + os.fsencode(path) + b"\n")
    apply(repository, patch, "patch", "-p1", "-d", "/")
    assert path.read_text() == FIXED
