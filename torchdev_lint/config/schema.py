"""The description of the settings for others: a JSON schema for editors, a table for people.

Run `python -m torchdev_lint.config.schema` to write the schema anew; a test says when to, and where
the table in the documentation isn't that of `table`.
"""

from __future__ import annotations

import json
import os

from torchdev_lint.config.options import described

PATH = os.path.join(os.path.dirname(__file__), "schema.json")
"""The schema that is shipped, of `torchdev-lint.toml` and of `[tool.torchdev-lint]`."""


def schema() -> dict[str, object]:
    """Return the JSON schema of a file of settings."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of torchdev-lint",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            option.key: {"description": option.text, **option.kind.schema} for option in described()
        },
    }


def written() -> str:
    """Return the schema as it is shipped."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def table() -> str:
    """Return all settings as a Markdown table."""
    rows = ["| setting | what it does | value | if it is not set |", "| --- | --- | --- | --- |"]
    for option in described():
        value = f"{option.kind.words}, such as `{option.example}`"
        rows.append(f"| `{option.key}` | {option.text} | {value} | {option.default} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    """Write the schema."""
    with open(PATH, "w", encoding="utf-8", newline="\n") as file:
        file.write(written())


if __name__ == "__main__":
    main()
