"""What makes arrays of tensors does so by their own `__array__`, which fails on an accelerator."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.catalog.samples import ignore_warnings, member
from torchdev_lint.catalog import arrays
from torchdev_lint.linter import lint
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.source import Source


class ConvertedError(TypeError):
    """An array is made of a tensor that is not on the CPU."""


class Away(torch.Tensor):
    """A tensor of which no array can be made, as of one on an accelerator."""

    def numpy(self, *, force: bool = False) -> Any:
        """Refuse to be converted."""
        raise ConvertedError

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise ConvertedError


Arguments = Callable[[Any], tuple[Any, ...]]

MASK = np.array([[True, False], [False, True]])
ARGUMENTS: tuple[Arguments, ...] = (
    lambda t: (t,),
    lambda t: (t, t),
    lambda t: (t, 1),
    lambda t: (1, t),
    lambda t: (t, [0]),
    lambda t: (t, (4,)),
    lambda t: (t, (1, 0)),
    lambda t: (t, 0, 1),
    lambda t: (t, t, 1),
    lambda t: (t, [0.0, 1.0], [0.0, 1.0]),
    lambda t: (0, t),
    lambda t: (np.sort, 0, t),
    lambda t: (t, (2, 2)),
    lambda t: (MASK, t),
    lambda t: ([MASK], [t]),
    lambda t: ("ij,jk", t, t),
    lambda t: ("/dev/null", t),
    lambda t: (t, [MASK], [1]),
)
"""What functions are called with, beside a tensor or a list of some."""
SAMPLES = (
    torch.tensor([[4.0, 1.0], [1.0, 3.0]]),
    torch.tensor([[4, 1], [1, 3]]),
    torch.tensor([1.0, 2.0, 4.0]),
    torch.tensor([1, 2, 4]),
)

NUMPY = sorted(name for name in arrays.ARRAYS_OF_TENSORS if name.startswith("numpy."))
LISTS = sorted(name for name in arrays.ARRAYS_OF_LISTS if name.startswith("numpy."))


@pytest.fixture(autouse=True)
def _a_folder_to_write_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some functions write files."""
    monkeypatch.chdir(tmp_path)


def works(function: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
    """Whether a function takes arguments that are on the CPU."""
    try:
        function(*arguments)
    except Exception:  # whatever is wrong with them
        return False
    return True


def calls(function: Callable[..., Any], in_list: bool) -> Iterator[tuple[Any, ...]]:
    """Arguments with tensors that are away, with which the function works on the CPU."""
    for make in ARGUMENTS:
        for sample in SAMPLES:
            away = sample.as_subclass(Away)
            if works(function, make([sample, sample] if in_list else sample)):
                yield make([away, away] if in_list else away)


def makes_array(function: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
    """Whether a call makes an array of a tensor that is away."""
    try:
        function(*arguments)
    except ConvertedError:
        return True
    except Exception:  # whatever else is wrong
        return False
    return False


@ignore_warnings
@pytest.mark.parametrize("name", NUMPY)
def test_functions_make_arrays_of_tensors(name: str) -> None:
    """What stands first is always made one; some argument behind it may be a mere flag."""
    function = member(name)
    made = [(arguments, makes_array(function, arguments)) for arguments in calls(function, False)]
    assert any(verdict for _, verdict in made)
    assert all(verdict for arguments, verdict in made if isinstance(arguments[0], Away))


@ignore_warnings
@pytest.mark.parametrize("name", sorted(set(LISTS) - set(NUMPY)))
def test_functions_make_arrays_of_lists_only(name: str) -> None:
    """Of a tensor they call the method, whatever comes of that."""
    function = member(name)
    assert any(makes_array(function, arguments) for arguments in calls(function, True))
    assert not any(makes_array(function, arguments) for arguments in calls(function, False))


def _told(name: str) -> str:
    given = "x" if name in arrays.ARRAYS_OF_TENSORS else "[x, x]"
    return f"'there', {given}" if name in arrays.WRITE_ARRAYS else given


def test_each_name_leads_to_a_finding() -> None:
    """Being in its group is enough."""
    names = sorted(arrays.ARRAYS_OF_TENSORS | arrays.ARRAYS_OF_LISTS)
    imports = {f"import {name.rpartition('.')[0]}" for name in names}
    calls = [f"{name}({_told(name)})" for name in names]
    text = "\n".join([*imports, "import torch", "x = torch.ones(2).cuda()", *calls])
    found = lint(Source.from_text(text, "a.py"), ast.parse(text), EVERY_RULE)
    lines = text.splitlines()
    assert [lines[finding.span.line - 1] for finding in found] == calls


@ignore_warnings
@pytest.mark.parametrize("name", sorted(arrays.NEW_ARRAYS))
def test_what_is_new_is_no_tensor(name: str) -> None:
    """Also where the function is given one: some give a number then."""
    function = member(name)
    text = ["1 2", "3 4"]
    given = [(2,), (SAMPLES[2],), ([1.0, 2.0],), (0, 1), ((2,), 1.0), (b"12345678",), (text,)]
    made = [function(*arguments) for arguments in given if works(function, arguments)]
    assert made
    assert all(isinstance(each, (np.ndarray, np.generic, int, float)) for each in made)


@pytest.mark.parametrize("name", sorted(arrays.OF_ONE_NUMBER))
def test_what_is_made_of_one_number_has_no_dimensions(name: str) -> None:
    made = member(name)(1)
    assert np.ndim(made) == 0
    assert torch.as_tensor(made).dim() == 0


@ignore_warnings
@pytest.mark.parametrize("name", sorted(arrays.WITH_AXES))
def test_what_has_axes_has_some_whatever_it_is_made_of(name: str) -> None:
    function = member(name)
    numbers = np.array([1.0, 2.0])
    given: list[tuple[Any, ...]] = [
        (2,), (3.0, 2), (1, 2, 3), (numbers,), (numbers[0],), ([numbers, numbers],), (b"12345678",)
    ]  # fmt: skip
    made = [function(*arguments) for arguments in given if works(function, arguments)]
    assert made or name == "numpy.fromfile"
    assert all(np.ndim(each) > 0 for each in made)


@pytest.mark.parametrize("name", sorted(arrays.OF_A_SHAPE))
def test_what_is_made_of_a_shape_has_its_axes(name: str) -> None:
    function, rest = member(name), (1.0,) if name == "numpy.full" else ()
    assert [np.ndim(function(shape, *rest)) for shape in ((), 2, (2,), (2, 3))] == [0, 1, 1, 2]


def test_what_is_drawn_has_as_many_axes_as_its_size() -> None:
    for name in arrays.OF_SIZES:
        assert [np.ndim(member(name)(*sizes)) for sizes in ((), (2,), (2, 3))] == [0, 1, 2]
    for name, at in arrays.OF_A_SIZE.items():
        function = member(name)
        before: tuple[int, ...] = (2,) if name.endswith(("choice", "randint")) else ()
        assert [np.ndim(function(*before, size=s)) for s in (None, 2, (2, 3))] == [0, 1, 2]
        if at > len(before):
            before += (3,) * (at - len(before))
        assert np.ndim(function(*before, (2, 3))) == 2


@ignore_warnings
@pytest.mark.parametrize("name", sorted(arrays.OF_THE_SAME_AXES))
def test_what_is_computed_of_an_array_has_its_axes(name: str) -> None:
    rest: dict[str, tuple[Any, ...]] = {
        "numpy.clip": (0, 1), "numpy.expand_dims": (0,), "numpy.roll": (1,), "numpy.tile": (2,),
    }  # fmt: skip
    array = np.array([0.5, 0.25])
    assert np.ndim(member(name)(array, *rest.get(name, ()))) > 0


@ignore_warnings
@pytest.mark.parametrize("name", sorted(arrays.OF_ANY_AXES))
def test_what_is_computed_of_an_array_and_a_number_has_its_axes(name: str) -> None:
    array = np.array([2.0, 4.0])
    assert np.ndim(member(name)(array, 2.0)) == np.ndim(member(name)(2.0, array)) == 1


@pytest.mark.parametrize("name", sorted(arrays.SAME_AXES))
def test_methods_of_arrays_that_leave_them_their_axes(name: str) -> None:
    rest = {"astype": (float,), "clip": (0, 1), "repeat": (2,), "swapaxes": (0, 0)}
    assert np.ndim(getattr(np.array([0.5, 0.25]), name)(*rest.get(name, ()))) > 0
