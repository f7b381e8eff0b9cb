"""What is said of CUDA's name beside a device that was chosen, and what the fixes make of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchdev_lint.applying.apply import fix_source
from torchdev_lint.config.settings import Settings
from torchdev_lint.finding import Finding
from torchdev_lint.linter import lint
from torchdev_lint.source.source import Source, read_source

CODE = "TDL102"
SETTINGS = Settings(rules=(CODE,))
CHOICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
PROGRAM = """\
import torch
{imported}

def main(model, batch, flag, names):
    {choice}
    model.to({device})
    x = batch.to({device})
    {before}
    return {call}
"""


def found(
    call: str = "torch.ones(3).cuda()",
    choice: str = CHOICE,
    device: str = "device",
    imported: str = "",
    before: str = "pass",
) -> list[Finding]:
    given = {"choice": choice, "device": device, "imported": imported, "before": before}
    source = Source.from_text(PROGRAM.format(call=call, **given), "program.py")
    return lint(source, source.parse(), SETTINGS)


@pytest.mark.parametrize(
    "choice",
    [
        CHOICE,
        'device = "cuda" if flag else "cpu"',
        'device = torch.device("cuda:{}".format(flag) if flag >= 0 else "cpu")',
        'name = "cuda:%d" % flag if flag else "cpu"; device = torch.device(name)',
        'device = torch.device("cpu" if flag else "cuda", 0)',
        'if flag: device = "cuda"\n    else: device = "cpu"',
        'device = "cpu"\n    if flag: device = torch.device("cuda")',
        'device = "cuda" if flag else "mps" if names else "cpu"',
    ],
)
def test_a_device_that_may_be_the_cpu_is_ignored(choice: str) -> None:
    (finding,) = found(choice=choice)
    assert "goes to CUDA, and not to `device`, which may be the CPU by line" in finding.message


@pytest.mark.parametrize(
    "choice",
    [
        'device = torch.device("cuda")',
        'device = "cpu"',
        "device = torch.device(names)",
        'device = "cuda" if flag else names',
        'device = "cuda" if flag else "xpu"',
    ],
)
def test_nothing_shows_that_another_device_may_be_the_cpu(choice: str) -> None:
    assert found(choice=choice) == []


@pytest.mark.parametrize(
    ("imported", "made", "count"),
    [
        ("from accelerate import Accelerator", "Accelerator(mixed_precision=flag)", 1),
        ("from accelerate import Accelerator", "Accelerator(cpu=flag)", 0),
        ("from chips import Accelerator", "Accelerator()", 0),
    ],
)
def test_an_accelerator_chooses_by_itself(imported: str, made: str, count: int) -> None:
    choice = f"accelerator = {made}"
    assert len(found(choice=choice, device="accelerator.device", imported=imported)) == count


@pytest.mark.parametrize(
    ("call", "fixed"),
    [
        ("torch.ones(3).cuda()", "torch.ones(3).to(device)"),
        ("torch.ones(3).cuda(non_blocking=True)", "torch.ones(3).to(device, non_blocking=True)"),
        ('torch.ones(3).to("cuda")', "torch.ones(3).to(device)"),
        ('x.new_ones(3, device="cuda:0")', "x.new_ones(3, device=device)"),
        ('torch.ones(3, device=torch.device("cuda"))', "torch.ones(3, device=device)"),
        ("torch.ones(3).cuda(0)", None),
        ('torch.ones(3).cuda("cuda:0")', None),
        ("torch.cuda.FloatTensor(3)", None),
        ("x.type(torch.cuda.FloatTensor)", None),
    ],
)
def test_the_call_takes_the_device(call: str, fixed: str | None) -> None:
    (finding,) = found(call)
    if fixed is None:
        assert finding.fix is None
        return
    text = PROGRAM.format(call=call, choice=CHOICE, device="device", imported="", before="pass")
    source = fix_source(Source.from_text(text, "program.py"), SETTINGS, unsafe=True).source
    assert source.text == text.replace(call, fixed)


@pytest.mark.parametrize(
    ("choice", "call", "is_safe"),
    [
        (CHOICE, "torch.ones(3).cuda()", True),
        (CHOICE, 'torch.ones(3, device="cuda")', True),
        (CHOICE, "batch.cuda()", False),
        (CHOICE, 'torch.ones(3, device="cuda:0")', False),
        (CHOICE.replace('"cuda"', '"cuda:1"'), "torch.ones(3).cuda()", False),
        ('device = "cuda" if flag else "cpu"', "torch.ones(3).cuda()", False),
    ],
)
def test_a_fix_is_safe_where_nothing_else_happens_with_cuda(
    choice: str, call: str, is_safe: bool
) -> None:
    (finding,) = found(call, choice)
    assert finding.fix is not None
    assert (finding.fix.applicability == "safe") == is_safe


@pytest.mark.parametrize(
    "call",
    [
        'torch.ones(3).to("cuda:1")',
        "torch.ones(3).cuda(1)",
        'torch.ones(3).to(torch.device("cuda", 1))',
        'names(device="cuda")',
        "torch.ones(3).cuda() if flag.use_cuda else x",
        "torch.cuda.is_available() and torch.ones(3).cuda()",
        "(torch.ones(3).cuda(), torch.zeros(3).cuda(), torch.rand(3).cuda())",
    ],
)
def test_what_has_asked_or_means_something_else_is_left_alone(call: str) -> None:
    assert found(call) == []


@pytest.mark.parametrize(
    ("imported", "before", "count"),
    [
        ("", "torch.cuda.manual_seed(0)", 1),
        ("", "torch.cuda.set_device(0)", 0),
        ("", "if torch.cuda.is_available(): torch.cuda.synchronize()", 0),
        ("", "dist = x - batch", 1),
        ("", "if not torch.cuda.is_available(): raise SystemExit", 0),
        ("", "if torch.backends.mps.is_available() and flag: raise ValueError", 1),
        ("import torch.distributed as dist", "dist.barrier()", 0),
        ("import apex", "pass", 0),
        ("try:\n    import apex\nexcept ImportError:\n    apex = None", "pass", 1),
    ],
)
def test_code_that_needs_cuda_names_it(imported: str, before: str, count: int) -> None:
    assert len(found(imported=imported, before=before)) == count


def test_tests_are_made_for_the_machine_they_run_on(tmp_path: Path) -> None:
    text = PROGRAM.format(
        call="torch.ones(3).cuda()", choice=CHOICE, device="device", imported="", before="pass"
    )
    for name, count in (("model.py", 1), ("test_model.py", 0)):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        source = read_source(str(path))
        assert len(lint(source, source.parse(), SETTINGS)) == count


@pytest.mark.parametrize("pair, count", [("(x, x)", 0), ("x", 1)])
def test_what_fails_on_any_machine_needs_no_cuda(pair: str, count: int) -> None:
    """A tuple has no `.to()`, which TDL010 tells."""
    every = Settings(rules=(CODE, "TDL010"))
    given = {"choice": CHOICE, "device": "device", "imported": "", "before": f"both = {pair}"}
    source = Source.from_text(PROGRAM.format(call='both.to("cuda")', **given), "program.py")
    codes = [finding.code for finding in lint(source, source.parse(), every)]
    assert codes.count(CODE) == count
    assert codes.count("TDL010") == 1 - count


BRANCH = (
    'device = "cuda" if names else "cpu"\n    if flag:\n        {device}\n        names = {moved}'
)


@pytest.mark.parametrize(
    "moved",
    [
        "dict((k, v.cuda()) for k, v in names)",
        "list(v.cuda() for v in names)",
        "[v.cuda() for v in names]",
        "names[0].cuda()",
    ],
)
@pytest.mark.parametrize(("device", "count"), [('device = "cuda"', 0), ("pass", 1)])
def test_a_device_that_the_same_branch_has_set(moved: str, device: str, count: int) -> None:
    """A generator that is used up where it stands reads what holds there."""
    choice = BRANCH.format(device=device, moved=moved)
    assert len(found(call="names", choice=choice)) == count
