"""What tells of an argument that it is a tensor, where nobody calls the function."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

MADE = "torch.linspace(0, 1, 4)"
TENSOR = f"    return {MADE} * x\n"
FOUND = [f"TDL016 return {MADE} * x"]


@pytest.mark.parametrize(
    "told",
    [
        "x, _ = x.sort(dim=-1)",
        "n = x.max(dim=(0, 1))",
        "n = torch.norm(x.reshape(-1, 4))",
        "n = torch.sqrt(-x + 1)",
        "n = x[:, None].float()",
        "n = (x[:, 1] - x[:, 0]).clamp(min=0)",
        "if isinstance(x, (list, tuple)):\n        x = torch.tensor([4.0])\n    n = x.numel()",
        "if not torch.is_tensor(x):\n        x = torch.tensor(x)",
        "if isinstance(x, list) or isinstance(x, tuple):\n        return None\n    n = x.numel()",
    ],
)
def test_is_a_tensor(told: str) -> None:
    code = f"def scaled(x):\n    {told}\n{TENSOR}"
    assert findings(code)[-1:] == FOUND


@pytest.mark.parametrize(
    "told",
    [
        "n = x.max(axis=-1)",
        "n = x.sum(dim='time')",
        "n = x.reshape(-1, 4)",
        "n = torch.tensor(x[0])",
        "n = torch.sqrt(x * other)",
        "n = (x[:, 1] - other[:, 0]).clamp(min=0)",
        "n = x[0].float()",
        "if isinstance(x, (list, tuple)):\n        n = len(x)",
        "if torch.is_tensor(x):\n        x = x.cpu()",
        "if torch.is_tensor(x):\n        return x.numpy()",
    ],
)
def test_may_be_none(told: str) -> None:
    assert findings(f"def scaled(x, other):\n    {told}\n{TENSOR}") == []


TYPES = """
from typing import List, Optional, Union
Numbers = Union[List[float], np.ndarray]
OptTensor = Optional[torch.Tensor]
class Types:
    Image = Union[np.ndarray, torch.Tensor]
"""


@pytest.mark.parametrize(
    ("annotation", "found"),
    [
        ("OptTensor", FOUND),
        ("'OptTensor'", FOUND),
        ("Types.Image", FOUND),
        ("List[torch.Tensor]", []),
        ("Numbers", []),
        ("Types", []),
    ],
)
def test_types_by_name(annotation: str, found: list[str]) -> None:
    assert findings(f"{TYPES}\ndef scaled(x: {annotation}):\n{TENSOR}") == found


def test_a_number_that_may_be_left_out() -> None:
    """What is done where it is none is looked at as well."""
    code = (
        "def counted(labels: torch.Tensor, classes: Optional[int] = None):\n"
        "    if classes is None:\n"
        "        return labels + torch.zeros(labels.size(0))\n"
        "    return labels\n"
    )
    assert findings(code) == ["TDL016 return labels + torch.zeros(labels.size(0))"]


@pytest.mark.parametrize(
    ("device", "found"),
    [("torch.device", ["TDL016 return torch.zeros(4, device=where) + torch.ones(4)"]), ("str", [])],
)
def test_a_device_by_its_type(device: str, found: list[str]) -> None:
    code = f"def made(where: {device}):\n    return torch.zeros(4, device=where) + torch.ones(4)\n"
    assert findings(code) == found


@pytest.mark.parametrize("optional", ["Optional[torch.device]", "torch.device | None"])
def test_a_device_that_may_be_left_out(optional: str) -> None:
    body = "return torch.zeros(4, device=where) + torch.ones(4)"
    code = f"def made(where: {optional} = None):\n    {body}\n"
    assert findings(code) == []


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("torch.sparse_coo_tensor(x, torch.ones(4), (4, 4))", True),
        ("torch.sparse_csr_tensor(x, x, values=torch.ones(4))", True),
        ("torch.sparse_coo_tensor(x, torch.ones(4), (4, 4), device=x.device)", False),
        ("torch.sparse_coo_tensor(x, torch.ones(4), **settings)", False),
        ("torch.sparse_coo_tensor([[0], [1]], torch.ones(1))", False),
    ],
)
def test_parts_of_a_sparse_tensor(made: str, found: bool) -> None:
    """They live in one place, unless a device is named, to which all are moved."""
    code = f"def table(x: torch.Tensor, **settings):\n    return {made}\n"
    assert findings(code) == ([f"TDL016 return {made}"] if found else [])


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ("n = graph.x.size(0)\n    x = graph.x", True),
        ("x = graph.x\n    n = x.numel()", True),
        ("x, y = graph.x, graph.y\n    n = x.numel()", True),
        ("x = graph['x']\n    n = x.unsqueeze(0)", True),
        ("x = graph[0]\n    n = x.unsqueeze(0)", True),
        ("x = graph.x\n    n = len(x)", False),
        ("x = graph.x\n    n = x.numel()\n    x = graph.y", False),
        ("graph = read(graph)\n    x = graph.x\n    n = x.numel()", False),
        ("graph.to('cpu')\n    x = graph.x\n    n = x.numel()", False),
        ("x = graph.x\n    n = np.array(graph.x)\n    n = x.numel()", True),
        ("x = graph.x\n    n = x.numel()\n    x = x.cpu()", False),
    ],
)
def test_parts(part: str, found: bool) -> None:
    """What a part of an argument is used as tells of it, as of an argument."""
    assert findings(f"def scaled(graph):\n    {part}\n{TENSOR}") == (FOUND if found else [])


@pytest.mark.parametrize(("counted", "found"), [("len(rows)", True), ("rows.numel()", False)])
def test_what_has_a_length_has_an_axis(counted: str, found: bool) -> None:
    told = f"rows = torch.squeeze(x)\n    n = {counted}"
    code = f"def picked(x: torch.Tensor):\n    {told}\n    return torch.zeros(4)[rows]\n"
    assert findings(code) == (["TDL016 return torch.zeros(4)[rows]"] if found else [])


def test_another_result_where_no_tensor_is_given() -> None:
    """It is on the CPU where nothing is given that lives anywhere else."""
    code = (
        "def nodes(chosen: Optional[torch.Tensor], count: int):\n"
        "    if chosen is None:\n"
        "        return torch.arange(count)\n"
        "    return chosen\n"
    )
    assert findings(code) == []


def test_made_of_a_list_or_a_tensor() -> None:
    """What is made of a tensor lives where that does."""
    code = (
        "def framed(x: Union[List[float], torch.Tensor]):\n"
        "    x = torch.as_tensor(x)\n"
        "    return torch.cat([x, torch.zeros(4)])\n"
    )
    assert findings(code) == ["TDL016 return torch.cat([x, torch.zeros(4)])"]


@pytest.mark.parametrize(("asked", "found"), [("is_tracing", False), ("is_grad_enabled", True)])
def test_code_that_is_recorded(asked: str, found: bool) -> None:
    """It is looked at as Python runs it."""
    owner = "torch.jit" if asked == "is_tracing" else "torch"
    made = "return x + torch.zeros(4)"
    code = f"def moved(x: torch.Tensor):\n    if {owner}.{asked}():\n        {made}\n    return x\n"
    assert findings(code) == ([f"TDL016 {made}"] if found else [])
