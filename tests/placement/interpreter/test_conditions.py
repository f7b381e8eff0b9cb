"""The same condition turns out the same way, however it is asked."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

TWICE = """
class Net(nn.Module):
    def forward(self, x, a, b, c, items):
        mask = torch.zeros(3, 4)
        if {first}:
            mask = torch.ones(3, 4, device=x.device)
{between}
        if {second}:
            x = x.relu() * mask
        return x
"""
FOUND = ["TDL002 mask = torch.zeros(3, 4)"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a", "a"),
        ("a", "a and b"),
        ("a", "b and a"),
        ("not a", "not a"),
        ("not a", "not a and b"),
        ("a is None", "a is None and b"),
        ("a is not None", "not (a is None)"),
        ("a and b", "a and b and c"),
        ("a and b", "b and a"),
        ("a or b", "a"),
        ("a or b", "a or b"),
        ("not (a and b)", "not a"),
        ("a > 1", "a > 1"),
        ("isinstance(a, int)", "isinstance(a, int) and b"),
        ("len(items) > 2", "len(items) > 2"),
        ("items.training", "items.training"),
    ],
)
def test_a_condition_that_implies_the_one_before(first: str, second: str) -> None:
    assert findings(TWICE.format(first=first, second=second, between="")) == []


@pytest.mark.parametrize(
    ("first", "second", "between"),
    [
        ("a", "not a", ""),
        ("a", "b", ""),
        ("a and b", "not a", ""),
        ("a", "a", "        a = b"),
        ("items.training", "items.training", "        items.training = b"),
        ("items.pop()", "items.pop()", ""),
    ],
)
def test_a_condition_that_does_not(first: str, second: str, between: str) -> None:
    assert findings(TWICE.format(first=first, second=second, between=between)) == FOUND


def test_in_a_long_function() -> None:
    between = "\n".join(f"        if c > {i}:\n            y{i} = {i}" for i in range(2, 60))
    assert findings(TWICE.format(first="a", second="a and b", between=between)) == []


def test_behind_a_branch_that_returned() -> None:
    program = """
    class Net(nn.Module):
        def forward(self, x, flag):
            mask = torch.zeros(3, 4)
            if flag:
                return mask
            if {second}:
                x = x.relu() * mask
            return x
    """
    assert findings(program.format(second="flag")) == []
    assert findings(program.format(second="not flag")) == FOUND


def test_what_one_path_moves_and_another_does_not() -> None:
    program = """
    class Net(nn.Module):
        def forward(self, x, flag):
            mask = torch.zeros(3, 4)
            if flag:
                mask = mask.to(x.device)
            return x.relu() * mask
    """
    assert findings(program) == []


def test_what_one_path_makes_elsewhere_fails_on_the_other() -> None:
    program = """
    class Net(nn.Module):
        def forward(self, x, flag):
            if flag:
                mask = torch.zeros(3, 4)
            else:
                mask = torch.zeros(3, 4, device=x.device)
            return x.relu() * mask
    """
    assert findings(program) == FOUND


MOVED = """
model = nn.Linear(4, 2)
if {test}:
    model.cuda()
print(model(torch.zeros(3, 4)))
"""


@pytest.mark.parametrize(
    "test",
    [
        "args.cuda.startswith('True')",
        "args.use_gpu == 'yes'",
        "args.cuda.strip().lower() == 'true'",
        "args.cuda is True",
        "args.cuda != 'no'",
        "not args.no_cuda == True",
        "args.no_cuda == 'False'",
        "args.gpu >= 0",
        "args.gpu_id > -1",
        "opt.gpu_ids != -1",
        "args.gpu is not None",
        "not args.local_cuda_id == -1",
    ],
)
def test_a_flag_that_is_written_in_words(test: str) -> None:
    assert findings(MOVED.format(test=test)) == ["TDL005 print(model(torch.zeros(3, 4)))"]


@pytest.mark.parametrize(
    "test",
    [
        "args.cuda.startswith(args.beginning)",
        "args.cuda == 'False'",
        "args.gpu == 0",
        "args.cuda == args.wanted",
        "args.cuda.replace('a', 'b') == 'True'",
        "args.cuda < True",
        "args.mode == 'True'",
        "args.gpu < 0",
        "args.gpu is None",
        "args.gpu >= 1",
        "args.gpu >= args.first",
        "args.gpu_memory >= 0",
    ],
)
def test_what_is_no_flag_or_not_said(test: str) -> None:
    assert findings(MOVED.format(test=test)) == []


FORMS = """
def scale(x: torch.Tensor, total):
    weight = torch.ones(3).sum() if total else torch.ones(3)
    if {test}:
        return x * weight
    return x
"""


@pytest.mark.parametrize(
    "test",
    [
        "weight.dim() == 0",
        "weight.ndim < 1",
        "0 == weight.ndimension()",
        "len(weight.shape) == 0",
        "not len(weight.size())",
        "not weight.shape",
        "weight.shape == ()",
        "weight.size() == torch.Size([])",
        "not weight.dim() != 0 and total",
    ],
)
def test_a_tensor_without_dimensions_is_an_operand(test: str) -> None:
    assert findings(FORMS.format(test=test)) == []


@pytest.mark.parametrize(
    "test",
    [
        "weight.dim() > 0",
        "1 <= weight.ndim",
        "weight.dim() == 1",
        "weight.shape != ()",
        "weight.ndim",
        "weight.shape",
        "weight.dim() < 2",
        "weight.dim() == total",
        "weight.size(0) == 0",
        "x.dim() == 0",
    ],
)
def test_a_tensor_that_has_or_may_have_dimensions_is_not(test: str) -> None:
    found = ["TDL016 weight = torch.ones(3).sum() if total else torch.ones(3)"]
    assert findings(FORMS.format(test=test)) == found


def test_a_tensor_that_is_asked_whether_it_has_dimensions_is_known_to_have_some() -> None:
    program = """
    def scale(x: torch.Tensor, numbers):
        weight = torch.tensor(numbers)
        if weight.dim() > 0:
            return x * weight
        return x / weight
    """
    assert findings(program) == ["TDL016 weight = torch.tensor(numbers)"]


SHIFT = """
from torch.fx import Proxy
from transformers.utils import is_torch_fx_proxy

def shift(ids, start):
    if {test}:
        first = torch.full(ids.shape[:-1] + (1,), start)
        return torch.cat([first, ids[..., :-1]], dim=-1)
    return ids.clone()
"""


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("is_torch_fx_proxy(ids)", False),
        ("isinstance(ids, Proxy)", False),
        ("isinstance(ids, (Proxy, torch.fx.Proxy))", False),
        ("torch.jit.is_tracing()", False),
        ("start > 0", True),
    ],
)
def test_code_for_the_recording_of_models_is_not_looked_at(test: str, expected: bool) -> None:
    assert bool(findings(SHIFT.format(test=test))) is expected


CHOSEN = """
class Net(nn.Module):
    def __init__(self, flat):
        super().__init__()
        self.flat = flat
        self.layer = nn.Linear(3, 3)
        if flat:
            self.scale = torch.ones(3)
        else:
            self.scale = torch.tensor(0.5)

    def forward(self, x):
        if {test}:
            return self.layer(x) * self.scale.to(x.device)
        return self.layer(x) * self.scale
"""


@pytest.mark.parametrize(
    ("test", "expected"), [("self.flat", False), ("not self.flat", True), ("x.any()", True)]
)
def test_tensors_are_chosen_by_what_the_constructor_asked(test: str, expected: bool) -> None:
    found = ["TDL006 self.scale = torch.ones(3)"]
    assert findings(CHOSEN.format(test=test)) == (found if expected else [])


FRAMEWORKS = """
import numpy as np
import {library}

def as_array(picture):
    if isinstance(picture, {library}.Tensor):
        return np.asarray(picture)
    return picture.cpu().numpy()

def show(model: nn.Module, x):
    model.cuda()
    return as_array(model(x.cuda()).sum())
"""


@pytest.mark.parametrize(("library", "expected"), [("tensorflow", False), ("torch", True)])
def test_a_tensor_of_another_framework_is_none_of_pytorchs(library: str, expected: bool) -> None:
    found = ["TDL013 return np.asarray(picture)"]
    assert findings(FRAMEWORKS.format(library=library)) == (found if expected else [])


ADDED = """
def normed(x, flag, norm):
    print(torch.zeros(3))
    pair = (x, x) if flag else norm(x)
    whole = pair + {other}
    whole = whole.to(x.device)
    return torch.relu(whole)
"""


@pytest.mark.parametrize(
    ("other", "found"),
    [("norm(x)", []), ("(x,)", ["TDL010 whole = whole.to(x.device)"])],
)
def test_what_may_be_a_list_is_one_where_a_list_is_added(other: str, found: list[str]) -> None:
    assert findings(ADDED.format(other=other)) == found


def test_a_type_chosen_by_where_something_is_says_nothing_of_where_its_tensors_are() -> None:
    code = """
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    class BoxLoss(nn.Module):
        class squeezed(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return 1 / (1 + torch.exp(-x))

        def decoded(self, targets, x):
            count = x.size(0)
            FloatTensor = torch.cuda.FloatTensor if x.is_cuda else torch.FloatTensor
            boxes = torch.zeros(count, 0).to(device)
            parts = x.view(count).contiguous()
            corners = self.squeezed.apply(parts[..., 0:2])
            sizes = torch.exp(parts[..., 2:4])
            cells, anchors = self.grid(count, x.is_cuda)
            boxes = torch.cat((boxes, (corners + cells) / FloatTensor([4, 4])), 4)
            boxes = torch.cat((boxes, sizes * anchors), 4)
            for i in range(count):
                if len(targets[i]) == 0:
                    near[i] = 1
                found = boxes[i].view((4, 4)).to(device)
    """
    assert findings(code) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a >= 2", "a > 1"),
        ("a == 'train'", "a != 'test'"),
        ("a == 'train'", "a in ('train', 'valid')"),
        ("a in (1, 2)", "a < 3"),
    ],
)
def test_a_comparison_that_implies_another_one(first: str, second: str) -> None:
    """What is certainly so where the first one holds, is where the branch of the second one is."""
    program = """
    class Net(nn.Module):
        def forward(self, x, a):
            if {first}:
                scale = torch.zeros(3, 4)
                if {second}:
                    scale = torch.ones(3, 4, device=x.device)
                x = x * scale
            return x
    """
    assert findings(program.format(first=first, second=second)) == []
    assert findings(program.format(first=second, second=first)) != []


def test_the_branch_that_nothing_is_left_for() -> None:
    program = """
    class Net(nn.Module):
        def forward(self, x, how):
            if how {asked}:
                return self.pool(x, how)
            return x

        def pool(self, x, kind):
            if kind == "mean":
                return x.mean(0)
            elif kind == "max":
                return x.max(0)
            return x * torch.zeros(4)
    """
    assert findings(program.format(asked='in ("mean", "max")')) == []
    assert findings(program.format(asked='in ("mean", "max", "sum")')) != []
    assert findings(program.format(asked='not in ("mean", "max")')) != []
