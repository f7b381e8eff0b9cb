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


PREPARED = """
from accelerate import Accelerator
from torch.utils.data import DataLoader

class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(4, 8)

    def forward(self, words, mask):
        return self.embed(words) * mask.unsqueeze(-1)

def collate(samples):
    return torch.zeros(len(samples), 4), torch.zeros(len(samples))

class Embedder:
    def __init__(self, config):
        self.device = config["device"]
        self.reader = Reader().to(self.device)
        self.accelerator = Accelerator() if self.device == "cuda" else None

    def embeddings(self):
        loader = DataLoader([3, 5, 2], batch_size=2, collate_fn=collate)
        {prepare}
        for batch in loader:
            self.reader(batch[0], batch[1])
"""


@pytest.mark.parametrize(
    ("prepare", "expected"),
    [
        ("print(len(loader))", True),
        ("loader = self.accelerator.prepare(loader) if self.accelerator else loader", False),
    ],
)
def test_a_loader_that_is_prepared_on_one_path(prepare: str, expected: bool) -> None:
    """As what is moved on one path and not on another, its batches are nowhere for certain."""
    found = ["TDL004 self.reader(batch[0], batch[1])"] * 2
    assert findings(PREPARED.format(prepare=prepare)) == (found if expected else [])


APPLYING = """
from torch.utils.data import DataLoader
from torchvision import transforms

class Recorded:
    def __init__(self, states, transform):
        self.states = states
        self.transform = transform

    def __len__(self):
        return len(self.states)

    def __getitem__(self, index):
        return {applied}(self.states[index]), index

class Move:
    def __call__(self, state):
        return torch.from_numpy(state).cuda()

def move(state):
    return torch.from_numpy(state).cuda()

def scale(state):
    return state / 255

def train(states):
    model = nn.Linear(3, 3).cuda()
    for batch, index in DataLoader(Recorded(states, {given}), 4):
        model(batch)
"""


@pytest.mark.parametrize(
    ("applied", "given", "expected"),
    [
        ("self.transform", "scale", True),
        ("self.transform", "transforms.Compose([transforms.Lambda(scale)])", True),
        ("self.transform", "transforms.Compose([transforms.ToTensor()])", True),
        ("self.transform", "move", False),
        ("self.transform", "Move()", False),
        ("self.transform", "lambda state: move(scale(state))", False),
        ("self.transform", "transforms.Lambda(move)", False),
        ("self.transform", "transforms.Compose([transforms.ToTensor(), Move()])", False),
        (
            "self.transform",
            "transforms.Compose([transforms.Lambda(move), transforms.Normalize(0.5, 0.2)])",
            False,
        ),
        ("self.transform['state']", "{'state': scale}", True),
        ("self.transform['state']", "{'state': move}", False),
    ],
)
def test_a_data_set_that_applies_what_it_is_given(applied: str, given: str, expected: bool) -> None:
    """A function that moves a sample leaves the batch where it puts it."""
    found = [f"TDL004 for batch, index in DataLoader(Recorded(states, {given}), 4):"]
    program = APPLYING.format(applied=applied, given=given)
    assert findings(program) == (found if expected else [])


PINNED = """
from collating import Collator, collate
from torch import nn
from torch.utils.data import DataLoader

model = nn.Linear(4, 2).to("cuda")
by = {collate}
for batch in DataLoader([3, 5, 2], batch_size=2, collate_fn=by, pin_memory=True):
    model(batch["image"])
"""


@pytest.mark.parametrize(
    ("collate", "expected"),
    [("collate", True), ("Collator(8)", True), ('Collator(8, device="cuda")', False)],
)
def test_what_is_pinned_is_on_the_host_unless_what_makes_it_is_told_a_device(
    collate: str, expected: bool
) -> None:
    found = findings(PINNED.replace("{collate}", collate))
    assert [line.split()[0] for line in found] == ["TDL004"] * expected
