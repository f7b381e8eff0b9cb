"""What tests are given by fixtures of the same file."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

PROGRAM = """
    import pytest


    @pytest.fixture
    def device():
        {fixture}


    def noisy(x, device):
        return x + torch.rand(3, device=device)


    def test_noise(device):
        x = torch.ones(3)
        assert noisy(x, device).shape == (3,)
    """


@pytest.mark.parametrize("fixture", ['return "cpu"', 'return torch.device("cpu")', 'yield "cpu"'])
def test_a_fixture_says_that_tests_run_on_the_cpu(fixture: str) -> None:
    assert findings(PROGRAM.format(fixture=fixture)) == []


@pytest.mark.parametrize("fixture", ['return "cuda"', "return find()"])
def test_a_fixture_that_does_not_say_so_gives_the_accelerator(fixture: str) -> None:
    assert findings(PROGRAM.format(fixture=fixture)) == ["TDL016 x = torch.ones(3)"]


def test_what_helpers_are_given_is_no_matter_of_fixtures() -> None:
    program = PROGRAM.format(fixture='return "cpu"').replace("test_noise", "show_noise")
    assert findings(program) == ["TDL016 x = torch.ones(3)"]
