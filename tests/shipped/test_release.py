"""What is told about releases is so. `python -m tests.shipped.release` makes one."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import yaml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from tests.command import ROOT
from tests.shipped.changelog import UNRELEASED, Release, releases
from tests.shipped.contents import differences
from tests.shipped.release import wrong_for_tag
from torchdev_lint import __version__
from torchdev_lint.addresses import DOCUMENTATION_URL, HOME_URL

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
OTHERS = re.compile(r"github\.com/(?!torchdev-lint/)[\w-]+/torchdev-lint")


def test_addresses_are_settled_in_one_place() -> None:
    assert PROJECT["project"]["urls"] == {
        "Documentation": DOCUMENTATION_URL,
        "Source": HOME_URL,
        "Issues": f"{HOME_URL}/issues",
        "Changelog": f"{HOME_URL}/blob/main/CHANGELOG.md",
    }
    readme = json.dumps(PROJECT["tool"]["hatch"]["metadata"]["hooks"])
    assert HOME_URL in readme
    for path in [*ROOT.glob("*.md"), *ROOT.glob("*.yml"), *(ROOT / "docs").rglob("*.md")]:
        assert not OTHERS.search(path.read_text(encoding="utf-8")), path


def test_the_changelog_has_its_form() -> None:
    newest, *made = releases()
    assert newest.version == UNRELEASED
    assert not newest.date
    for release in (newest, *made):
        assert release.kinds == tuple(kind for kind in KINDS if kind in release.kinds)
    assert [each.version for each in made] == sorted(
        (each.version for each in made), key=lambda v: [*map(int, v.split("."))], reverse=True
    )
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", each.date) for each in made)


def test_the_changelog_is_read_as_it_is_meant() -> None:
    text = "# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- a\n\n## [1.2.0] - 2026-01-02\n\n- b\n"
    assert releases(text) == [
        Release(UNRELEASED, "", ("Fixed",)),
        Release("1.2.0", "2026-01-02", ()),
    ]


def test_a_version_is_three_numbers_and_its_tag_has_a_v() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)
    assert f"the tag is v9.9.9, and the version {__version__}" in wrong_for_tag("v9.9.9")
    told = any(each.version == __version__ for each in releases())
    assert bool(wrong_for_tag(f"v{__version__}")) != told


def test_pages_name_the_tag_of_this_version() -> None:
    for page in ("README.md", "docs/integrations.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert set(re.findall(r"\bv\d+\.\d+\.\d+\b", text)) == {f"v{__version__}"}


def test_differences_of_contents_are_told() -> None:
    assert differences("a.whl", {"a", "b"}, {"b", "c"}) == [
        "a.whl: c is missing",
        "a.whl: a should not be there",
    ]


def test_the_release_workflow_runs_the_script() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    commands = [step.get("run", "") for step in workflow["jobs"]["build"]["steps"]]
    assert any(command.startswith("python -m tests.shipped.release --tag") for command in commands)
    assert not [command for command in commands if "${{" in command]
