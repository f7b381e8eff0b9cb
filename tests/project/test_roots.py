"""Where a project begins: at a mark, and else where its imports lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchdev_lint.project.roots import folders_up

Files = dict[str, str]


def beginning(folder: Path, files: Files, of: str) -> str:
    """Where the project of a folder begins, as seen from one without anything else in it.

    It lies so deep that nothing is looked for in the folders of others.
    """
    folder = folder.joinpath(*"abcdef")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    top = folders_up(str(folder / of))[-1]
    return Path(top).relative_to(folder).as_posix()


@pytest.mark.parametrize(
    ("files", "of", "begins"),
    [
        pytest.param({"a/setup.py": "", "a/b/c/net.py": ""}, "a/b/c", "a", id="mark"),
        pytest.param({"a/train.py": "", "a/nets/net.py": ""}, "a/nets", "a/nets", id="nothing"),
        pytest.param(
            {"a/train.py": "import nets.net\n", "a/nets/net.py": ""}, "a/nets", "a", id="program"
        ),
        pytest.param(
            {"a/train.py": "import utils\n", "a/utils/x.py": "", "a/nets/net.py": ""},
            "a/nets",
            "a",
            id="program-with-another-folder",
        ),
        pytest.param(
            {"a/train.py": "import utils\n", "a/utils/x.png": "", "a/nets/net.py": ""},
            "a/nets",
            "a/nets",
            id="a-folder-without-code",
        ),
        pytest.param(
            {"a/train.py": "import helpers\n", "a/helpers.py": "", "a/nets/net.py": ""},
            "a/nets",
            "a/nets",
            id="programs-beside-each-other",
        ),
        pytest.param(
            {"a/utils/x.py": "", "a/nets/net.py": "def f():\n    from utils.x import *\n"},
            "a/nets",
            "a",
            id="from-below",
        ),
        pytest.param(
            {"a/common.py": "", "a/nets/net.py": "import common as c, os\n"},
            "a/nets",
            "a",
            id="file-from-below",
        ),
        pytest.param(
            {"a/utils/x.py": "", "a/nets/utils/y.py": "", "a/nets/net.py": "import utils.x\n"},
            "a/nets",
            "a/nets",
            id="its-own-comes-first",
        ),
        pytest.param(
            {"a/utils/x.py": "", "a/code/nets/__init__.py": "import utils.x\n"},
            "a/code/nets",
            "a",
            id="package",
        ),
        pytest.param(
            {"a/core/x.py": "", "a/one/two/three/net.py": "from core import x\n"},
            "a/one/two/three",
            "a",
            id="several-folders-up",
        ),
        pytest.param(
            {"a/torch/x.py": "", "a/json.py": "", "a/nets/net.py": "import torch.x, json\n"},
            "a/nets",
            "a/nets",
            id="libraries",
        ),
        pytest.param(
            {"draw.py": "import tools.plot\n", "tools/plot.py": "", "net-a/net.py": ""},
            "net-a",
            "net-a",
            id="a-project-among-others",
        ),
        pytest.param(
            {"net-a/__init__.py": "", "net-a/nets/__init__.py": "", "net-b/train.py": ""},
            "net-a/nets",
            "net-a",
            id="no-package",
        ),
        pytest.param(
            {"a/utils/x.py": "", "a/nets/net.py": "from .utils.x import y\n"},
            "a/nets",
            "a/nets",
            id="relative",
        ),
    ],
)
def test_beginning(tmp_path: Path, files: Files, of: str, begins: str) -> None:
    assert beginning(tmp_path, files, of) == begins


def test_a_folder_that_collects_files_tells_nothing(tmp_path: Path) -> None:
    files = {f"a/{number}.py": "import nets.net\n" for number in range(201)}
    assert beginning(tmp_path, files | {"a/nets/net.py": ""}, "a/nets") == "a/nets"
