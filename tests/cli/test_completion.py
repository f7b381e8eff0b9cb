"""Shells complete options, formats and rules."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from torchdev_lint.cli import main
from torchdev_lint.rules import ALL_RULES

pytest.importorskip("shtab", reason="needs the extra `completion`")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--output-f"], {"--output-format", "--output-file"}),
        (["--output-format", "sar"], {"sarif"}),
        (["--explain", "discarded"], {"discarded-move"}),
        (["--select", "TDL00"], {rule.code for rule in ALL_RULES if rule.code.startswith("TDL00")}),
    ],
)
def test_bash(
    words: list[str], expected: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--print-completion", "bash"]) == 0
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out)
    line = " ".join(["torchdev-lint", *words])
    program = (
        f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; "
        "_shtab_torchdev_lint; echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=False)
    assert set(done.stdout.split()) == expected, done.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish", "tcsh"])
def test_other_shells(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--print-completion", shell]) == 0
    assert "output-format" in capsys.readouterr().out


def test_a_shell_that_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--print-completion", "ksh"])
    assert "--print-completion knows these shells: bash" in capsys.readouterr().err
