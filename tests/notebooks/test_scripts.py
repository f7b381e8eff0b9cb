"""Scripts in cells, as editors run them: what is none of Python's is tolerated, as in notebooks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.conftest import Lint
from tests.config.projects import write

SCRIPT = """\
%load_ext autoreload
# %% [markdown]
# # Title
# %%
import torch
!nvidia-smi | grep "it's
files = !ls
# %%

%%bash
for x in *; do echo $x; done
# In[3]:
images = torch.randn(8, 3)
torch.randn?
%time images.to("cuda")
"""
FOUND = "script.py:15:7: TDL001"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_magics_are_tolerated(tmp_path: Path, lint: Lint, end: str) -> None:
    (tmp_path / "script.py").write_bytes(SCRIPT.replace("\n", end).encode())
    result = lint()
    assert (result.code, result.err) == (1, "")
    assert result.out.startswith(FOUND)


def test_only_the_edited_line_changes(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"script.py": SCRIPT})
    assert lint("--fix").code == 0
    assert (tmp_path / "script.py").read_text() == SCRIPT.replace("images.to", "images = images.to")


def test_comments_silence(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"script.py": SCRIPT})
    assert lint("--add-noqa").out == "Silenced 1 finding in 1 file.\n"
    silenced = SCRIPT.replace('"cuda")\n', '"cuda")  # noqa: TDL001\n')
    assert (tmp_path / "script.py").read_text() == silenced
    assert lint().code == 0
    own = silenced.replace("noqa: TDL001", "torchdev-lint: ignore[TDL001]")
    write(tmp_path, {"script.py": own.replace("it's", "'''")})
    assert lint().code == 0


def test_what_is_wrong_with_python_is_told(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"script.py": SCRIPT + "def f(:\n"})
    assert lint().err.startswith("script.py:16:7: error: syntax error: ")


def test_without_cells_a_magic_is_no_python(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"script.py": "import torch\n%matplotlib inline\n"})
    assert lint().err.startswith("script.py:2:1: error: syntax error: ")
