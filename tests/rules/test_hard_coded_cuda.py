"""What is put on CUDA by name, and why that may be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.applying.fixing import fixed_text
from tests.placement.linting import findings
from torchdev_lint.linter import lint
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.source import read_source

LAYER = """
from flags import flag_of_model
class Layer(nn.Module):
    def __init__(self, flag):
        super().__init__()
        self.proj = nn.Linear(4, 4)
        {init}

    def forward(self, x):
        {before}
        noise = torch.randn(4).cuda()
        return self.proj(x) + noise
"""


def in_layer(init: str = "self.rate = 0.5", before: str = "x = x * self.rate") -> list[str]:
    return [f.partition(" ")[0] for f in findings(LAYER.format(init=init, before=before))]


def test_a_tensor_on_cuda_meets_a_model_anywhere() -> None:
    assert in_layer() == ["TDL903"]


@pytest.mark.parametrize(
    ("init", "before"),
    [
        ("assert torch.cuda.is_available()", "pass"),
        ("pass", "if not x.is_cuda: return self.proj(x)"),
        ("pass", "if not torch.cuda.is_available(): raise RuntimeError('no GPU')"),
        ("self.on = flag and torch.cuda.is_available()", "if not self.on: return x"),
        ("self.stream = torch.cuda.Stream()", "pass"),
        ("pass", "torch.distributed.all_reduce(x)"),
        ("self.proj = nn.Linear(4, 4).cuda()", "pass"),
    ],
)
def test_code_that_has_asked_or_needs_cuda_is_left_alone(init: str, before: str) -> None:
    assert in_layer(init, before) == []


@pytest.mark.parametrize(
    "before",
    [
        # These say nothing of where the noise goes.
        "if flag_of_model(x): x = x.relu()",
        "if x.dim() > 2: return self.proj(x)",
        "if x.is_cuda: x = x.float()",
        # These do nothing where there is no CUDA.
        "x = torch.autocast('cuda')(torch.relu)(x)",
        "torch.cuda.empty_cache()",
    ],
)
def test_what_says_nothing_of_cuda_changes_nothing(before: str) -> None:
    assert in_layer(before=before) == ["TDL903"]


@pytest.mark.parametrize(
    "imports",
    ["import triton", "from . import norm_cuda", "from package import _C", "import cupy as cp"],
)
def test_a_file_with_an_extension_is_for_cuda(imports: str) -> None:
    assert findings(imports + LAYER.format(init="pass", before="pass")) == []


@pytest.mark.parametrize(
    "made",
    [
        "torch.zeros(4, device='cuda')",
        "torch.zeros(4, device=torch.device('cuda', 1))",
        "torch.zeros(4).to('cuda:1', non_blocking=True)",
        "torch.zeros(4).type('torch.cuda.FloatTensor')",
        "torch.zeros(4).type(torch.cuda.FloatTensor)",
        "torch.cuda.FloatTensor(4)",
        "torch.zeros(4).cuda(0)",
        "torch.zeros(4).cuda(non_blocking=True)",
        "torch.tensor([1.0, 2.0]).view(1, -1).cuda().sqrt()",
    ],
)
def test_all_ways_to_name_cuda(made: str) -> None:
    assert findings(f"def f(x: torch.Tensor):\n    return x[:, 0] + {made}") == [
        f"TDL903 return x[:, 0] + {made}"
    ]


@pytest.mark.parametrize(
    "made",
    [
        "torch.zeros(4, device=place)",
        "torch.zeros(4).cuda(place)",
        "torch.zeros(4).cuda(y.device)",
        "torch.zeros(4).to(f'cuda:{place}')",
        "torch.zeros(4).to('xpu')",
        "torch.zeros(4).cuda().to(x.device)",
        "torch.zeros(4).cuda() if x.is_cuda else 2",
        "torch.tensor(4.0, device=None)",
    ],
)
def test_what_names_no_place_or_another_one(made: str) -> None:
    program = f"def f(x: torch.Tensor, y, place='cuda'):\n    return x[:, 0] + {made}"
    assert [f for f in findings(program) if f.startswith("TDL903")] == []


def test_a_move_that_is_lost_is_that_alone() -> None:
    """One defect, one finding: what was to be moved is still where it was."""
    program = """
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.proj = nn.Linear(4, 4)

        def forward(self, x):
            noise = torch.randn(4)
            noise.cuda()
            return self.proj(x) + noise
    """
    assert findings(program) == ["TDL001 noise.cuda()"]


FUNCTION = "import torch\n\n\ndef f(x: torch.Tensor):\n    return x[:, 0] * {}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.ones(4).cuda()", "torch.ones(4).to(x.device)"),
        ("torch.ones(4).to('cuda:0')", "torch.ones(4).to(x.device)"),
        ("torch.ones(4, device='cuda')", "torch.ones(4, device=x.device)"),
    ],
)
def test_a_fix_takes_the_device_of_what_is_met(before: str, after: str) -> None:
    assert fixed_text(FUNCTION.format(before)) == FUNCTION.format(after)


@pytest.mark.parametrize("made", ["torch.cuda.FloatTensor(4)", "torch.ones(4).cuda(0)"])
def test_what_names_more_than_a_place_is_not_rewritten(made: str) -> None:
    assert fixed_text(FUNCTION.format(made)) == FUNCTION.format(made)


def test_what_is_kept_while_a_model_is_built_has_no_fix() -> None:
    """Where the model is then is not where its user will have it."""
    text = "import torch\nfrom torch import nn\n" + LAYER.format(
        init="self.noise = torch.randn(4).cuda()", before="return self.proj(x) + self.noise"
    )
    assert fixed_text(text) == text


def in_project(root: Path, others: dict[str, str], name: str = "layers.py") -> list[str]:
    """What is found in a file of a project, beside others."""
    (root / ".git").mkdir()
    for path, text in {name: FUNCTION.format("torch.ones(4).cuda()"), **others}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    source = read_source(str(root / name))
    return [finding.code for finding in lint(source, source.parse(), EVERY_RULE)]


MOVES = "model = build().cuda()\n"


@pytest.mark.parametrize(
    "program",
    [
        "device = 'cuda' if torch.cuda.is_available() else 'cpu'\n",
        "if args.gpu:\n    model.cuda()\nelse:\n    model.to('cpu')\n",
        "if not torch.cuda.is_available():\n    device = 'cpu'\n",
    ],
)
def test_a_project_with_a_choice_runs_elsewhere(tmp_path: Path, program: str) -> None:
    assert in_project(tmp_path, {"train.py": MOVES, "eval.py": program}) == ["TDL903"]


@pytest.mark.parametrize(
    "program",
    [
        "",
        "if x.is_cuda:\n    y = y.cuda()\n",
        "if not torch.cuda.is_available():\n    sys.exit('no GPU')\nx = x.cuda()\n",
    ],
)
def test_a_project_without_one_is_for_cuda(tmp_path: Path, program: str) -> None:
    others = {
        "train.py": MOVES,
        "eval.py": program,
        "tests/test_it.py": "d = 'cpu' if no_cuda else 'cuda'",
    }
    assert in_project(tmp_path, others) == []


def test_a_file_that_nothing_else_names_cuda_beside_may_run_anywhere(tmp_path: Path) -> None:
    assert in_project(tmp_path, {"train.py": "model = build()\n"}) == ["TDL903"]


@pytest.mark.parametrize(
    "name", ["tests/helpers.py", "benchmarks/layers.py", "ops/cuda/layers.py", "bench_layers.py"]
)
def test_tests_benchmarks_and_code_for_gpus_are_left_alone(tmp_path: Path, name: str) -> None:
    assert in_project(tmp_path, {}, name) == []
