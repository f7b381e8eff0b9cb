"""Edits keep the formatting there is, and every byte outside of them."""

from __future__ import annotations

import pytest

from tests.applying.fixing import fixed, fixed_text
from tests.command import FIXTURES
from torchdev_lint.applying.call import with_argument
from torchdev_lint.change import CannotEdit

CALLS = [
    ("f()", "f(device=d)"),
    ("f(3)", "f(3, device=d)"),
    ("f(3, 4)", "f(3, 4, device=d)"),
    ("f(3,)", "f(3, device=d,)"),
    ("f( 3, 4 )", "f( 3, 4, device=d )"),
    ("f(3, dtype=x)", "f(3, dtype=x, device=d)"),
    ("f(3, dtype = x)", "f(3, dtype = x, device = d)"),
    ("f(*shape)", "f(*shape, device=d)"),
    ("f(**options)", "f(**options, device=d)"),
    ("f(i for i in x)", "f((i for i in x), device=d)"),
    ("f([i for i in x])", "f([i for i in x], device=d)"),
    ("a.b.f(g(1), h(2))", "a.b.f(g(1), h(2), device=d)"),
    ("a\\\n    .f(1)", "a\\\n    .f(1, device=d)"),
    ("f(\n)", "f(\ndevice=d)"),
    ("f(\n    3,\n    4,\n)", "f(\n    3,\n    4,\n    device=d,\n)"),
    ("f(\n    3,\n    4\n)", "f(\n    3,\n    4,\n    device=d\n)"),
    ("f(\n    3, 4\n)", "f(\n    3, 4, device=d\n)"),
    ("f(\n    3, 4,\n)", "f(\n    3, 4, device=d,\n)"),
    ("f(\n    3\n)", "f(\n    3,\n    device=d\n)"),
    ("f(\n    3,\n    4)", "f(\n    3,\n    4,\n    device=d)"),
    ("f(3,\n  4)", "f(3,\n  4,\n  device=d)"),
    ("f(3, 4,\n  5, 6)", "f(3, 4,\n  5, 6, device=d)"),
    ("f(\n    3,  # rows\n    4,  # columns\n)",
     "f(\n    3,  # rows\n    4,  # columns\n    device=d,\n)"),
    ("f(\n    3,  # rows\n    4  # columns\n)",
     "f(\n    3,  # rows\n    4,  # columns\n    device=d\n)"),
    ("f(\n    3,\n    # the width\n    4,\n    # no more\n)",
     "f(\n    3,\n    # the width\n    4,\n    # no more\n    device=d,\n)"),
    ("f(\r\n    3,\r\n    4,\r\n)", "f(\r\n    3,\r\n    4,\r\n    device=d,\r\n)"),
    ("f(\n\t3,\n\t4,\n)", "f(\n\t3,\n\t4,\n\tdevice=d,\n)"),
    ("f('''a\n  b''', 1)", "f('''a\n  b''', 1, device=d)"),
    ("f(lambda: 1)", "f(lambda: 1, device=d)"),
    ("f(x := 3)", "f(x := 3, device=d)"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), CALLS, ids=[repr(call) for call, _ in CALLS])
def test_an_argument_is_added_as_the_call_is_written(call: str, expected: str) -> None:
    assert with_argument(call, "device=d") == expected


@pytest.mark.parametrize("text", ["f", "f(1", "f(1)(", "x = f(1)", "f(1) + 2", "f(1), g(2)", ""])
def test_what_is_no_call_is_refused(text: str) -> None:
    with pytest.raises(CannotEdit):
        with_argument(text, "device=d")


PROGRAM = """\
import torch

images = torch.randn(8, 3)
images.to("cuda")
print(images.device)
"""


def moved(text: str) -> str:
    return text.replace("images.to", "images = images.to")


class TestBytes:
    @pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
    def test_line_endings(self, newline: str) -> None:
        text = PROGRAM.replace("\n", newline)
        assert fixed(text).source.data.decode() == moved(text)

    @pytest.mark.parametrize("newline", ["\r\n", "\r"])
    def test_line_endings_in_what_is_written_anew(self, newline: str) -> None:
        text = (FIXTURES / "TDL006" / "flagged_two_attributes.py").read_text("utf-8")
        expected = fixed_text(text)
        assert '"deviation", (  # expect: TDL006\n' in expected
        assert fixed_text(text.replace("\n", newline)) == expected.replace("\n", newline)

    def test_mixed_line_endings(self) -> None:
        text = PROGRAM.replace("\n", "\r\n", 2)
        assert fixed(text).source.data.decode() == moved(text)

    def test_a_byte_order_mark(self) -> None:
        data = b"\xef\xbb\xbf" + PROGRAM.encode()
        assert fixed(data).source.data == b"\xef\xbb\xbf" + moved(PROGRAM).encode()

    @pytest.mark.parametrize("codec", ["latin-1", "cp1252", "utf-8", "shift_jis", "koi8-r"])
    def test_encodings(self, codec: str) -> None:
        note = {"shift_jis": "日本", "koi8-r": "привет"}.get(codec, "größe")
        text = f"# -*- coding: {codec} -*-\n# {note}\n{PROGRAM}# {note}\n"
        assert fixed(text.encode(codec)).source.data == moved(text).encode(codec)

    @pytest.mark.parametrize("end", ["", "\n", "\n\n\n", "   ", "\n\f\n", "\n# end", "\r"])
    def test_the_end_of_the_file(self, end: str) -> None:
        text = PROGRAM.rstrip() + end
        assert fixed(text).source.data.decode() == moved(text)

    def test_odd_whitespace(self) -> None:
        text = "\f\n" + PROGRAM.replace("images.to(", "images.to(  ").replace("3)", "3)  \t ")
        assert fixed_text(text) == moved(text)

    def test_other_characters_on_the_line(self) -> None:
        text = PROGRAM.replace("images.to", 'print("größe 日本 😀"); images.to')
        assert fixed_text(text).splitlines()[3] == (
            'print("größe 日本 😀"); images.to("cuda")'.replace("images", "images = images")
        )

    def test_a_semicolon_behind(self) -> None:
        text = PROGRAM.replace('("cuda")', '("cuda"); print(1)  # note')
        assert fixed_text(text) == moved(text)


class TestSuppression:
    @pytest.mark.parametrize("comment", ["noqa", "noqa: TDL001", "NOQA:TDL", "noqa: E501,TDL001"])
    def test_a_silenced_line_is_not_touched(self, comment: str) -> None:
        text = PROGRAM.replace('("cuda")', f'("cuda")  # {comment}')
        assert fixed_text(text) == text

    def test_a_silenced_line_that_the_fix_of_another_would_change(self) -> None:
        text = (
            "import torch\nfrom torch import nn\n\nmodel = nn.Linear(4, 2).cuda()\n"
            "x = torch.randn(1, 4)  # noqa: TDL005\nprint(model(x))\n"
        )
        assert fixed_text(text) == text

    def test_a_comment_about_something_else_is_no_obstacle(self) -> None:
        text = PROGRAM.replace('("cuda")', '("cuda")  # noqa: E501')
        assert fixed_text(text) == moved(text)

    def test_a_silenced_file_is_not_touched(self) -> None:
        text = "# flake8: noqa\n" + PROGRAM
        assert fixed_text(text) == text
