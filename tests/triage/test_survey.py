"""What triage sorts out, and what it has to leave for the analysis."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from tests.placement.linting import findings
from torchdev_lint.linter import triggers_of
from torchdev_lint.rules import ALL_RULES
from torchdev_lint.triage.reached import triage

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
    "a coin whose fall is kept": """
        class Model(nn.Module):
            def forward(self, x):
                skip = False
                if self.training:
                    chance = torch.rand([])
                    skip = chance < self.skipped
                return x if skip and not self.frozen else x * 2
    """,
    "what is made in one statement and moved in the next": """
        def positions(x):
            ruler = torch.arange(4)
            ruler = ruler[None].expand(2, -1).to(x.device)
            return ruler + 1
    """,
    "what everybody says a device for": """
        def ruler(size, start=0, device=None):
            return torch.arange(start, size, device=device)

        class Model(nn.Module):
            def positions(self, size, x, device):
                return ruler(size, 1, device) if size else ruler(4, 0, x.device)

            def forward(self, x):
                return x + self.positions(4, x, device=x.device)
    """,
    "a device that is that of something unless it is given": """
        class Model(nn.Module):
            def positions(self, size, device=None):
                if device is None:
                    device = self.weight.device
                return torch.arange(size, device=device)

            def forward(self, x):
                return x + self.positions(4)
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
    "moves of what a loop takes one by one": """
        def gather(values, others, x):
            first, second = compute(x)
            for value in values:
                x = x + value.to(x.device)
            return x + first.to(x.device)
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
    assert reached is None or reached.everything.isdisjoint(classes)


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


@pytest.mark.parametrize(
    "call",
    ["positions(8)", "positions(8, None)", "positions(8, device=None)", "positions(*[8])"],
)
def test_somebody_says_no_device(call: str) -> None:
    """One call that leaves the device out is enough, whatever others say."""
    assert findings(
        f"""
        def positions(size, device=None):
            return torch.arange(size, device=device)

        class Model(nn.Module):
            def forward(self, x):
                near = positions(8, device=x.device)
                return torch.cat([x.relu(), near, {call}])
        """
    ) == ["TDL002 return torch.arange(size, device=device)"]


def test_a_function_is_handed_on_that_is_told_a_device() -> None:
    """Who calls it then may leave the device out."""
    assert findings(
        """
        from functools import partial

        def positions(size, device=None):
            return torch.arange(size, device=device)

        class Model(nn.Module):
            def forward(self, x):
                near, make = positions(8, device=x.device), partial(positions, 8)
                return torch.cat([x.relu(), near, make()])
        """
    ) == ["TDL002 return torch.arange(size, device=device)"]


def test_a_host_that_is_no_none_is_not_replaced() -> None:
    """Only `None` gives way to the device of something."""
    assert findings(
        """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.zeros(3))

            def positions(self, size, device="cpu"):
                if device is None:
                    device = self.weight.device
                return torch.arange(size, device=device)

            def forward(self, x):
                return torch.cat([x.relu(), self.positions(4)])
        """
    ) == ["TDL002 return torch.arange(size, device=device)"]


def test_a_flag_of_a_coin_that_is_stacked() -> None:
    """What a comparison gives has no dimensions either, and meets others like it."""
    assert findings(
        """
        class Model(nn.Module):
            def forward(self, x):
                chance = torch.rand([])
                skip = chance < 0.5
                return torch.stack([x.sum(), skip])
        """
    ) == ["TDL002 chance = torch.rand([])"]


def test_a_part_that_is_taken_by_a_key() -> None:
    """What a loop takes may be moved by the parts that are named."""
    assert findings(
        """
        def train(model, batches, device):
            model = model.to(device)
            model.train()
            for number, batch in enumerate(batches):
                images = batch["image"].to(device)
                loss = nn.functional.cross_entropy(model(images), batch["label"])
        """
    ) == ['TDL004 loss = nn.functional.cross_entropy(model(images), batch["label"])']


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
