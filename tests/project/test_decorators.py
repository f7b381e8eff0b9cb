"""What decorators make of what they stand before, in whatever file they are defined."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_imports import findings, write

DECORATORS = """
import contextlib
import functools
import torch

FOUND = {}


def register(name):
    def decorator(function):
        FOUND[name] = function
        return function

    return decorator


class Registry:
    def __init__(self):
        self.found = {}

    def register(self, name=None):
        def decorator(function):
            self.found[name or function.__name__] = function
            return function

        return decorator

    def __call__(self, function):
        self.found[function.__name__] = function
        return function


def optional(function=None, *, name=""):
    if function is None:
        return functools.partial(optional, name=name)
    return function


def either(argument):
    if callable(argument):
        return argument

    def decorator(function):
        return function

    return decorator


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        print(function.__name__)
        result = function(*args, **kwargs)
        print("done")
        return result

    return wrapper


def named(function):
    def wrapper(n):
        return function(n)

    return functools.wraps(function)(wrapper)


def without_gradients(function):
    def wrapper(*args):
        with torch.no_grad():
            return function(*args)

    return wrapper


def moved(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs).to("cuda")

    return wrapper


def forgiving(function):
    def wrapper(*args):
        try:
            return function(*args)
        except RuntimeError:
            return None

    return wrapper


def on_the_device(function):
    def wrapper(*args):
        with torch.device("cuda"):
            return function(*args)

    return wrapper


def from_the_host(function):
    def wrapper(x):
        return function(x.cpu())

    return wrapper


class Cached:
    def __init__(self, function):
        self.function = function
"""
MAIN = """
import torch
from torch import nn
{imports}


{decorator}
def mask(n):
    return torch.zeros(n)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        x = self.linear(x)
        return x + mask(4)
"""


def found(folder: Path, main: str, elsewhere: bool) -> list[tuple[str, str]]:
    """What is found in a program whose decorators stand in it, or in another file."""
    imports = "from decorators import *" if elsewhere else DECORATORS
    write(folder, {"main.py": main.replace("{imports}", imports), "decorators.py": DECORATORS})
    text = (folder / "main.py").read_text().splitlines()
    return [(finding.code, text[finding.span.line - 1].strip()) for finding in findings(folder)]


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize(
    ("decorator", "known"),
    [
        ("@register('mask')", True),
        ("@Registry().register('mask')", True),
        ("@Registry().register()", True),
        ("@Registry()", True),
        ("@optional", True),
        ("@optional(name='mask')", True),
        ("@either", True),
        ("@either('mask')", True),
        ("@logged", True),
        ("@register('mask')\n@logged\n@functools.lru_cache", True),
        ("@named", True),
        ("@without_gradients", True),
        ("@moved", False),
        ("@logged\n@moved", False),
        ("@forgiving", True),
        ("@on_the_device", False),
        ("@Cached", False),
        ("@[logged][0]", True),
        ("@{}['logged']", False),
    ],
)
def test_what_a_decorated_function_gives(
    tmp_path: Path, decorator: str, known: bool, elsewhere: bool
) -> None:
    """It is what the decorator's function gives, whether that stands here or in another file."""
    main = MAIN.replace("{decorator}", "import functools\n" + decorator)
    expected = [("TDL002", "return torch.zeros(n)")] if known else []
    assert found(tmp_path, main, elsewhere) == expected


METHODS = """
import torch
from torch import nn
{imports}


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("shift", torch.zeros(4))


class Net(Base):
    {init}
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    {helper}
    def helper(self, x):
        return self.shift + torch.ones(4)

    def forward(self, x):
        return self.helper(self.linear(x))
"""


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("decorator", ["", "@logged", "@without_gradients", "@register('x')"])
@pytest.mark.parametrize("place", ["init", "helper"])
def test_methods_keep_their_object(
    tmp_path: Path, decorator: str, place: str, elsewhere: bool
) -> None:
    """What a method does with `self` and `super()` is known through what is around it."""
    other = "helper" if place == "init" else "init"
    main = METHODS.replace(f"{{{place}}}", decorator).replace(f"{{{other}}}", "")
    assert found(tmp_path, main, elsewhere) == [("TDL002", "return self.shift + torch.ones(4)")]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_what_a_wrapper_moves_does_not_arrive(tmp_path: Path, elsewhere: bool) -> None:
    """A function that is wrapped gets what the wrapper hands it, not what that was given."""
    main = MAIN.replace("{decorator}", "@from_the_host").replace("mask(4)", "mask(x).cuda()")
    assert found(tmp_path, main.replace("torch.zeros(n)", "torch.zeros(4) + n"), elsewhere) == []


CLASSES = """
import torch
from torch import nn
{imports}


{decorator}
class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x) + torch.zeros(4)
"""


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize(
    "decorator", ["@register('inner')", "@Registry().register()", "@Cached", "@logged"]
)
def test_decorated_classes(tmp_path: Path, decorator: str, elsewhere: bool) -> None:
    """Whatever becomes of a class, its methods are run."""
    main = CLASSES.replace("{decorator}", decorator)
    assert found(tmp_path, main, elsewhere) == [
        ("TDL002", "return self.linear(x) + torch.zeros(4)")
    ]
