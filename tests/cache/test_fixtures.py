"""All fixtures: what is told again is what is found."""

from __future__ import annotations

import io
import shutil
import sys
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.cache.projects import HERE
from tests.command import FIXTURES, lint
from tests.fixtures import PROJECTS, Fixture, name_of
from tests.turns import OF, has_turn, in_turn
from torchdev_lint.cache.cache import Cache
from torchdev_lint.report import Task, Work
from torchdev_lint.reporters import Output
from torchdev_lint.reporters.json import JsonReporter
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.runner import check_files
from torchdev_lint.source.discovery import discover

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "turn", [0, *(pytest.param(turn, marks=pytest.mark.exhaustive) for turn in range(1, OF))]
)
def test_fixtures_in_one_run(turn: int, tmp_path: Path) -> None:
    """One in twelve, which are those of that turn."""

    def others(folder: str, names: list[str]) -> list[str]:
        is_of_rule = Path(folder).parent == FIXTURES
        return [n for n in names if is_of_rule and not has_turn(n, turn)]

    shutil.copytree(FIXTURES, tmp_path / "fixtures", ignore=others)
    (tmp_path / "pyproject.toml").touch()
    options = ["--output-format", "json", "--show-skipped"]
    expected = lint(*options, "--no-cache", ".", cwd=tmp_path)
    assert expected.code == 1
    for _ in ("cold", "warm"):
        assert lint(*options, ".", cwd=tmp_path, env=HERE) == expected


def findings(folder: Path, cache: bool) -> list[str]:
    """What is found in a project; in a process that has seen nothing of it before."""
    targets, _ = discover([str(folder)])
    known = Cache(str(folder / "cache")) if cache else None
    stream = io.StringIO()
    reporter = JsonReporter(Output(stream))
    work = Work(edits=True, skipped=True)
    problems = []
    for report in check_files(
        [Task(target, EVERY_RULE) for target in targets], 1, work=work, cache=known
    ):
        problems.append(str(report.problem))
        reporter.add(report)
    return [stream.getvalue(), *problems]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes don't start as copies")
@pytest.mark.parametrize("project", in_turn(PROJECTS, 0, name_of)[::4])  # all take minutes
def test_any_file_of_a_project_may_go(project: Fixture, tmp_path: Path) -> None:
    """What is read without being noted would not be missed."""
    copy = project.copied_to(tmp_path)
    with get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        before = pool.apply(findings, (copy.root, True))
        assert before == pool.apply(findings, (copy.root, False))
        for path in sorted(copy.root.rglob("*.py")):
            away = path.with_suffix(".away")
            path.rename(away)
            without = pool.apply(findings, (copy.root, False))
            assert pool.apply(findings, (copy.root, True)) == without, path
            away.rename(path)
            assert pool.apply(findings, (copy.root, True)) == before, path
