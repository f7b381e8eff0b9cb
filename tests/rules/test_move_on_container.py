"""What is reported where containers are told to move, and what is another rule's to say."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

LOADER = """
from torch.utils.data import DataLoader, TensorDataset
loader = DataLoader(TensorDataset(torch.ones(4, 2), torch.ones(4)), batch_size=2)
model = nn.Linear(2, 2).to("cuda")
"""


def test_a_list_is_not_a_tensor_whose_move_is_thrown_away() -> None:
    """It isn't the result that is missing: there is none."""
    program = "pair = [torch.ones(2), torch.ones(2)]\npair.to('cuda')\n"
    assert findings(program) == ["TDL010 pair.to('cuda')"]


def test_a_batch_that_fails_to_move_is_no_batch_that_was_never_moved() -> None:
    program = LOADER + "for batch in loader:\n    batch = batch.to('cuda')\n    model(batch[0])\n"
    assert findings(program) == ["TDL010 batch = batch.to('cuda')"]


def test_a_batch_of_which_a_part_is_used_before_fails_there() -> None:
    """What fails first needs another change than what fails behind it."""
    program = LOADER + "for batch in loader:\n    model(batch[0])\n    batch = batch.to('cuda')\n"
    assert findings(program) == [
        "TDL004 model(batch[0])",
        "TDL010 batch = batch.to('cuda')",
    ]


@pytest.mark.parametrize(
    "made",
    ["[torch.ones(2)]", "(torch.ones(2),)", "{'a': torch.ones(2)}", "list(range(3))",
     "torch.ones(4).split(2)", "torch.ones(4).topk(2)", "torch.ones(2, 2).min(dim=0)",
     "[torch.ones(2) for _ in range(3)]", "tuple(torch.ones(2) for _ in range(3))"],
)  # fmt: skip
@pytest.mark.parametrize("move", ["to('cuda')", "cuda()", "cpu()"])
def test_containers_of_all_kinds(made: str, move: str) -> None:
    assert findings(f"made = {made}\nmoved = made.{move}\n") == [f"TDL010 moved = made.{move}"]


@pytest.mark.parametrize(
    "made",
    ["torch.ones(4)", "torch.ones(4).max()", "torch.stack([torch.ones(2)])", "nn.ModuleList([])",
     "nn.ModuleList([nn.Linear(1, 1)])[:1]", "nn.utils.rnn.pack_sequence([torch.ones(2)])",
     "sys.argv", "open('x')", "(torch.ones(2), torch.ones(3))[0]"],
)  # fmt: skip
def test_what_can_be_moved_or_is_not_known(made: str) -> None:
    assert findings(f"made = {made}\nmoved = made.to('cuda')\n") == []


def test_what_is_given_may_be_something_else() -> None:
    """An annotation may be wrong, and one caller of several, too."""
    program = """
    def moved(batch: list[torch.Tensor]):
        return batch.to("cuda")
    def first(batch: dict[str, list[torch.Tensor]]):
        for part in batch.values():
            return part.to("cuda")
    moved([torch.ones(2)])
    """
    assert findings(program) == []


def test_what_code_expects_to_fail() -> None:
    program = """
    import pytest
    def test_lists():
        with pytest.raises(AttributeError):
            [torch.ones(2)].to("cuda")
    """
    assert findings(program) == []
