"""The tools that stand on the metadata: a codemod for libcst's, and a rule for Fixit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import libcst as cst
import pytest
from libcst.codemod import CodemodContext, SkipFile

from torchdev_lint.codemod import FixDevicePlacement

from ..command import CLEAN, DISCARDED, FIXTURES

FIXED = sorted(FIXTURES.glob("TDL[01]*/*.safe.fixed"))[::8]


@pytest.mark.parametrize("fixed", FIXED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_codemod_makes_what_the_command_makes(fixed: Path) -> None:
    path = fixed.with_name(fixed.name.replace(".safe.fixed", ".py"))
    context = CodemodContext(filename=str(path))
    before = cst.parse_module(path.read_bytes())
    assert FixDevicePlacement(context).transform_module(before).bytes == fixed.read_bytes()


def test_the_codemod_leaves_alone_what_is_right() -> None:
    module = cst.parse_module(CLEAN)
    assert FixDevicePlacement(CodemodContext()).transform_module(module).code == CLEAN


def test_unsafe_fixes_are_made_if_wanted() -> None:
    (path, *_) = sorted(FIXTURES.glob("TDL003/*.unsafe.fixed"))
    source = path.with_name(path.name.replace(".unsafe.fixed", ".py"))
    codemod = FixDevicePlacement(CodemodContext(filename=str(source)), unsafe_fixes=True)
    after = codemod.transform_module(cst.parse_module(source.read_bytes()))
    assert after.bytes == path.read_bytes()


def test_settings_that_cannot_be_read_skip_the_file(tmp_path: Path) -> None:
    (tmp_path / "torchdev-lint.toml").write_text("select = 5\n")
    context = CodemodContext(filename=str(tmp_path / "train.py"))
    with pytest.raises(SkipFile, match="select"):
        FixDevicePlacement(context).transform_module(cst.parse_module(DISCARDED))


@pytest.mark.slow
def test_the_codemod_is_run_by_libcst_itself(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(DISCARDED)
    name = "torchdev_lint.codemod.FixDevicePlacement"
    command = ["libcst.tool", "codemod", "-x", "--no-format", name, str(path)]
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert 'images = images.to("cuda")\n' in path.read_text()


@pytest.mark.slow
def test_fixit_reports_and_fixes(tmp_path: Path) -> None:
    pytest.importorskip("fixit", reason="needs the extra `test`")
    path = tmp_path / "train.py"
    path.write_text("import torch\n\n\ndef add(x: torch.Tensor):\n    return x + torch.zeros(3)\n")
    settings = '[tool.fixit]\nroot = true\nenable = ["torchdev_lint.fixit"]\n'
    (tmp_path / "pyproject.toml").write_text(settings + 'disable = ["fixit.rules"]\n')

    def fixit(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "fixit", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    assert "train.py@5:15 DevicePlacement: TDL016 `torch.zeros` makes" in fixit("lint", "train.py")
    fixit("fix", "--automatic", "train.py")
    assert "torch.zeros(3, device=x.device)" in path.read_text()
    assert "OK" in fixit("test", "torchdev_lint.fixit")
