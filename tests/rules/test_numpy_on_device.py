"""What is reported where arrays are made, and what is another rule's to say."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

MODEL = """
import numpy as np
model = nn.Linear(2, 2).to("cuda")
x = torch.ones(3, 2).to("cuda")
"""


def test_a_move_thrown_away_is_the_one_defect() -> None:
    """What is wrong with `scores.cpu()` is that nobody keeps it."""
    program = MODEL + "scores = model(x)\nscores.cpu()\nprint(scores.numpy())\n"
    assert findings(program) == ["TDL001 scores.cpu()"]


def test_an_input_that_was_never_moved_is_on_the_host() -> None:
    """It can become an array; the model can't take it."""
    program = MODEL + "other = torch.ones(3, 2)\nprint(other.numpy())\nmodel(other)\n"
    assert findings(program) == ["TDL005 other = torch.ones(3, 2)"]


def test_a_batch_that_was_never_moved_is_on_the_host() -> None:
    program = """
    import numpy as np
    model = nn.Linear(2, 2).to("cuda")
    for inputs, labels in torch.utils.data.DataLoader(list(range(4))):
        print(np.mean(labels.numpy()))
        model(inputs)
    """
    assert findings(program) == [
        "TDL004 for inputs, labels in torch.utils.data.DataLoader(list(range(4))):"
    ]


def test_a_tensor_made_in_forward_is_on_the_host() -> None:
    """The array can be made of it; the sum can't."""
    program = """
    class Net(nn.Module):
        def forward(self, x):
            steps = torch.arange(4)
            print(steps.numpy())
            return self.net(x.relu() + steps)
    net = Net().to("cuda")
    """
    assert findings(program) == ["TDL002 steps = torch.arange(4)"]


def test_what_a_function_is_given_may_be_on_the_host() -> None:
    """What NumPy is handed tells that it is, to all rules."""
    program = """
    def spread(x: torch.Tensor) -> torch.Tensor:
        print(x.numpy())
        return x[:, None] * torch.linspace(0, 1, 4)
    """
    assert findings(program) == []


NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x){step}.numpy()

"""
FOUND = "TDL013 return self.layer(x).detach().numpy()"


@pytest.mark.parametrize("mover", ["Net().to('cuda')", "net = Net()\nnet.cuda()"])
def test_a_module_that_is_moved(mover: str) -> None:
    assert findings(NET.format(step=".detach()") + mover) == [FOUND]


@pytest.mark.parametrize("user", ["", "Net()(torch.ones(1, 2))", "Net().to('cpu')"])
def test_a_module_that_nobody_moves(user: str) -> None:
    """It may be for the CPU, as its own code says."""
    assert findings(NET.format(step=".detach()") + user) == []


@pytest.mark.parametrize("error", ["TypeError", "Exception", "(ValueError, TypeError)"])
def test_an_error_that_is_taken(error: str) -> None:
    program = f"try:\n    model(x).numpy()\nexcept {error}:\n    print('no array')\n"
    assert findings(MODEL + program) == []


@pytest.mark.parametrize("error", ["ValueError", "ImportError"])
def test_another_error_is_taken(error: str) -> None:
    """What a conversion raises goes on."""
    program = f"try:\n    y = model(x).numpy()\nexcept {error}:\n    print('no array')\n"
    assert findings(MODEL + program) == ["TDL013 y = model(x).numpy()"]


@pytest.mark.parametrize(
    "use",
    [
        "np.asarray([[x, x], [x, x]])",
        "np.savez('a.npz', names=['a'], values=x)",
        "np.max([x.sum() for _ in range(3)])",
        "np.stack((x, x))",
    ],
)
def test_arguments_of_functions(use: str) -> None:
    assert findings(MODEL + use) == [f"TDL013 {use}"]


@pytest.mark.parametrize(
    "use",
    [
        "np.asarray({'scores': x})",
        "np.max(x)",  # the tensor's own method, which knows no `axis`: it fails anywhere
        "np.asarray([x.cpu(), x.tolist()])",
        "np.zeros(x.shape)",
        "np.array_equal(x, x)",  # gives False
    ],
)
def test_no_array_is_made_of_these(use: str) -> None:
    assert findings(MODEL + use) == []


def test_entries_are_others_under_another_key() -> None:
    """What a loop has put under one key says nothing of what stands under the next."""
    program = """
    import numpy as np
    def moved(batch, device):
        for key in batch:
            batch[key] = torch.from_numpy(np.asarray(batch[key])).to(device)
        return batch
    """
    assert findings(program) == []


def test_the_one_element_of_a_loss() -> None:
    """It was a number before PyTorch 0.4; since then it fails on any device."""
    program = "loss = nn.functional.nll_loss(model(x), x[:, 0].long())\nnp.isnan(loss.data[0])"
    assert findings(MODEL + program) == []


PACKING = """
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 8)
        self.rnn = nn.GRU(8, 4, batch_first=True)

    def forward(self, tokens, given):
        lengths = {lengths}
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(tokens), lengths)
        return self.rnn(packed)

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()

    def forward(self, tokens, counts):
        assert counts.max() <= tokens.size(1)
        return self.encoder(tokens, counts.long())

model = Model().to("cuda")
"""


@pytest.mark.parametrize(
    "lengths", ["given", "given + 1", "given.sort(descending=True)[0]", "given.view(-1)[tokens]"]
)
def test_lengths_that_a_module_is_given_may_be_on_the_cpu(lengths: str) -> None:
    assert findings(PACKING.format(lengths=lengths)) == []


@pytest.mark.parametrize(
    "lengths",
    ["(tokens != 0).sum(dim=1)", "given.to(tokens.device)", "torch.tensor([2], device='cuda')"],
)
def test_lengths_that_a_module_counts_or_moves_are_on_the_accelerator(lengths: str) -> None:
    found = findings(PACKING.format(lengths=lengths))
    assert [finding[:6] for finding in found] == ["TDL013"]


def test_a_model_of_several_of_which_one_may_be_anywhere() -> None:
    """What one of them gives is on the accelerator, what the other one gives may not be."""
    program = """
    class Nets:
        def __init__(self, kind, network):
            self.kind, self.network = kind, network
            self.nets = []

        def fit(self, x):
            for i in range(3):
                net = self.network(4)
                if self.kind == "series":
                    net = net.to("cuda")
                    print(len(list(net.parameters())))
                self.nets.append(net)
            return self.scores(x)

        def scores(self, x):
            return [self.nets[i](torch.from_numpy(x).float()).data.numpy() for i in range(3)]
    """
    assert findings(program) == []
