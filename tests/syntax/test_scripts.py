"""What a file has only where it is run as a script."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from torchdev_lint.syntax.scripts import Script

PROGRAM = """
    size = 3

    def run():
        return step()

    def step():
        return target

    def unused():
        return target

    @register
    class Kept:
        pass

    if __name__ == "__main__":
        size = 4
        target = 5
        for index in range(target):
            run()
"""


@pytest.fixture
def script() -> Script:
    return Script(ast.parse(dedent(PROGRAM)))


def test_its_variables(script: Script) -> None:
    assert script.variables == {"target", "index"}


@pytest.mark.parametrize("name", ["run", "step", "Kept"])
def test_what_it_uses(script: Script, name: str) -> None:
    assert script.uses(name)


def test_what_it_does_not_use(script: Script) -> None:
    assert not script.uses("unused")


@pytest.mark.parametrize("test", ["__name__ != '__main__'", "name == '__main__'", "__name__"])
def test_other_conditions(test: str) -> None:
    assert not Script(ast.parse(f"if {test}: target = 5")).variables
