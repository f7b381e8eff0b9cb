"""`torchdev-lint explain-error`: what caused a device error, and what to change."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from torchdev_lint.cli import main

from ..notebooks.made import notebook, written

PROGRAM = """\
import torch
from torch import nn
from elsewhere import load


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        noise = torch.randn(4)
        return self.layer(x) + noise


def train(net, wanted):
    criterion = nn.MSELoss()
    wanted = load(wanted)
    return criterion(net(torch.ones(3, 4, device="cuda")), wanted)


train(Net().cuda(), "wanted.pt")
"""
MESSAGE = (
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
)

TWO_CAUSES = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda")
model = nn.Linear(4, 2).to(device)
data = DataLoader(TensorDataset(torch.randn(32, 4), torch.randint(0, 2, (32,))))
loss = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))
for x, y in data:
    x = x.to(device)
    out = model(x)
    value = loss(out, y)
"""
PASSED = """\
import torch
from torch import nn


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(100, 8)
        self.positions = nn.Embedding(100, 8)

    def forward(self, tokens):
        positions = torch.arange(tokens.shape[1])
        return self.words(tokens) + self.positions(positions)


"""
PASSES = """\
import torch
from net import Embedder
from torch.utils.data import DataLoader, TensorDataset

model = Embedder().to("cuda")
for (tokens,) in DataLoader(TensorDataset(torch.zeros(8, 4, dtype=torch.long))):
    model(tokens)
"""
PASSED_ON = """\
Traceback (most recent call last):
  File "train.py", line 7, in <module>
    model(tokens)
  File "net.py", line 13, in forward
    return self.words(tokens) + self.positions(positions)
"""
CELLS = f"""\
---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Cell In[3], line 2
      1 model = torch.nn.Linear(3, 3).to("cuda")
----> 2 out = model(images)

File /opt/lib/python3.11/site-packages/torch/nn/modules/module.py:1739, in Module._wrapped_call_impl
   1738 else:
-> 1739     return self._call_impl(*args, **kwargs)

RuntimeError: {MESSAGE}
"""
"""What IPython shows of an error in a cell of a notebook."""
MAKES = "import torch\nimages = torch.randn(2, 3)\n"
CALLS = 'model = torch.nn.Linear(3, 3).to("cuda")\nout = model(images)\n'


def line_of(text: str) -> int:
    """The line of the program that begins with a text."""
    return next(n for n, s in enumerate(PROGRAM.splitlines(), 1) if s.strip().startswith(text))


def traceback(*lines: str, path: str = "net.py", error: str = f"RuntimeError: {MESSAGE}") -> str:
    """A traceback through lines of the program that begin with some texts."""
    calls = "".join(
        f'  File "{path}", line {line_of(line)}, in f\n'
        f"    {PROGRAM.splitlines()[line_of(line) - 1].strip()}\n"
        for line in lines
    )
    return f"Traceback (most recent call last):\n{calls}{error}\n"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program, in the current folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "net.py"
    path.write_text(PROGRAM)
    return path


def explained(text: str, capsys: pytest.CaptureFixture[str], code: int = 0) -> str:
    """What the command says of a traceback in a file; on stderr, if that is the exit code 2."""
    Path("error.log").write_text(text, encoding="utf-8")
    assert main(["explain-error", "error.log"]) == code
    printed = capsys.readouterr()
    assert (printed.out if code == 2 else printed.err) == ""
    return printed.err if code == 2 else printed.out


@pytest.mark.usefixtures("program")
class TestCertain:
    def test_the_line_and_the_fix(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = explained(traceback("train(", "return criterion", "return self.layer"), capsys)
        failed, made = line_of("return self.layer"), line_of("noise")
        assert out.startswith(
            f"RuntimeError: {MESSAGE}\nat net.py:{failed} in f:\n    return self.layer(x) + noise\n"
        )
        assert "\non the CPU: `noise`\non the accelerator: `self.layer`" in out
        assert f"\nThe cause is at net.py:{made}:17 (TDL002):\n" in out
        assert f"`noise` at {failed}:32 is a tensor on the CPU\n" in out
        assert (
            "\n-        noise = torch.randn(4)\n+        noise = torch.randn(4, device=x.device)\n"
            in out
        )

    def test_the_way_shown_is_that_of_the_value_blamed(
        self, program: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        program.write_text(TWO_CAUSES)
        line = TWO_CAUSES.splitlines().index("    value = loss(out, y)") + 1
        text = f'  File "net.py", line {line}, in <module>\n    value = loss(out, y)\n'
        out = explained(
            f"Traceback (most recent call last):\n{text}RuntimeError: {MESSAGE}\n", capsys
        )
        of_label = out[out.index("(TDL004)") :]
        assert f"`y` at {line}:23 is " in of_label
        assert "`loss` at" not in of_label

    @pytest.mark.parametrize(
        ("argument", "first", "second"),
        [("weight", "TDL012", "TDL004"), ("target", "TDL004", "TDL012")],
    )
    def test_the_argument_that_the_message_names_comes_first(
        self,
        argument: str,
        first: str,
        second: str,
        program: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        program.write_text(TWO_CAUSES)
        line = TWO_CAUSES.splitlines().index("    value = loss(out, y)") + 1
        call = f'  File "net.py", line {line}, in <module>\n    value = loss(out, y)\n'
        text = f"but got {argument} is on cpu, different from other tensors on cuda:0"
        error = f"RuntimeError: {MESSAGE.replace('but found', text + ' (')}"
        out = explained(f"Traceback (most recent call last):\n{call}{error}\n", capsys)
        assert out.index(f"({first})") < out.index(f"({second})")

    def test_what_was_passed_to_where_it_failed(
        self, program: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        program.write_text(PASSED)
        program.with_name("train.py").write_text(PASSES)
        marked = PASSED_ON + "           ^^^^^^^^^^^^^^^^^^\n"
        out = explained(f"{marked}RuntimeError: {MESSAGE}\n", capsys)
        assert "\non the CPU: `tokens`\non the accelerator: `self.words`\n" in out
        assert "The cause is at train.py:6:6 (TDL004):\n" in out
        assert "\n`tokens` at 7:11 is " in out

    def test_a_path_of_another_machine(self, capsys: pytest.CaptureFixture[str]) -> None:
        text = traceback("return self.layer", path="/workspace/job-17/net.py")
        assert f"The cause is at net.py:{line_of('noise')}:17" in explained(text, capsys)

    def test_frames_of_installed_packages_are_passed_over(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        text = traceback("return self.layer").replace(
            "RuntimeError",
            '  File "/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", line 1, in f\n'
            "RuntimeError",
        )
        assert f"\nat net.py:{line_of('return self.layer')} in f" in explained(text, capsys)

    def test_a_finding_that_is_silenced(
        self, program: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        program.write_text(PROGRAM.replace("randn(4)", "randn(4)  # noqa"))
        assert "The cause is at" in explained(traceback("return self.layer"), capsys)

    def test_the_fix_can_be_applied_as_it_is_printed(
        self, program: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = explained(traceback("return self.layer"), capsys)
        patch = out[out.index("--- a/net.py") :]
        hunk = [line for line in patch.splitlines()[3:] if line[:1] in {"+", " "}]
        assert "\n".join(line[1:] for line in hunk) in program.read_text().replace(
            "torch.randn(4)", "torch.randn(4, device=x.device)"
        )


@pytest.mark.usefixtures("program")
class TestCandidates:
    def test_what_is_not_known_with_what_to_print(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = explained(traceback("train(", "return criterion"), capsys)
        line = line_of("return criterion")
        assert "It is not certain what the cause is. The likely ones first:" in out
        assert f"\n1. `wanted` at {line}:60 is not known\n" in out
        assert f"  To know, put this before line {line} of net.py: print(wanted.device)\n" in out
        assert "The cause is" not in out

    def test_two_findings_with_what_to_print(
        self, program: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        program.write_text(PASSED)
        program.with_name("train.py").write_text(PASSES)
        out = explained(f"{PASSED_ON}RuntimeError: {MESSAGE}\n", capsys)
        assert "\nnot known, or not always the same: `tokens`\n" in out
        questions = [line for line in out.splitlines() if line.startswith("  To know, ")]
        assert questions == [
            "  To know, put this before line 13 of net.py: print(positions.device)",
            "  To know, put this before line 7 of train.py: print(tokens.device)",
        ]
        assert "\n1. at net.py:12:21 (TDL002):\n" in out
        assert "\n2. at train.py:6:6 (TDL004):\n" in out
        assert "\n3. " not in out

    def test_a_file_that_has_changed_since(
        self, program: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        text = traceback("return self.layer")
        program.write_text(PROGRAM.replace("+ noise", "+ noise.abs()"))
        out = explained(text, capsys)
        assert "net.py has changed since: it has no such line any more." in out
        assert "The cause is" not in out

    def test_a_line_that_stands_somewhere_else_now(
        self, program: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        text = traceback("return self.layer")
        program.write_text("# A comment\n\n" + PROGRAM)
        out = explained(text, capsys)
        assert f"The cause is at net.py:{line_of('noise') + 2}:17 (TDL002)" in out

    @pytest.mark.parametrize(
        ("error", "said"),
        [
            ("AttributeError: 'list' object has no attribute 'to'", "what the container holds"),
            ("ValueError: can't optimize a non-leaf Tensor", "it has to be moved first"),
        ],
    )
    def test_errors_that_say_themselves_what_is_wrong(
        self, error: str, said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = explained(traceback("from elsewhere", error=error), capsys, code=1)
        assert said in out.splitlines()[-1]

    def test_nothing_to_say(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = explained(traceback("from elsewhere"), capsys, code=1)
        assert out.endswith(
            "Nothing that takes part in it is known to be on the CPU, or not known.\n"
        )


@pytest.mark.usefixtures("program")
class TestInput:
    @pytest.mark.parametrize("arguments", [[], ["-"]])
    def test_standard_input(
        self,
        arguments: list[str],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        data = traceback("return self.layer").encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert main(["explain-error", *arguments]) == 0
        assert "The cause is at" in capsys.readouterr().out

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1"])
    def test_encodings(self, encoding: str, capsys: pytest.CaptureFixture[str]) -> None:
        Path("error.log").write_bytes(("é\n" + traceback("return self.layer")).encode(encoding))
        assert main(["explain-error", "error.log"]) == 0
        assert "The cause is at" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "there is no traceback in it"),
            ("hello\nworld\n", "there is no traceback in it"),
            (
                traceback("train(", error="ValueError: no loss"),
                "the traceback ends in a ValueError, which is no device error",
            ),
            (traceback("train(", path="/other/gone.py"), "/other/gone.py is not here"),
            (
                traceback("train(", path="/v/lib/python3.11/site-packages/a.py"),
                "no call in the traceback is in a file of yours",
            ),
            (
                CELLS,
                "the traceback doesn't say which notebook its cells are of; "
                "`torchdev-lint explain-error NOTEBOOK.ipynb` reads those that it keeps",
            ),
            (traceback("train(", path="broken.py"), "broken.py: syntax error: invalid syntax"),
        ],
    )
    def test_what_can_not_be_explained(
        self, text: str, message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        Path("broken.py").write_text("x =\n")
        assert explained(text, capsys, code=2) == f"error.log: error: {message}\n"

    def test_a_file_that_is_not_there(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain-error", "absent.log"]) == 2
        assert capsys.readouterr().err.startswith("absent.log: error: cannot be read: ")


@pytest.mark.usefixtures("program")
class TestNotebooks:
    def test_the_one_in_the_folder_with_such_lines(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        Path("other.ipynb").write_text(written(MAKES))
        Path("work.ipynb").write_text(written(MAKES, "#md", CALLS))
        out = explained(CELLS, capsys)
        assert "\nat work.ipynb:cell 3:2:\n    out = model(images)\n" in out
        assert "The cause is at work.ipynb:cell 1:2:10 (TDL005):\n" in out
        assert "\n`images` at cell 3:2:13 is a tensor on the CPU\n" in out
        assert '\n+    "out = model(images.to(' in out

    def test_more_than_one_has_such_lines(self, capsys: pytest.CaptureFixture[str]) -> None:
        for name in ("a.ipynb", "b.ipynb"):
            Path(name).write_text(written(MAKES, CALLS))
        assert "doesn't say which notebook" in explained(CELLS, capsys, code=2)

    def test_what_one_keeps(self, capsys: pytest.CaptureFixture[str]) -> None:
        content = notebook(MAKES, CALLS, "out = model(images)")
        error = {
            "output_type": "error",
            "ename": "",
            "evalue": "",
            "traceback": CELLS.split("\n\n"),
        }
        content["cells"][1]["outputs"] = [{"output_type": "stream", "text": ["3"]}, error]
        for name in ("a.ipynb", "b.ipynb"):
            Path(name).write_text(json.dumps(content))
        assert main(["explain-error", "b.ipynb"]) == 0
        assert "\nat b.ipynb:cell 2:2:\n" in capsys.readouterr().out

    @pytest.mark.parametrize("text", [written(MAKES), "", "[]", '{"cells": 3}', '{"cells": [3]}'])
    def test_none_is_kept(self, text: str, capsys: pytest.CaptureFixture[str]) -> None:
        Path("a.ipynb").write_text(text)
        assert main(["explain-error", "a.ipynb"]) == 2
        assert capsys.readouterr().err == "a.ipynb: error: there is no traceback in it\n"


@pytest.mark.usefixtures("program")
class TestSettings:
    def test_what_is_set_for_the_file_holds(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("torchdev-lint.toml").write_text('device-expression = ["self.where"]')
        out = explained(traceback("train(", "return criterion", "return self.layer"), capsys)
        assert "noise = torch.randn(4, device=self.where)" in out

    def test_what_is_ignored_is_explained_all_the_same(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        text = traceback("train(", "return criterion", "return self.layer")
        before = explained(text, capsys)
        Path("torchdev-lint.toml").write_text('ignore = ["TDL"]')
        assert explained(text, capsys) == before

    def test_settings_that_are_wrong(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("torchdev-lint.toml").write_text("ignor = 3")
        err = explained(traceback("return self.layer"), capsys, code=2)
        assert err.startswith("torchdev-lint.toml:1: error: `ignor`: there is no such setting")
