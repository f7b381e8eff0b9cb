"""Files with many findings: one fix that fails holds back no other, and few analyses tell which."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.benchmark.shapes import SHAPES
from tests.benchmark.shapes.registry import lines
from torchdev_lint.applying import apply, trial
from torchdev_lint.applying.apply import fix_source
from torchdev_lint.applying.version import Version, analysed
from torchdev_lint.config.settings import Settings
from torchdev_lint.rules import BY_DEFAULT
from torchdev_lint.source.source import Source

HEAD = "import torch\nfrom tables import table\nfrom torch import nn\n"

FIXABLE = """
class Net{0}(nn.Module):
    def forward(self, x):
        return nn.functional.relu(x) + torch.zeros(3)
"""

SPOILS_A_FUNCTION = """
values{0} = torch.ones(3)
values{0}.to("cuda")


def total{0}():
    return values{0} + torch.from_numpy(table)[0:3]


total{0}()
"""
"""Once the values are moved, what they meet in the function is on another device."""

DISCARDED = """
images{0} = torch.ones(3)
images{0}.to("cuda")
"""

SILENCED = """
class Net{0}(nn.Module):
    def forward(self, x):
        return nn.functional.relu(x) + torch.zeros(3)  # noqa
"""

SPOILING = [SPOILS_A_FUNCTION]
KINDS = [FIXABLE, DISCARDED, SILENCED, *SPOILING]


def program(kinds: Sequence[str]) -> Source:
    """Return a file with a part of each of these kinds, in this order."""
    text = HEAD + "".join(kind.format(number) for number, kind in enumerate(kinds))
    return Source.from_text(text, "a.py")


@pytest.fixture
def analyses(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Source]]:
    """What is analysed while a test runs, beside the file as it was."""
    seen: list[Source] = []

    def counted(source: Source, settings: Settings) -> Version:
        seen.append(source)
        return analysed(source, settings)

    monkeypatch.setattr(trial, "analysed", counted)
    yield seen


def test_layers_of_one_module_are_built_at_once(analyses: list[Source]) -> None:
    """Each gets a name of its own, also where classes inherit from each other."""
    text = f"""{HEAD}
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.width = 3
    def forward(self, x):
{"".join(f"        x = nn.LayerNorm({size})(x)" + chr(10) for size in range(1, 21))}        return x
class Net(Base):
    def __init__(self):
        super().__init__()
        self.depth = 2
    def forward(self, x):
        return nn.LayerNorm(7)(x)
"""
    result = fix_source(Source.from_text(text, "a.py"), BY_DEFAULT, unsafe=True)
    assert len(result.fixed) == 21 and not result.findings
    assert len(analyses) <= 3
    sizes = re.findall(r"self.(layer_norm\w*) = nn.LayerNorm\((\d+)\)", result.source.text)
    assert len(dict(sizes)) == 21
    assert [int(size) for _, size in sizes] == [*range(1, 21), 7]


def test_what_can_be_fixed_takes_one_analysis(analyses: list[Source]) -> None:
    result = fix_source(program([FIXABLE] * 200), BY_DEFAULT)
    assert len(result.fixed) == 200
    assert len(analyses) == 1


@pytest.mark.slow
@pytest.mark.parametrize("bad", SPOILING)
@pytest.mark.parametrize("places", [(0,), (30,), (59,), (3, 4, 48), (9, 10, 39, 40)])
def test_others_are_fixed_in_the_same_run(
    bad: str, places: tuple[int, ...], analyses: list[Source]
) -> None:
    kinds = [bad if number in places else FIXABLE for number in range(60)]
    result = fix_source(program(kinds), BY_DEFAULT)
    assert len(result.fixed) == 60 - len(places)
    assert len(result.withdrawn) == result.mends.count(None) == len(places)
    assert len(analyses) < 30, "there must be few analyses, however many fixes fail"
    again = fix_source(result.source, BY_DEFAULT)
    assert again.source.data == result.source.data


@pytest.mark.slow
def test_who_is_to_blame_is_not_searched_for_without_end(
    analyses: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that may be to blame is undone, the rest is fixed, and that is the end of it."""
    monkeypatch.setattr(apply, "_MOST_SEARCHED", 0)
    places = (3, 4, 50, 80, 120)
    kinds = [SPOILS_A_FUNCTION if n in places else FIXABLE for n in range(150)]
    result = fix_source(program(kinds), BY_DEFAULT)
    assert len(result.fixed) == 150 - len(places)
    assert len(analyses) < 10
    again = fix_source(result.source, BY_DEFAULT)
    assert again.source.data == result.source.data


@pytest.mark.slow
def test_what_a_budget_brings_to_light_is_tried_once(analyses: list[Source]) -> None:
    """Where the budget is spent, each fix moves the place up to which it lasts."""
    methods = lines(1100, "    def m{i}(self, x):\n        return x + torch.zeros({k})\n")
    calls = lines(1100, "        x = self.m{i}(x)\n")
    forward = f"    def forward(self, x):\n{calls}        return x\n"
    text = f"{HEAD}class A(nn.Module):\n{methods}{forward}"
    result = fix_source(Source.from_text(text, "a.py"), BY_DEFAULT, unsafe=True)
    assert result.start.left_out and not result.fixed
    assert len(analyses) == 1


@pytest.mark.slow
def test_what_was_found_before_a_budget_was_spent_is_mended_at_once(analyses: list[Source]) -> None:
    """What is left out then is left out as well where all of it is mended."""
    text = SHAPES["methods_that_keep_what_they_make"].of_size(75_000)
    result = fix_source(Source.from_text(text, "a.py"), BY_DEFAULT, unsafe=True)
    assert result.start.left_out
    assert len(result.fixed) == len(result.start.findings) > 500
    assert len(analyses) == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", [FIXABLE, DISCARDED])
def test_thousands_take_seconds(kind: str) -> None:
    began = time.process_time()
    assert len(fix_source(program([kind] * 1500), BY_DEFAULT).fixed) == 1500
    assert time.process_time() - began < 20


@pytest.mark.slow
@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(KINDS), max_size=25))
def test_any_mixture_comes_to_rest_in_one_run(kinds: list[str]) -> None:
    result = fix_source(program(kinds), BY_DEFAULT)
    mended = sum(mend is not None for mend in result.mends)
    assert len(result.withdrawn) == len(result.findings) == len(result.mends) - mended
    assert len(result.findings) <= sum(kind in SPOILING for kind in kinds)
    again = fix_source(result.source, BY_DEFAULT)
    assert again.source.data == result.source.data
    assert again.withdrawn == result.withdrawn
