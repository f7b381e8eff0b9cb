"""Functions that only build modules and hand them on need not be analysed."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from tests.placement.linting import findings
from torchdev_lint.linter import triggers_of
from torchdev_lint.rules import ALL_RULES
from torchdev_lint.triage.reached import triage

HANDED_ON = {
    "a model that is given back": """
        def build(size):
            layers = []
            for _ in range(4):
                layers.append(nn.Linear(size, size))
            model = nn.Sequential(*layers)
            model.load_state_dict(state_of(size))
            return model.eval()
    """,
    "a model that those hand on who ask for it": """
        def build(size):
            return nn.Linear(size, size)

        def small(**kwargs):
            return build(**dict(kwargs, size=4))

        def chosen(name):
            return small() if name == "small" else build(8)
    """,
    "a head that is exchanged": """
        class Model(nn.Module):
            def exchange_head(self, classes):
                self.classes = classes
                self.head = nn.Linear(4, classes)

            def forward(self, x):
                return self.head(x)
    """,
    "a layer that is put into what is given": """
        def without_norms(model):
            for name, part in model.named_children():
                if isinstance(part, nn.BatchNorm2d):
                    setattr(model, name, nn.Identity())
                else:
                    without_norms(part)
    """,
}


@pytest.mark.parametrize("program", HANDED_ON.values(), ids=HANDED_ON)
def test_nobody_applies_it(program: str) -> None:
    """What these build is applied by nobody in their file."""
    reached = triage(ast.parse(dedent(program)), triggers_of(ALL_RULES))
    assert reached is None


APPLIED = {
    "at once": """
        def run(x):
            x = x.cuda()
            return nn.Linear(4, 4)(x)
    """,
    "by way of others": """
        def build(size):
            return nn.Linear(size, size)

        def chosen():
            return build(8)

        def run(x):
            model = chosen()
            return model(x.cuda())
    """,
    "out of a list": """
        def run(x):
            x, layers = x.cuda(), []
            layers.append(nn.Linear(4, 4))
            for layer in layers:
                x = layer(x)
            return x
    """,
    "by another name": """
        def build(size):
            return nn.Linear(size, size)

        def run(x):
            make = build
            return make(4)(x.cuda())
    """,
    "by its weight": """
        def run(x):
            layer = nn.Linear(4, 4)
            return x.cuda() @ layer.weight
    """,
    "in what a helper has filled": """
        def fill(layers):
            layers.append(nn.Linear(4, 4))

        def run(x):
            layers = []
            fill(layers)
            return layers[0](x.cuda())
    """,
    "in a function inside": """
        def run(x):
            x = x.cuda()
            layer = nn.Linear(4, 4)

            def step(value):
                return layer(value)

            return step(x)
    """,
    "by a function that is handed it": """
        def apply(layer, x):
            return layer(x.cuda())

        def run(x):
            return apply(nn.Linear(4, 4), x)
    """,
}


@pytest.mark.parametrize("program", APPLIED.values(), ids=APPLIED)
def test_somebody_applies_it(program: str) -> None:
    """What applies a module in its file is analysed."""
    tree = ast.parse(dedent(program))
    reached = triage(tree, triggers_of(ALL_RULES))
    assert reached is not None
    assert tree.body[-1] in reached.everything


def test_a_layer_that_a_function_is_handed() -> None:
    """It is told where it was built; a function may be called as a method of modules is."""
    assert findings(
        """
        def train(layer, x):
            return layer(x.cuda())

        def run(x):
            return train(nn.Linear(4, 4), x)
        """
    ) == ["TDL012 return train(nn.Linear(4, 4), x)"]
