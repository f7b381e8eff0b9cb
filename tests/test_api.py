"""The interface for programs finds and mends what the command does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import torchdev_lint
from tests.command import lint as run_command

BAD = """\
import torch

images = torch.randn(8, 3)
images.to("cuda")
"""
GOOD = BAD.replace('images.to("cuda")', 'images = images.to("cuda")')


def test_findings_of_a_text() -> None:
    (finding,) = torchdev_lint.check_source(BAD)
    assert (finding.code, finding.name, finding.span.line) == ("TDL001", "discarded-move", 4)
    assert torchdev_lint.check_source(GOOD) == ()


def test_a_text_is_fixed() -> None:
    fixed = torchdev_lint.fix_source(BAD)
    assert fixed.text == GOOD
    assert [finding.code for finding in fixed.fixed] == ["TDL001"]
    assert fixed.left == ()


def test_what_only_an_unsafe_fix_mends_is_left() -> None:
    text = "import torch\nimport torch.nn as nn\n\n\nclass Net(nn.Module):\n"
    text += "    def forward(self, x):\n        return nn.Linear(4, 2)(x)\n"
    safe, unsafe = (torchdev_lint.fix_source(text, unsafe=each) for each in (False, True))
    assert (safe.text, [finding.code for finding in safe.left]) == (text, ["TDL003"])
    assert unsafe.text != text
    assert unsafe.left == ()


def test_a_text_in_another_encoding_stays_in_it() -> None:
    text = "# -*- coding: latin-1 -*-\n# é\n" + BAD
    assert torchdev_lint.fix_source(text).text == text.replace(BAD, GOOD)


def test_a_text_without_pytorch_has_nothing() -> None:
    assert torchdev_lint.check_source("x = 1\n") == ()
    assert torchdev_lint.fix_source("x = 1\n").text == "x = 1\n"


def test_a_text_that_is_no_python() -> None:
    with pytest.raises(torchdev_lint.CannotCheck, match=r"a\.py:1:.*syntax error"):
        torchdev_lint.check_source("import torch (\n", "a.py")


def test_files_have_the_findings_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "broken.py").write_text("import torch (\n")
    reports = torchdev_lint.check([tmp_path])
    assert [Path(report.path).name for report in reports] == ["bad.py", "broken.py", "good.py"]
    found = [(f.code, f.span.line, f.message) for report in reports for f in report.findings]
    told = json.loads(run_command("--output-format=json", str(tmp_path), cwd=tmp_path).out)
    assert found == [
        (each["code"], each["location"]["row"], each["message"])
        for each in told
        if each["code"].startswith("TDL")
    ]
    assert [report.problem is not None for report in reports] == [False, True, False]


def test_settings_hold_unless_isolated(tmp_path: Path) -> None:
    (tmp_path / "torchdev-lint.toml").write_text('ignore = ["TDL001"]\n')
    place = str(tmp_path / "train.py")
    assert torchdev_lint.check_source(BAD, place) == ()
    assert len(torchdev_lint.check_source(BAD, place, isolated=True)) == 1


def test_imports_are_followed_from_where_a_text_lies(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text("import torch\n\n\ndef made():\n    return torch.ones(3)\n")
    text = "import torch\nfrom made import made\n\nx = made()\nx.to('cuda')\n"
    assert [f.code for f in torchdev_lint.check_source(text, str(tmp_path / "a.py"))] == ["TDL001"]


def test_the_package_alone_imports_nothing_of_it() -> None:
    code = "import sys, torchdev_lint; print([m for m in sys.modules if 'torchdev_lint.' in m])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_every_name_is_there() -> None:
    for name in torchdev_lint.__all__:
        assert getattr(torchdev_lint, name) is not None
