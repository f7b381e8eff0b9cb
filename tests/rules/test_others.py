"""Rules that somebody else has installed, as the documentation tells how to write one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ..command import DISCARDED, ROOT, Result, flake8, lint

pytestmark = pytest.mark.slow
PAGE = (ROOT / "docs/rules-of-others.md").read_text(encoding="utf-8")
EXAMPLE, PROJECT = (re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.S | re.M)[0]
                    for kind in ("python", "toml"))  # fmt: skip
BAD = EXAMPLE.split('bad = """\\\n')[1].split('"""')[0]
GOOD = EXAMPLE.split('good = """\\\n')[1].split('"""')[0]


def install(site: Path, code: str, entry: str | None = None) -> dict[str, str]:
    """Install the example as an installer does, and return the environment that finds it."""
    info = site / "acme_rules-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (site / "acme_rules.py").write_text(code, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n")
    (entry_line,) = re.findall(r'^constants = "(.*)"$', PROJECT, re.M)
    assert '[project.entry-points."torchdev_lint.rules"]' in PROJECT
    entries = f"[torchdev_lint.rules]\nconstants = {entry or entry_line}\n"
    (info / "entry_points.txt").write_text(entries)
    return {"PYTHONPATH": os.pathsep.join([str(ROOT), str(site)])}


def run(path: Path, env: dict[str, str], *arguments: str) -> Result:
    return lint(*arguments, cwd=path, env=env)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    linted = tmp_path / "linted"
    linted.mkdir()
    (linted / "pyproject.toml").touch()
    (linted / "scale.py").write_text(BAD, encoding="utf-8")
    (linted / "good.py").write_text(GOOD, encoding="utf-8")
    return linted


def test_the_example_is_a_rule_like_all_others(folder: Path, tmp_path: Path) -> None:
    env = install(tmp_path / "site", EXAMPLE)
    found = run(folder, env, "--select", "ACME,TDL002", "scale.py")
    (shown,) = re.findall(r"^scale.py.*$", PAGE, re.M)
    assert found.code == 1
    assert found.out.splitlines()[0] == shown
    assert "TDL002" in found.out
    assert run(folder, env, "--select", "ACME,TDL002", "scale.py") == found  # from the cache
    assert run(folder, env, "--select", "ACME", "good.py").code == 0
    assert "constant-by-hand" not in run(folder, env, "--ignore", "constant-by-hand").out
    as_json = run(folder, env, "--select", "ACME001", "--output-format", "json", "scale.py")
    assert '"code": "ACME001"' in as_json.out and '"url": null' in as_json.out
    assert run(folder, env, "--explain", "ACME001").out.startswith("# constant-by-hand (ACME001)")
    assert "ACME001  constant-by-hand" in run(folder, env, "--list-rules").out


def test_the_example_can_be_installed_where_it_is_written(tmp_path: Path) -> None:
    """With what it is tried on beside it."""
    for name, text in {
        "acme_rules.py": EXAMPLE,
        "pyproject.toml": PROJECT,
        "scale.py": BAD,
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(site), "."]
    done = subprocess.run(pip, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    env = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(site)])}
    assert "scale.py:7:20: ACME001 " in run(tmp_path, env, "scale.py").out


def test_what_changes_in_a_rule_is_not_told_from_the_cache(folder: Path, tmp_path: Path) -> None:
    env = install(tmp_path / "site", EXAMPLE)
    assert "made by hand" in run(folder, env, "scale.py").out
    install(tmp_path / "site", EXAMPLE.replace("made by hand", "not made by us"))
    assert "not made by us" in run(folder, env, "scale.py").out
    assert "ACME001" not in run(folder, {}, "scale.py").out


BROKEN = {
    "no module": ("", "acme_rules.nowhere", "ModuleNotFoundError: "),
    "exits": ("raise SystemExit(0)", "acme_rules", "SystemExit: 0"),
    "no rule": ("x = 1", "acme_rules:x", "`acme_rules:x` is neither a rule nor a module of rules"),
    "ours": (EXAMPLE.replace("ACME001", "TDL999"), None, "`TDL999` can't be its code"),
    "taken": (EXAMPLE.replace('"constant-by-hand"', '"discarded-move"'), None,
              "`discarded-move` is the name of a rule of torchdev-lint"),
    "half": (EXAMPLE.replace("fix_safety", "fix_danger"), None,
             "`ConstantByHand.fix_safety` is no text"),
}  # fmt: skip


@pytest.mark.parametrize(("code", "entry", "words"), BROKEN.values(), ids=BROKEN)
def test_one_that_cannot_be_used_is_a_line(
    folder: Path, tmp_path: Path, code: str, entry: str | None, words: str
) -> None:
    done = run(folder, install(tmp_path / "site", code, entry))
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert "the rules of acme-rules 1.0 (torchdev_lint.rules) can't be used: " in line
    assert words in line


def test_flake8_is_told_of_it_too(folder: Path, tmp_path: Path) -> None:
    done = flake8("scale.py", cwd=folder, env=install(tmp_path / "site", "raise SystemExit(0)"))
    (line,) = done.err.splitlines()
    assert "the rules of acme-rules 1.0 (torchdev_lint.rules) can't be used: SystemExit" in line


def test_one_that_fails_is_a_line_for_the_file(folder: Path, tmp_path: Path) -> None:
    env = install(tmp_path / "site", EXAMPLE.replace("made = meeting.origin", "made = meeting.no"))
    (folder / "other.py").write_text(DISCARDED)
    done = run(folder, env)
    assert done.code == 2
    assert "TDL001" in done.out
    (line,) = (line for line in done.err.splitlines() if "Traceback" in line or "ACME" in line)
    assert line.startswith("scale.py: error: the rule ACME001 failed: AttributeError: ")
