"""What the pages tell users to write does what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.command import ROOT
from torchdev_lint.addresses import HOME_URL
from torchdev_lint.cli import _parser as parser_of_the_command

REPOSITORY = HOME_URL.removeprefix("https://github.com/")
BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = ["README.md", "docs/integrations.md"]
DOCUMENTS = [
    pytest.param(yaml.safe_load(block), id=f"{page}-{number}")
    for page in PAGES
    for number, block in enumerate(BLOCK.findall((ROOT / page).read_text(encoding="utf-8")), 1)
]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def tables(document: Any) -> Iterator[dict[str, Any]]:
    """All tables in a document."""
    if isinstance(document, dict):
        yield document
    for each in document.values() if isinstance(document, dict) else document:
        if isinstance(each, (dict, list)):
            yield from tables(each)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_workflows_name_what_there_is(document: Any) -> None:
    ours = 0
    for table in tables(document):
        if str(table.get("uses", "")).startswith(REPOSITORY):
            ours += 1
            assert set(table.get("with", {})) <= set(ACTION["inputs"])
        if table.get("repo") == HOME_URL:
            ours += 1
            assert {hook["id"] for hook in table["hooks"]} <= {hook["id"] for hook in HOOKS}
        for line in table.get("script", []):
            if line.startswith("torchdev-lint "):
                ours += 1
                parser_of_the_command().parse_args(line.split()[1:])
        ours += sum(HOME_URL in each for each in table.get("additional_dependencies", []))
    assert ours


def test_hooks_are_one_process_at_a_time() -> None:
    """They share out files themselves, and keep results that the next one reads."""
    assert [hook["require_serial"] for hook in HOOKS] == [True, True]


def test_all_inputs_of_the_action_are_described() -> None:
    page = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    assert not [name for name in ACTION["inputs"] if f"`{name}`" not in page]
