"""What is made of the description of the settings is what it would be made today."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.command import ROOT
from tests.config.conftest import Lint
from torchdev_lint.config.options import described
from torchdev_lint.config.reading import parsed
from torchdev_lint.config.schema import schema, table, written


def test_the_schema_is_shipped_and_current() -> None:
    shipped = files("torchdev_lint.config").joinpath("schema.json").read_text(encoding="utf-8")
    assert shipped == written(), "run `python -m torchdev_lint.config.schema`"


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ('select = ["TDL0"]\nper-file-ignores = { "demo.py" = ["ALL"] }', True),
        ('rule-options = { TDL006 = { persistent = true } }\ndevice-expression = ["a.b"]', True),
        ("selct = []", False),
        ("jobs = 0", False),
        ("jobs = true", False),
        ('severity = { TDL101 = "bad" }', False),
        ('output-format = "jsn"', False),
        ('device-expression = ["a b"]', False),
        ("rule-options = { TDL006 = 3 }", False),
    ],
)
def test_an_editor_and_the_command_agree(
    tmp_path: Path, lint: Lint, text: str, valid: bool
) -> None:
    """What the schema finds wrong is what the command refuses."""
    jsonschema = pytest.importorskip("jsonschema", reason="needs the extra `test`")
    validator = jsonschema.Draft202012Validator(schema())
    assert validator.is_valid(parsed(text, "")) == valid
    (tmp_path / "torchdev-lint.toml").write_text(text, encoding="utf-8")
    assert lint("--show-settings", ".").code == (0 if valid else 2)


def test_the_page_has_all_settings() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert table() in page, "put what `torchdev_lint.config.schema.table` gives into it"


@pytest.mark.parametrize("option", list(described()), ids=lambda option: option.key)
def test_examples_are_of_the_kind_that_is_described(option: Any) -> None:
    value = parsed(f"{option.key} = {option.example}", "")[option.key]
    option.kind.read(value)
    described_as: Any = schema()["properties"]
    assert fits(value, described_as[option.key])
    assert not fits(object(), described_as[option.key])
    assert json.loads(json.dumps(described_as)) == described_as


def fits(value: object, described_as: dict[str, Any]) -> bool:
    """Whether a value is as a schema says, as far as ours say anything."""
    types = {"string": str, "boolean": bool, "integer": int, "array": list, "object": dict}
    named = described_as["type"]
    wanted = tuple(types[each] for each in ([named] if isinstance(named, str) else named))
    if not isinstance(value, wanted):
        return False
    if isinstance(value, list):
        return all(fits(item, described_as["items"]) for item in value)
    if isinstance(value, dict):
        return all(fits(item, described_as["additionalProperties"]) for item in value.values())
    return value in described_as.get("enum", [value])
