"""Which device a fix names, and under which condition it moves there."""

from __future__ import annotations

import pytest

from tests.applying.fixing import fixed, fixed_text

SCRIPT = """\
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader

args = argparse.ArgumentParser().parse_args()
args.cuda = torch.cuda.is_available()
model = nn.Linear(20, 2)
if args.cuda:
  model.cuda()
loader = DataLoader([(torch.ones(20), torch.ones(2))])
"""


class TestUnderACondition:
    """A program that also runs without an accelerator still does."""

    def test_a_batch_is_moved_under_the_condition_of_the_model(self) -> None:
        loop = "for data, target in loader:\n{}  out = model(data)\n  print(out - target)\n"
        moves = "  if args.cuda:\n    data = data.cuda()\n    target = target.cuda()\n"
        assert fixed_text(SCRIPT + loop.format("")) == SCRIPT + loop.format(moves)

    def test_a_variable_is_moved_under_the_condition(self) -> None:
        text = SCRIPT + "x = torch.randn(4, 20)\nnp.save('x', x)\n{}print(model(x), x)\n"
        moves = "if args.cuda:\n  x = x.cuda()\n"
        assert fixed_text(text.format("")) == text.format(moves)

    def test_a_tensor_is_made_where_the_condition_says(self) -> None:
        text = SCRIPT + "print(model(torch.randn(4, 20{})))\n"
        device = ', device="cuda" if args.cuda else "cpu"'
        assert fixed_text(text.format("")) == text.format(device)

    def test_line_endings_stay(self) -> None:
        text = SCRIPT + "for data, _ in loader:\n  print(model(data))\n"
        expected = text.replace(
            "  print(", "  if args.cuda:\n    data = data.cuda()\n  print("
        ).replace("\n", "\r\n")
        assert fixed_text(text.replace("\n", "\r\n")) == expected

    def test_a_conditional_expression(self) -> None:
        text = SCRIPT.replace("if args.cuda:\n  model.cuda()\n", "{}") + "print(model({}))\n"
        move = "model = model.cuda() if args.cuda else model\n"
        made = 'torch.randn(4, 20, device="cuda" if args.cuda else "cpu")'
        assert fixed_text(text.format(move, "torch.randn(4, 20)")) == text.format(move, made)

    @pytest.mark.parametrize(
        "move",
        [
            "if True:\n  model.cuda()\n",
            "model.cuda()\n",
        ],
    )
    def test_a_move_that_depends_on_nothing(self, move: str) -> None:
        text = SCRIPT.replace("if args.cuda:\n  model.cuda()\n", move) + "print(model({}))\n"
        made = 'torch.randn(4, 20, device="cuda")'
        assert fixed_text(text.format("torch.randn(4, 20)")) == text.format(made)

    def test_a_place_under_the_same_condition(self) -> None:
        text = SCRIPT + "  print(model(torch.randn(4, 20{})))\n"
        text = text.replace("loader = DataLoader([(torch.ones(20), torch.ones(2))])\n", "")
        assert fixed_text(text.format("")) == text.format(', device="cuda"')

    def test_a_condition_that_is_out_of_sight(self) -> None:
        text = """\
import torch
from torch import nn


def build():
    use_cuda = torch.cuda.is_available()
    model = nn.Linear(20, 2)
    if use_cuda:
        model.cuda()
    return model


def main():
    model = build()
    print(model(torch.randn(4, 20{})))
"""
        device = ", device=next(model.parameters()).device"
        assert fixed_text(text.format(""), unsafe=True) == text.format(device)


MODULE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleDict({{"a": nn.Linear(3, 3)}})
        self.block = nn.Sequential(nn.Linear(3, 3))
        self.first = nn.Parameter(torch.ones(1, 3))
        self.scale = nn.Parameter(torch.ones(3))
        self.factor = 2.0

    def forward(self):
        return {}
"""


class TestInAModule:
    """Only tensors are asked for their device."""

    @pytest.mark.parametrize(
        ("before", "device"),
        [
            ("self.layers['a'](torch.ones(3{}))", "self.first.device"),
            ("self.block[0](torch.ones(3{}))", "self.first.device"),
            ("torch.ones(3{}) + self.block(self.first)", "self.first.device"),
            ("torch.ones(3{}) * self.scale", "self.scale.device"),
            ("torch.ones(3{}) * self.scale.exp()", "self.scale.device"),
            ("torch.ones(3{}) * (self.factor * self.scale)", "self.scale.device"),
            ("torch.ones(3{}) * self.first[:, 0]", "self.first.device"),
        ],
    )
    def test_the_state_that_is_met(self, before: str, device: str) -> None:
        expected = before.format(f", device={device}")
        assert fixed_text(MODULE.format(before.format(""))) == MODULE.format(expected)

    def test_containers_have_no_device(self) -> None:
        text = MODULE.replace("        self.first = nn.Parameter(torch.ones(1, 3))\n", "").replace(
            "        self.scale = nn.Parameter(torch.ones(3))\n", ""
        )
        before = "self.layers['a'](torch.ones(3{}))"
        expected = before.format(", device=next(self.parameters()).device")
        assert fixed_text(text.format(before.format(""))) == text.format(expected)


class TestTheArgumentThatIsMet:
    """What `forward` was called with tells the device, where nothing else does."""

    FORWARD = """\
import torch
from torch import nn


class Head(nn.Module):
    def forward(self, {}):
        {}
"""

    @pytest.mark.parametrize("argument", ["x", "x: torch.Tensor", "x, n=3"])
    def test_its_device(self, argument: str) -> None:
        body = "return nn.functional.linear(x, torch.ones(8, 8{}))"
        expected = self.FORWARD.format(argument, body.format(", device=x.device"))
        assert fixed_text(self.FORWARD.format(argument, body.format(""))) == expected

    @pytest.mark.parametrize("argument", ["x=None", "x: torch.Tensor | None"])
    def test_it_may_be_something_else(self, argument: str) -> None:
        text = self.FORWARD.format(argument, "return nn.functional.linear(x, torch.ones(8, 8))")
        assert fixed_text(text) == text

    def test_it_is_bound_anew_behind_the_tensor(self) -> None:
        """Then it is not the same one where the tensor is made: the tensor follows it later."""
        body = "y = torch.ones(8, 8)\n        x = x[0]\n        return nn.functional.linear(x, y{})"
        expected = self.FORWARD.format("x", body.format(".to(x.device)"))
        assert fixed_text(self.FORWARD.format("x", body.format(""))) == expected


class TestTheVariableThatIsMet:
    """What is known of it is only that it was moved, and that it is met."""

    MOVED = "import torch\n\n\ndef shift(x):\n    {}\n    return {}\n"

    @pytest.mark.parametrize(
        "met", ["y + torch.zeros(3{})", "torch.zeros(3{}) + y", "torch.add(y, torch.zeros(3{}))"]
    )
    def test_its_device(self, met: str) -> None:
        text = self.MOVED.format("y = x.cuda()", met)
        assert fixed_text(text.format(""), unsafe=True) == text.format(", device=y.device")

    def test_what_is_made_before_it_follows_it(self) -> None:
        text = self.MOVED.format("z = torch.zeros(3)\n    y = x.cuda()", "y + z{}")
        assert fixed_text(text.format(""), unsafe=True) == text.format(".to(y.device)")

    def test_that_is_not_proven(self) -> None:
        """It may be an object of the user's, with a sum and without a device."""
        text = self.MOVED.format("y = x.cuda()", "y + torch.zeros(3)")
        assert fixed_text(text) == text


READER = """\
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 4, batch_first=True)
        self.attention = Attention()

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        hidden, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.attention(hidden, lengths)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, hidden: torch.Tensor, lengths: torch.Tensor):
        mask = MASK
        return self.attend(hidden, hidden, hidden, key_padding_mask=GIVEN)[0]


model = Reader().cuda()
print(model(torch.randn(2, 5, 4).cuda(), torch.tensor([5, 3])).shape)
"""


class TestBesideWhatStaysOnTheHost:
    """What is made for lengths, which packing wants on the CPU, is moved when it was used there."""

    @pytest.mark.parametrize(
        "mask",
        [
            "torch.arange(hidden.shape[1])[None, :] >= lengths[:, None]",
            "lengths[:, None] <= torch.arange(hidden.shape[1])[None, :]",
        ],
    )
    def test_a_mask_of_lengths(self, mask: str) -> None:
        text = READER.replace("MASK", mask)
        fixed = fixed_text(text.replace("GIVEN", "~~mask"))
        assert fixed == text.replace("GIVEN", "(~~mask).to(hidden.device)")


class TestDataOfTheFactoryItself:
    """`torch.FloatTensor` takes no tensor from an accelerator: its data can't tell the device."""

    TEXT = (
        "import torch\n\n\ndef framed(waveform: torch.Tensor{}):\n"
        "    samples = torch.FloatTensor({})\n    return torch.cat([waveform, samples])\n"
    )

    def test_no_device_is_asked_of_what_it_takes(self) -> None:
        text = self.TEXT.format("", "waveform")
        result = fixed(text, unsafe=True)
        assert [finding.code for finding in result.findings] == ["TDL016"]
        assert result.source.data.decode() == text

    def test_what_it_meets_tells_the_device_of_other_data(self) -> None:
        text = self.TEXT.format(", numbers", "numbers")
        moved = text.replace("(numbers)", "(numbers).to(waveform.device)")
        assert fixed_text(text, unsafe=True) == moved

    def test_nothing_mends_it_where_it_is_given_a_comparison_of_what_is_not_known(self) -> None:
        text = self.TEXT.format(", numbers", "numbers == 0")
        result = fixed(text, unsafe=True)
        assert [finding.code for finding in result.findings] == ["TDL016"]
        assert result.source.data.decode() == text


class TestOfALibrary:
    """What a class of a library has for a device is one, unless the file answers for it."""

    STEPS = """\
import torch
from torch import nn
from {library} import LightningModule


class Model(LightningModule):
{own}    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def training_step(self, batch, index):
        return self.layer(batch).sub(torch.randn(4, 4{device})).mean()
"""

    @pytest.mark.parametrize("library", ["lightning.pytorch", "pytorch_lightning"])
    def test_its_device_comes_before_that_of_a_layer(self, library: str) -> None:
        text = self.STEPS.replace("{library}", library).replace("{own}", "")
        expected = text.replace("{device}", ", device=self.device")
        assert fixed_text(text.replace("{device}", "")) == expected

    @pytest.mark.parametrize(
        "own",
        ["    device = None\n\n", "    @property\n    def device(self):\n        return 1 / 0\n\n"],
    )
    def test_not_where_the_class_has_another(self, own: str) -> None:
        text = self.STEPS.replace("{library}", "lightning.pytorch").replace("{own}", own)
        expected = text.replace("{device}", ", device=self.layer.weight.device")
        assert fixed_text(text.replace("{device}", "")) == expected


class TestOfWhatStandsElsewhere:
    """An expression tells the device only where it is that of what is met."""

    def test_a_variable_that_holds_another_model_by_then(self) -> None:
        text = """\
import torch
from torch import nn

net = nn.Linear(3, 3)
points = torch.rand(2, 3)
net = nn.Linear(3, 3, device="cuda")
print(net({}))
"""
        moved = "points.to(next(net.parameters()).device)"
        assert fixed_text(text.format("points"), unsafe=True) == text.format(moved)

    def test_a_module_of_which_only_a_part_is_on_the_device(self) -> None:
        text = """\
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.offsets = nn.Parameter(torch.ones(3))
        self.factors = nn.Parameter(torch.ones(3, device="cuda"))

    def forward(self, x):
        return x * self.factors


net = Scaled()
print(net(torch.rand(2, 3)))
"""
        result = fixed(text, unsafe=True)
        assert result.before and not result.fixed

    def test_a_signal_of_which_an_array_is_made(self) -> None:
        text = """\
from torch import nn
from transformers import Wav2Vec2FeatureExtractor, Wav2Vec2ForSequenceClassification


class Spotting(nn.Module):
    def __init__(self):
        super().__init__()
        self.extractor = Wav2Vec2FeatureExtractor.from_pretrained("base")
        self.model = Wav2Vec2ForSequenceClassification.from_pretrained("base")

    def forward(self, signal):
        signal = signal.squeeze()
        inputs = self.extractor(signal, return_tensors="pt"){}
        return self.model(**inputs).logits
"""
        moved = ".to(next(self.model.parameters()).device)"
        assert fixed_text(text.format(""), unsafe=True) == text.format(moved)
