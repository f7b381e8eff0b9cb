"""What users can set: the one description that files, command line, schema and pages are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from torchdev_lint.config.kinds import (
    FLAG,
    NUMBER,
    TABLE_OF_TEXTS,
    TEXT,
    TEXTS,
    Kind,
    one_of,
    table_of,
)

Texts = tuple[str, ...]
Table = tuple[tuple[str, Texts], ...]

SEVERITIES = ("error", "warning")
OUTPUT_FORMATS = ("text", "json")
"""What `--output-format` takes."""
_META = "option"


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be set.

    Args:
        name: the attribute of `Options`.
        kind: the kind of its values.
        text: what it does, in a sentence or two of Markdown.
        default: what holds where it is not set, in Markdown.
        example: a value, as TOML.
    """

    name: str
    kind: Kind
    text: str
    default: str
    example: str

    @property
    def key(self) -> str:
        """What it is called in files."""
        return self.name.replace("_", "-")

    @property
    def adds(self) -> bool:
        """Whether what is set in one place comes besides what is set in others."""
        return self.name.startswith("extend_")


def _option(kind: Kind, text: str, default: str, example: str) -> Any:
    return field(default=None, metadata={_META: (kind, text, default, example)})


@dataclass(frozen=True, slots=True)
class Options:
    """What was set in one place, such as a file or the command line; None is what was not."""

    extend: str | None = _option(
        TEXT,
        "Another file of settings, which hold where this file says nothing else. "
        "A path from the folder of this file.",
        "nothing",
        '"../torchdev-lint.toml"',
    )
    select: Texts | None = _option(
        TEXTS,
        "The rules to run: codes, the beginnings of codes, names of rules, or `ALL`. "
        "The longer beginning wins; of two equal ones, the one that ignores.",
        "all rules but opt-in ones",
        '["TDL0", "load-without-map-location"]',
    )
    extend_select: Texts | None = _option(
        TEXTS, "Rules to run besides.", "`[]`", '["TDL900"]'
    )
    ignore: Texts | None = _option(TEXTS, "Rules to leave out.", "`[]`", '["TDL101"]')
    extend_ignore: Texts | None = _option(
        TEXTS, "Rules to leave out besides.", "`[]`", '["TDL006"]'
    )
    per_file_ignores: Table | None = _option(
        TABLE_OF_TEXTS,
        "Rules to leave out in files and folders that match a pattern; in all others, if the "
        "pattern begins with `!`.",
        "`{}`",
        '{ "tests/" = ["TDL"] }',
    )
    extend_per_file_ignores: Table | None = _option(
        TABLE_OF_TEXTS,
        "The same, besides what `per-file-ignores` says.",
        "`{}`",
        '{ "demo.py" = ["TDL004"] }',
    )
    severity: tuple[tuple[str, str], ...] | None = _option(
        table_of(one_of(*SEVERITIES), "a table of severities"),
        "How bad findings of rules are said to be: `error` or `warning`.",
        "as the evidence is",
        '{ TDL101 = "warning" }',
    )
    fixable: Texts | None = _option(
        TEXTS, "Rules whose findings may be fixed.", '`["ALL"]`', '["TDL001", "TDL002"]'
    )
    unfixable: Texts | None = _option(
        TEXTS, "Rules whose findings are not to be fixed.", "`[]`", '["TDL003"]'
    )
    extend_safe_fixes: Texts | None = _option(
        TEXTS,
        "Rules whose unsafe fixes are to be treated as safe ones.",
        "`[]`",
        '["TDL003"]',
    )
    unsafe_fixes: bool | None = _option(
        FLAG, "Whether `--fix` applies unsafe fixes as well.", "`false`", "true"
    )
    exclude: Texts | None = _option(
        TEXTS,
        "Files and folders to leave out, unless they are named on the command line: patterns as in "
        "`.gitignore`, from the folder of this file.",
        "virtual environments, `build/`, `dist/`, `node_modules/` and the like",
        '["generated/", "*_pb2.py"]',
    )
    extend_exclude: Texts | None = _option(
        TEXTS,
        "Files and folders to leave out besides. What begins with `!` is taken in again.",
        "`[]`",
        '["third_party/"]',
    )
    force_exclude: bool | None = _option(
        FLAG,
        "Whether to leave out what is excluded even where it is named on the command line, "
        "as pre-commit does.",
        "`false`",
        "true",
    )
    respect_gitignore: bool | None = _option(
        FLAG, "Whether to leave out what git ignores.", "`true`", "false"
    )
    output_format: str | None = _option(
        one_of(*OUTPUT_FORMATS),
        "How findings are written, as by `--output-format`.",
        '`"text"`',
        '"json"',
    )
    jobs: int | None = _option(
        NUMBER, "How many processes lint.", "what is worth it, up to one a CPU", "4"
    )
    cache_dir: str | None = _option(
        TEXT,
        "The folder to keep results in; a path from the folder of this file.",
        "`.torchdev_lint_cache` in the project's root",
        '"/tmp/torchdev-lint"',
    )


def described() -> Iterator[Option]:
    """Yield everything that can be set, in the order in which it is described."""
    for each in fields(Options):
        yield Option(each.name, *each.metadata[_META])
