"""What a loader makes of the samples of a data set in sight."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

PROGRAM = """
from torch.utils.data import DataLoader, Dataset

class Pictures(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        def load(path):
            return torch.load(path, map_location="cpu")

        return {sample}

def train(device):
    model = nn.Linear(3, 3).to(device)
    for batch in DataLoader(Pictures()):
        batch = batch.to(device)
        model(batch[0])
"""


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        ("load(str(index)), index", True),
        ("(load(str(index)), index) if index else load('first')", False),
        ("load(str(index))", False),
    ],
)
def test_a_batch_of_tuples_is_a_list(sample: str, expected: bool) -> None:
    """What a function inside gives back is no sample."""
    found = ["TDL010 batch = batch.to(device)"]
    assert findings(PROGRAM.format(sample=sample)) == (found if expected else [])
