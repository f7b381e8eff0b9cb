"""What `docs/stability.md` promises, as it is now.

The record, `stable.json`, is what has been promised: what is in it stays, or the next version is a
new minor or major one. `python -m tests.shipped.stability --write` writes it anew.
"""

from __future__ import annotations

import json
import sys
from dataclasses import fields
from typing import Any

import yaml

import torchdev_lint
from tests.command import ROOT
from torchdev_lint import exit_codes
from torchdev_lint.catalog.told import Told
from torchdev_lint.cli import _parser
from torchdev_lint.commands import SUBCOMMANDS
from torchdev_lint.config.formats import OUTPUT_FORMATS
from torchdev_lint.config.options import described
from torchdev_lint.rules import OWN_RULES

RECORD = ROOT / "tests" / "shipped" / "stable.json"


def promised() -> dict[str, Any]:
    """Return what is there now of all that is promised."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    codes = ("CLEAN", "FOUND", "FAILED", "INTERRUPTED")
    return {
        "rules": {rule.code: rule.name for rule in OWN_RULES if not rule.opt_in},
        "exit codes": {name: getattr(exit_codes, name) for name in codes},
        "options": {name: "" for action in _parser()._actions for name in action.option_strings},
        "subcommands": dict.fromkeys(SUBCOMMANDS, ""),
        "settings": {option.key: option.kind.words for option in described()},
        "told in flake8": {each.name: "" for each in fields(Told)},
        "formats": dict.fromkeys(OUTPUT_FORMATS, ""),
        "interface for programs": dict.fromkeys(torchdev_lint.__all__, ""),
        "hooks": {hook["id"]: "" for hook in hooks},
        "inputs of the action": dict.fromkeys(action["inputs"], ""),
    }


def broken(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return what was promised and is not there any more, or is something else."""
    return [
        f"{kind}: {name}"
        for kind, names in before.items()
        for name, what in names.items()
        if now.get(kind, {}).get(name) != what
    ]


if __name__ == "__main__":
    text = json.dumps(promised(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    if "--write" in sys.argv[1:]:
        RECORD.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
