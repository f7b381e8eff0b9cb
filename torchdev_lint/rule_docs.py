"""The documentation of the rules, made from the rules themselves.

Run `python -m torchdev_lint.rule_docs` to write the pages anew.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchdev_lint.rules.base import Rule


def page(rule: Rule) -> str:
    """Return a rule's page, in Markdown."""
    opt_in = f"Off by default: turn it on with `--select {rule.code}`.\n\n" if rule.opt_in else ""
    return (
        f"# {rule.name} ({rule.code})\n\n"
        f"{rule.summary.strip()}\n\n"
        f"{opt_in}"
        f"## Why it fails\n\n{rule.reason.strip()}\n\n"
        f"## Example\n\n```python\n{rule.bad.strip()}\n```\n\n"
        f"Use instead:\n\n```python\n{rule.good.strip()}\n```\n\n"
        f"## Fix safety\n\n{rule.fix_safety.strip()}\n\n"
        f"{_options(rule)}"
        f"## Silence it\n\nEnd a line of the statement with `# noqa: {rule.code}`.\n"
    )


def _options(rule: Rule) -> str:
    """What a rule can be told, under a heading of its own; nothing where that is nothing."""
    lines = [
        f"- `{option.key}`, {option.kind.words}; otherwise {option.default}. {option.text}\n"
        for option in rule.options
    ]
    intro = f"In the table `rule-options.{rule.code}` of the [settings](../configuration.md):\n\n"
    return f"## Options\n\n{intro}{''.join(lines)}\n" if lines else ""


def table(rules: Sequence[Rule], folder: str) -> str:
    """Return the list of rules as a Markdown table.

    Args:
        rules: the rules.
        folder: where the pages are, seen from the page with the table; empty or ends in `/`.
    """
    rows = ["| code | name | what it finds |", "| --- | --- | --- |"]
    for rule in rules:
        off = " Off by default." if rule.opt_in else ""
        rows.append(
            f"| [{rule.code}]({folder}{rule.code}.md) | {rule.name} | {rule.summary}{off} |"
        )
    return "\n".join(rows) + "\n"


def pages() -> dict[str, str]:
    """Return the pages of our own rules, by file name."""
    from torchdev_lint.rules import OWN_RULES

    made = {f"{rule.code}.md": page(rule) for rule in OWN_RULES}
    made["index.md"] = (
        "# Rules\n\n<!-- Made from the rules by `python -m torchdev_lint.rule_docs`. -->\n\n"
        "By code; [by error message](../errors.md) they stand on a page of their own.\n\n"
        + table(OWN_RULES, "")
    )
    return made


def main(folder: str = "docs/rules") -> None:
    """Write the pages to a folder."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (target / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
