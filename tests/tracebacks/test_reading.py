"""Tracebacks are read as they are found, whoever has written them."""

from __future__ import annotations

import json

import pytest

from torchdev_lint.tracebacks.reading import Frame, Traceback, tracebacks_in

MESSAGE = (
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
)
PYTHON = f"""\
Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
    main()
  File "/home/me/train.py", line 9, in main
    loss = model(x) + offset
           ~~~~~~~~~^~~~~~~~
RuntimeError: {MESSAGE}
"""
OUTER = Frame("/home/me/train.py", 12, "<module>", "main()")
INNER = Frame("/home/me/train.py", 9, "main", "loss = model(x) + offset", (7, 24))
FOUND = Traceback((OUTER, INNER), "RuntimeError", MESSAGE)


def places(text: str) -> list[list[tuple[str, int]]]:
    """The files and lines of the tracebacks in a text."""
    return [[(frame.path, frame.line) for frame in found.frames] for found in tracebacks_in(text)]


def prefixed(prefix: str, text: str = PYTHON) -> str:
    """A text with something before each line."""
    return "".join(f"{prefix}{line}\n" for line in text.splitlines())


def test_pythons_own() -> None:
    assert tracebacks_in(PYTHON) == [FOUND]


@pytest.mark.parametrize(
    "prefix",
    [
        "[rank0]: ",
        "2024-05-01 12:00:00,123 ERROR ",
        "2024-05-01T12:00:00.123Z [rank3]:[ERROR] ",
        "(RayTrainWorker pid=4021, ip=10.0.0.3) ",
        "0: ",
    ],
)
def test_behind_what_a_log_puts_before_each_line(prefix: str) -> None:
    assert tracebacks_in(prefixed(prefix)) == [FOUND]


def test_what_comes_behind_in_a_log_is_no_part_of_the_message() -> None:
    behind = "\nThe above exception was the direct cause of the following exception:\n"
    text = prefixed("2024-05-01 node-3 [rank2]: ", PYTHON + behind)
    assert tracebacks_in(text) == [FOUND]


@pytest.mark.parametrize(
    "behind",
    ["Epoch 0:   0%|          | 0/4 [00:01<?]", "2026-11-23 10:00:05 INFO bye", "[WARNING] bye"],
)
def test_what_goes_on_behind_an_error(behind: str) -> None:
    assert tracebacks_in(f"{PYTHON}{behind}\n") == [FOUND]


@pytest.mark.parametrize(
    "line",
    [
        json.dumps({"level": "error", "message": "é", "exc_info": PYTHON}),
        f"2024-05-01 ERROR {PYTHON!r}",
    ],
)
def test_in_one_line_of_a_log(line: str) -> None:
    assert tracebacks_in(f"start\n{line}\nend\n") == [FOUND]


def test_several_processes_that_fail_alike_are_one() -> None:
    both = zip(prefixed("[rank0]: ").splitlines(), prefixed("[rank1]: ").splitlines(), strict=True)
    interleaved = "\n".join(line for pair in both for line in pair)
    assert tracebacks_in(interleaved) == [FOUND]


def test_several_processes_that_fail_apart() -> None:
    other = PYTHON.replace("line 9", "line 8").replace("loss = ", "loss += ")
    lines = zip(
        prefixed("[rank0]: ").splitlines(), prefixed("[rank1]: ", other).splitlines(), strict=True
    )
    assert places("\n".join(line for pair in lines for line in pair)) == [
        [("/home/me/train.py", 12), ("/home/me/train.py", 9)],
        [("/home/me/train.py", 12), ("/home/me/train.py", 8)],
    ]


def test_colours_and_windows() -> None:
    text = (
        "\x1b[31mTraceback (most recent call last):\x1b[0m\r\n"
        '  File "\x1b[35mC:\\work\\train.py\x1b[0m", line \x1b[35m9\x1b[0m, '
        "in \x1b[35mmain\x1b[0m\r\n"
        "    loss = model(x)\r\n"
        f"\x1b[1;35mRuntimeError\x1b[0m: \x1b[35m{MESSAGE}\x1b[0m\r\n"
    )
    frame = Frame("C:\\work\\train.py", 9, "main", "loss = model(x)")
    assert tracebacks_in(text) == [Traceback((frame,), "RuntimeError", MESSAGE)]


def test_pytest_long() -> None:
    text = f"""\
    def test_step():
>       step(model())

test_step.py:12:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def forward(self, x):
>       return x + self.noise
E       RuntimeError: {MESSAGE}

src/model.py:8: RuntimeError
=========================== short test summary info ============================
FAILED test_step.py::test_step - RuntimeError: {MESSAGE}
"""
    (found,) = tracebacks_in(text)
    assert [(f.path, f.line) for f in found.frames] == [("test_step.py", 12), ("src/model.py", 8)]
    assert (found.type, found.message) == ("RuntimeError", MESSAGE)


def test_pytest_long_with_marks() -> None:
    text = f"""\
    def test_step():
>       step(model())
        ^^^^^^^^^^^^^

test_step.py:12:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def forward(self, x):
>       return x + self.noise
               ^^^^^^^^^^^^^^
E       RuntimeError: {MESSAGE}

src/model.py:8: RuntimeError
"""
    (found,) = tracebacks_in(text)
    assert found.frames == (
        Frame("test_step.py", 12, "", "step(model())", (0, 13)),
        Frame("src/model.py", 8, "", "return x + self.noise", (7, 21)),
    )


def test_pytest_where_the_test_itself_fails() -> None:
    text = f"""\
    def test_add():
        shift = torch.ones(3)
>       assert (image + shift).sum() > 0
                ^^^^^^^^^^^^^
E       RuntimeError: {MESSAGE}

test_add.py:7: RuntimeError
"""
    frame = Frame("test_add.py", 7, "", "assert (image + shift).sum() > 0", (8, 21))
    assert tracebacks_in(text) == [Traceback((frame,), "RuntimeError", MESSAGE)]


def test_pytest_short() -> None:
    text = f"""\
test_step.py:12: in test_step
    step(model())
src/model.py:8: in forward
    return x + self.noise
           ^^^^^^^^^^^^^^
E   RuntimeError: {MESSAGE}
"""
    (found,) = tracebacks_in(text)
    assert found.frames == (
        Frame("test_step.py", 12, "test_step", "step(model())"),
        Frame("src/model.py", 8, "forward", "return x + self.noise", (7, 21)),
    )
    assert found.message == MESSAGE


def test_pytest_in_one_line() -> None:
    assert tracebacks_in(f"/home/me/model.py:8: RuntimeError: {MESSAGE}\n") == [
        Traceback((Frame("/home/me/model.py", 8),), "RuntimeError", MESSAGE)
    ]


def test_rich_as_lightning_shows_it() -> None:
    text = f"""\
╭─────────── Traceback (most recent call last) ────────────╮
│ /home/me/train.py:12 in <module>                         │
│                                                          │
│   11                                                     │
│ ❱ 12 main()                                              │
│                                                          │
│ /home/me/model.py:9 in training_step                     │
╰──────────────────────────────────────────────────────────╯
RuntimeError: {MESSAGE[:50]}
{MESSAGE[51:]}
"""
    (found,) = tracebacks_in(text)
    assert [(f.path, f.line) for f in found.frames] == [
        ("/home/me/train.py", 12),
        ("/home/me/model.py", 9),
    ]
    assert found.message == MESSAGE


def test_ipython() -> None:
    text = f"""\
---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Cell In[3], line 1
----> 1 main()

File ~/train.py:9, in main()
      8 x = batch
----> 9 loss = model(x) + offset

RuntimeError: {MESSAGE}
"""
    (found,) = tracebacks_in(text)
    assert found.frames == (
        Frame("3", 1, "", "main()", is_cell=True),
        Frame("~/train.py", 9, "main", "loss = model(x) + offset"),
    )
    assert found.message == MESSAGE


def test_one_that_was_raised_while_another_was_handled() -> None:
    text = (
        PYTHON
        + "\nDuring handling of the above exception, another exception occurred:\n\n"
        + PYTHON.replace("RuntimeError", "ValueError").replace(MESSAGE, "no loss")
    )
    assert [found.type for found in tracebacks_in(text)] == ["RuntimeError", "ValueError"]


def test_one_of_a_worker_that_another_process_tells() -> None:
    inner = PYTHON.replace("Traceback", "Original Traceback")
    text = (
        "Traceback (most recent call last):\n"
        '  File "/home/me/run.py", line 3, in <module>\n'
        "    for batch in loader:\n"
        "RuntimeError: Caught RuntimeError in DataLoader worker process 0.\n" + inner
    )
    assert places(text)[-1] == [("/home/me/train.py", 12), ("/home/me/train.py", 9)]


@pytest.mark.parametrize("text", ["", "hello", "RuntimeError: x", "File a.py", "\x00\x1b[", "a:1:"])
def test_what_is_none(text: str) -> None:
    assert tracebacks_in(text) == []
