"""The action for GitHub's workflows: its steps, run by the shell that runs them there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command import CLEAN, DISCARDED, ROOT, Result
from tests.shipped.contents import PACKAGE, files_of_the_package

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
INPUT = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")
MADE = re.compile(r"\$\{\{ steps\.([a-z]+)\.outputs\.([a-z-]+) \}\}")


def step(name: str) -> dict[str, Any]:
    return next(step for step in STEPS if step.get("name") == name)


def run(name: str, cwd: Path, made: dict[str, str], inputs: dict[str, str]) -> Result:
    """Run a step as GitHub does: its script in a file, what it is given in the environment.

    Args:
        name: the step.
        cwd: the root of the checkout.
        made: what earlier steps have put out, by step and name.
        inputs: what the workflow says; the others have their defaults.
    """

    def filled(text: str) -> str:
        values = {key: value["default"] for key, value in ACTION["inputs"].items()} | inputs
        text = INPUT.sub(lambda found: values[found[1]], text)
        return MADE.sub(lambda found: made[f"{found[1]}.{found[2]}"], text)

    chosen, temporary = step(name), cwd.parent / "runner"
    temporary.mkdir(exist_ok=True)
    script = temporary / "script.sh"
    script.write_text(chosen["run"])
    env = {key: filled(value) for key, value in chosen["env"].items()}
    here = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    here |= {
        "RUNNER_TEMP": str(temporary),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(temporary / "output"),
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        cwd=cwd / filled(chosen.get("working-directory", ".")),
        env={**here, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder of somebody's project."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    return folder


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """What the first steps leave: here, a folder with the command as it stands in this checkout."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "torchdev-lint"
    command.write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m torchdev_lint "$@"\n'
    )
    command.chmod(0o755)
    return {"install.folder": str(folder)}


def test_findings_become_annotations_and_fail_the_step(
    checkout: Path, installed: dict[str, str]
) -> None:
    (checkout / "train.py").write_text(DISCARDED)
    done = run("Lint", checkout, installed, {})
    assert done.code == 1
    assert re.match(r"::error title=torchdev-lint \(TDL001\),file=\S+train\.py,line=4,", done.out)
    (checkout / "train.py").write_text(CLEAN)
    done = run("Lint", checkout, installed, {})
    assert (done.code, done.out) == (0, "")


def test_a_report_is_written_from_a_folder_with_all_options(
    checkout: Path, installed: dict[str, str]
) -> None:
    folder = checkout / "py thon"
    folder.mkdir()
    for name in ("a b.py", "c.py", "left out.py"):
        (folder / name).write_text(DISCARDED)
    inputs = {
        "working-directory": "py thon",
        "paths": "a b.py\nc.py\n",
        "args": "--exit-zero\n--config=severity={ TDL001 = 'warning' }\n",
        "output-format": "sarif",
        "output-file": "the report.sarif",
    }
    done = run("Lint", checkout, installed, inputs)
    assert done.code == 0, done.err
    results = json.loads((folder / "the report.sarif").read_text())["runs"][0]["results"]
    places = [result["locations"][0]["physicalLocation"]["artifactLocation"] for result in results]
    assert [place["uri"] for place in places] == ["a%20b.py", "c.py"]
    assert {result["level"] for result in results} == {"warning"}


def test_nothing_that_is_put_in_is_run(checkout: Path, installed: dict[str, str]) -> None:
    (checkout / "train.py").write_text(CLEAN)
    trick = '"; touch stolen #$(touch stolen)`touch stolen`'
    for inputs in ({"paths": trick}, {"args": trick}, {"output-format": trick}):
        done = run("Lint", checkout, installed, inputs)
        assert done.code == 2
        assert "touch stolen" in done.err
    run("Lint", checkout, installed, {"output-file": "$(touch stolen)"})
    assert not list(checkout.rglob("stolen"))
    assert (checkout / "$(touch stolen)").exists()
    assert run("Lint", checkout, installed, {"paths": "--fix"}).err.startswith("--fix: error: no")


def test_scripts_hold_no_expressions() -> None:
    """What GitHub puts into a script before it is run could be shell code."""
    assert not [step for step in STEPS if "${{" in step.get("run", "")]


def test_every_input_is_described_and_used() -> None:
    used = set(INPUT.findall(json.dumps(STEPS)))
    assert used == set(ACTION["inputs"])
    assert all(each["description"].endswith(".") for each in ACTION["inputs"].values())


@pytest.mark.slow
def test_it_installs_itself_whole_and_nothing_else(checkout: Path, tmp_path: Path) -> None:
    done = run("Install torchdev-lint", checkout, {"python.python-path": sys.executable}, {})
    assert done.code == 0, done.out + done.err
    folder = (tmp_path / "runner" / "output").read_text().strip().partition("folder=")[2]
    (checkout / "train.py").write_text(DISCARDED)
    assert run("Lint", checkout, {"install.folder": folder}, {}).code == 1
    (record,) = Path(folder).parent.rglob("torchdev_lint-*.dist-info/RECORD")
    names = {line.partition(",")[0] for line in record.read_text().splitlines()}
    names = {name for name in names if "__pycache__" not in name}
    others = {name.partition("/")[0] for name in names if not name.startswith(f"{PACKAGE}/")}
    assert others == {"..", record.parent.name}  # `..` leads to the folder of the command
    assert {name for name in names if name.startswith(f"{PACKAGE}/")} == files_of_the_package()
