"""What is known of the classes of libraries shows in what is found."""

from __future__ import annotations

import pytest

from .linting import findings


def codes(program: str) -> list[str]:
    """The codes of what is found in a program."""
    return [found.partition(" ")[0] for found in findings(program)]


IN_FORWARD = """\
{imports}
class Net(nn.Module):
    def forward(self, x, edges):
        layer = {built}
        return layer(x, edges)
"""


@pytest.mark.parametrize(
    ("imports", "built"),
    [
        ("from torch_geometric.nn import GCNConv", "GCNConv(2, 2)"),
        ("from torch_geometric.nn import GCNConv as Conv", "Conv(2, 2)"),
        ("from torch_geometric.nn.conv.gcn_conv import GCNConv", "GCNConv(2, 2)"),
        ("import torch_geometric.nn", "torch_geometric.nn.GCNConv(2, 2)"),
        ("import torch_geometric.nn as gnn", "gnn.GCNConv(2, 2)"),
        ("from torch_geometric import nn as gnn", "gnn.GCNConv(2, 2)"),
    ],
)
def test_layers_by_whatever_name(imports: str, built: str) -> None:
    assert codes(IN_FORWARD.format(imports=imports, built=built)) == ["TDL003"]


@pytest.mark.parametrize(
    ("imports", "built"),
    [
        ("from torch_geometric.nn import LGConv", "LGConv()"),
        ("from timm.layers import CondConv2d", 'CondConv2d(2, 2, device="cuda")'),
        ("from timm.layers import CondConv2d", "CondConv2d(2, 2).to(x.device)"),
        ("from elsewhere.nn import GCNConv", "GCNConv(2, 2)"),
        ("from .nn import GCNConv", "GCNConv(2, 2)"),
    ],
)
def test_other_modules(imports: str, built: str) -> None:
    assert codes(IN_FORWARD.format(imports=imports, built=built)) == []


BATCHES = """\
{imports}
class Feed({base}):
    pass
model = nn.Linear(2, 2).to("cuda")
for batch in Feed(torch.rand(4, 2)):
    model(batch)
"""


@pytest.mark.parametrize(
    ("imports", "base", "expected"),
    [
        ("from monai.data import DataLoader", "DataLoader", ["TDL004"]),
        ("import torchio", "torchio.SubjectsLoader", ["TDL004"]),
        ("from fastai.data.load import DataLoader", "DataLoader", []),
        ("from dgl.dataloading import DataLoader", "DataLoader", []),
    ],
)
def test_loaders(imports: str, base: str, expected: list[str]) -> None:
    """Not all that are called so give batches from the CPU."""
    assert codes(BATCHES.format(imports=imports, base=base)) == expected


def test_what_moves_in_place_by_its_annotation() -> None:
    program = """\
from {library} import BatchEncoding
def count(batch: BatchEncoding, device):
    batch.to(device)
    return torch.relu(batch)
"""
    assert codes(program.format(library="transformers")) == []
    assert codes(program.format(library="elsewhere")) == ["TDL001"]


TRANSFORMS = """\
import torchaudio
class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.transforms = {kept}
    def forward(self, x):
        return sum(transform(x) for transform in self.transforms)
"""


@pytest.mark.parametrize(
    ("kept", "found"),
    [
        ("[torchaudio.transforms.Spectrogram(n_fft=n) for n in (512, 1024)]", ["TDL007"]),
        ("[torchaudio.transforms.AmplitudeToDB(top_db=n) for n in (20, 40)]", []),
        ("nn.ModuleList([torchaudio.transforms.MelScale(n) for n in (64, 80)])", []),
    ],
)
def test_transforms_with_buffers_as_parts(kept: str, found: list[str]) -> None:
    """Windows and filter banks are lost in a plain list like any layer."""
    assert codes(TRANSFORMS.format(kept=kept)) == found


def test_what_a_transform_gives_is_where_its_module_is() -> None:
    program = TRANSFORMS.format(kept="torchaudio.transforms.Spectrogram()").replace(
        "sum(transform(x) for transform in self.transforms)",
        "self.transforms(x) + torch.ones(201, 1)",
    )
    assert codes(program) == ["TDL002"]


@pytest.mark.parametrize(
    ("imports", "base", "expected"),
    [
        ("from monai.losses import DiceLoss", "DiceLoss", []),
        ("from monai.networks.nets import UNet", "UNet", ["TDL012"]),
        ("from monai.networks.blocks import MLPBlock", "MLPBlock", ["TDL012"]),
    ],
)
def test_what_an_heir_leaves_behind(imports: str, base: str, expected: list[str]) -> None:
    """A module of a library that is no layer and no model may well have no state."""
    program = f"""\
import torch
{imports}
class Own({base}):
    def forward(self, x):
        return super().forward(x.unsqueeze(1))
own = Own(3)
print(own(torch.randn(3, 2, device="cuda")))
"""
    assert codes(program) == expected
