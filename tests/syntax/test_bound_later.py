"""What a module binds anew when a function is used no more."""

from __future__ import annotations

import ast

import pytest

from torchdev_lint.syntax.bound_later import BoundLater
from torchdev_lint.syntax.scopes import Syntax

FIRST = "model = first()\ndef predict(x):\n    return model(x)\n"


@pytest.mark.parametrize(
    ("behind", "later"),
    [
        ("predict(1)\nmodel = second()", True),
        ("explain(predict)\nmodel = second()\nmodel.eval()", True),
        ("if asked:\n    predict(1)\nfor model in others:\n    pass", True),
        ("model = second()\npredict(1)", False),
        ("predict(1)\nmodel = second()\npredict(2)", False),
        ("model = second()", False),
        ("for _ in range(3):\n    predict(1)\n    model = second()", False),
        ("for _ in range(3):\n    for x in y:\n        predict(x)\n    model = second()", False),
        ("def main():\n    predict(1)\nmodel = second()\nmain()", False),
        ("predict(1)\ndef change():\n    global model\n    model = second()", False),
        ("predict(1)\nprint([model for model in others])", False),
        ("predict(1)\nmodel = second()\ndef predict(x):\n    return x", False),
    ],
)
def test_what_is_bound_later(behind: str, later: bool) -> None:
    tree = ast.parse(FIRST + behind)
    assert BoundLater(Syntax(tree)).than(tree.body[1]) == ({"model"} if later else set())


def test_what_is_bound_once_was_not_there_before() -> None:
    """The function is used where it has nothing yet, or not at all: nobody knows."""
    tree = ast.parse("def predict(x):\n    return model(x)\nexplain(predict)\nmodel = first()")
    assert BoundLater(Syntax(tree)).than(tree.body[0]) == set()
