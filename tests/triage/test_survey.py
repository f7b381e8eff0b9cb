"""What triage sorts out, and what it has to leave for the analysis."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from tests.placement.linting import findings
from torchdev_lint.linter import triggers_of
from torchdev_lint.rules import ALL_RULES
from torchdev_lint.triage.survey import triage

SORTED_OUT = {
    "a helper that only constructors call": """
        def table(size):
            return torch.arange(size)

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("ruler", table(4))
                self.sines = self.angles(4)

            def angles(self, size):
                return torch.arange(size)

            def reset_parameters(self):
                self.weight = nn.Parameter(torch.zeros(3))

            def forward(self, x):
                return x + self.ruler
    """,
    "what is made and moved at once": """
        def positions(x):
            return torch.arange(4)[None].repeat(2, 1).to(x.device)
    """,
    "a coin that is thrown to skip a layer": """
        class Model(nn.Module):
            def forward(self, x):
                chance = torch.rand([])
                return x if self.training and chance < self.skipped else x * 2
    """,
    "a class that is no module": """
        from dataclasses import dataclass

        @dataclass
        class Result:
            logits: object

        class Model(nn.Module):
            def forward(self, x):
                return Result(logits=x)
    """,
    "a pretrained model as a part": """
        class Model(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.inner = AutoModel.from_config(config)
    """,
    "a loop beside a move": """
        def run(layers, x, y):
            x = x.to(y.device)
            for layer in layers:
                x = layer(x)
            return x
    """,
}


@pytest.mark.parametrize("program", SORTED_OUT.values(), ids=SORTED_OUT)
def test_is_sorted_out(program: str) -> None:
    """Nothing of these can lead to a finding, whatever is known of the values."""
    tree = ast.parse(dedent(program))
    reached = triage(tree, triggers_of(ALL_RULES))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert reached is None or not any(map(reached, classes))


def test_a_method_that_constructors_call_may_be_called_later() -> None:
    """What `__init__` makes with it moves with the module, what `forward` makes does not."""
    assert findings(
        """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("table", self.make_table(4))

            def make_table(self, size):
                return torch.arange(size)

            def forward(self, x):
                return torch.cat([x.relu(), self.make_table(8)])
        """
    ) == ["TDL002 return torch.arange(size)"]


def test_a_function_that_constructors_call_may_be_called_later() -> None:
    """The same goes for functions, and through other functions."""
    assert findings(
        """
        def table(size):
            return torch.arange(size)

        def double(size):
            return table(size) * 2

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("table", table(4))

            def forward(self, x):
                return torch.cat([x.relu(), double(8)])
        """
    ) == ["TDL002 return torch.arange(size)"]


@pytest.mark.parametrize("held", ["table", "partial(table)", "lambda size: table(size)"])
def test_a_function_that_a_constructor_hands_on(held: str) -> None:
    """What is called later is not made while the module is built."""
    assert findings(
        f"""
        from functools import partial

        def table(size):
            return torch.arange(size)

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.ruler = {held}

            def forward(self, x):
                return torch.cat([x.relu(), self.ruler(8)])
        """
    ) == ["TDL002 return torch.arange(size)"]


def test_a_coin_that_is_stacked() -> None:
    """A tensor without dimensions meets others as well, where it isn't only compared."""
    assert findings(
        """
        class Model(nn.Module):
            def forward(self, x):
                chance = torch.rand([])
                if chance < 0.5:
                    return x.relu()
                return torch.stack([x.sum(), chance])
        """
    ) == ["TDL002 chance = torch.rand([])"]


def test_what_is_moved_to_where_nothing_may_be_named() -> None:
    """A device that is `None` unless somebody names it moves nothing."""
    assert findings(
        """
        def positions(size, device=None):
            return torch.arange(size).to(device)

        class Model(nn.Module):
            def forward(self, x):
                return torch.cat([x.relu(), positions(8)])
        """
    ) == ["TDL002 return torch.arange(size).to(device)"]


def test_a_part_of_a_batch_beside_one_that_is_moved() -> None:
    """A loop whose variables are moved is worth a look, also through a later unpacking."""
    assert findings(
        """
        def train(model, batches, device):
            model = model.to(device)
            model.train()
            for batch in batches:
                images, labels = batch
                images = images.to(device)
                loss = nn.functional.cross_entropy(model(images), labels)
        """
    ) == ["TDL004 loss = nn.functional.cross_entropy(model(images), labels)"]
