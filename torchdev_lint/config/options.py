"""What users can set: the one description that files, command line, schema and page are made of."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Annotated, get_args

from torchdev_lint.config.formats import OUTPUT_FORMATS
from torchdev_lint.config.kinds import (
    FLAG,
    NUMBER,
    PATHS_OF_NAMES,
    TABLE_OF_TABLES,
    TABLE_OF_TEXTS,
    TEXT,
    TEXTS,
    Kind,
    one_of,
    table_of,
)
from torchdev_lint.records import dataclass, replace

Texts = tuple[str, ...]
Table = tuple[tuple[str, Texts], ...]
RuleOptions = tuple[tuple[str, tuple[tuple[str, object], ...]], ...]

SEVERITIES = ("error", "warning")


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be set.

    Args:
        kind: the kind of its values.
        text: what it does, in a sentence or two of Markdown.
        default: what holds where it is not set, in Markdown.
        example: a value, as TOML.
        name: the attribute of `Options`.
    """

    kind: Kind
    text: str
    default: str
    example: str
    name: str = ""

    @property
    def key(self) -> str:
        """What it is called in files."""
        return self.name.replace("_", "-")

    @property
    def adds(self) -> bool:
        """Whether what is set in one place comes besides what is set in others."""
        return self.name.startswith("extend_")


@dataclass(frozen=True, slots=True)
class Options:
    """What was set in one place, such as a file or the command line; None is what was not."""

    extend: Annotated[
        str | None,
        Option(
            TEXT,
            "Another file of settings, which hold where this file says nothing else. "
            "A path from the folder of this file.",
            "nothing",
            '"../torchdev-lint.toml"',
        ),
    ] = None
    select: Annotated[
        Texts | None,
        Option(
            TEXTS,
            "The rules to run: codes, the beginnings of codes, names of rules, or `ALL`. "
            "The longer beginning wins; of two equal ones, the one that ignores.",
            "all rules but opt-in ones",
            '["TDL0", "load-without-map-location"]',
        ),
    ] = None
    extend_select: Annotated[
        Texts | None, Option(TEXTS, "Rules to run besides.", "`[]`", '["TDL101"]')
    ] = None
    ignore: Annotated[Texts | None, Option(TEXTS, "Rules to leave out.", "`[]`", '["TDL101"]')] = (
        None
    )
    extend_ignore: Annotated[
        Texts | None, Option(TEXTS, "Rules to leave out besides.", "`[]`", '["TDL006"]')
    ] = None
    preview: Annotated[
        bool | None,
        Option(
            FLAG,
            "Whether rules that are still being tried out, which are off otherwise, run by "
            "default, too.",
            "`false`",
            "true",
        ),
    ] = None
    per_file_ignores: Annotated[
        Table | None,
        Option(
            TABLE_OF_TEXTS,
            "Rules to leave out in files and folders that match a pattern; in all others, if the "
            "pattern begins with `!`.",
            "`{}`",
            '{ "tests/" = ["TDL"] }',
        ),
    ] = None
    extend_per_file_ignores: Annotated[
        Table | None,
        Option(
            TABLE_OF_TEXTS,
            "The same, besides what `per-file-ignores` says.",
            "`{}`",
            '{ "demo.py" = ["TDL004"] }',
        ),
    ] = None
    severity: Annotated[
        tuple[tuple[str, str], ...] | None,
        Option(
            table_of(one_of(*SEVERITIES), "a table of severities"),
            "How bad findings of rules are said to be: `error` or `warning`.",
            "as the evidence is",
            '{ TDL101 = "warning" }',
        ),
    ] = None
    rule_options: Annotated[
        RuleOptions | None,
        Option(
            TABLE_OF_TABLES,
            "What single rules can be told, by their codes or names: their pages say what.",
            "`{}`",
            "{ TDL006 = { persistent = true } }",
        ),
    ] = None
    fixable: Annotated[
        Texts | None,
        Option(TEXTS, "Rules whose findings may be fixed.", '`["ALL"]`', '["TDL001", "TDL002"]'),
    ] = None
    unfixable: Annotated[
        Texts | None,
        Option(TEXTS, "Rules whose findings are not to be fixed.", "`[]`", '["TDL003"]'),
    ] = None
    extend_safe_fixes: Annotated[
        Texts | None,
        Option(
            TEXTS, "Rules whose unsafe fixes are to be treated as safe ones.", "`[]`", '["TDL003"]'
        ),
    ] = None
    moves: Annotated[
        Texts | None,
        Option(
            TEXTS,
            "Functions, by dotted names, whose result is what they are given, moved to the "
            "accelerator.",
            "`[]`",
            '["mylib.utils.to_device"]',
        ),
    ] = None
    moves_in_place: Annotated[
        Texts | None,
        Option(
            TEXTS,
            "Functions that move models, lists or dicts themselves.",
            "`[]`",
            '["mylib.engine.prepare"]',
        ),
    ] = None
    module_bases: Annotated[
        Texts | None,
        Option(
            TEXTS,
            "Classes that inherit from `torch.nn.Module`, where that is out of sight.",
            "`[]`",
            '["mylib.models.Base"]',
        ),
    ] = None
    loaders: Annotated[
        Texts | None,
        Option(
            TEXTS,
            "Classes and functions that give data loaders, whose batches are on the CPU.",
            "`[]`",
            '["mylib.data.make_loader"]',
        ),
    ] = None
    host_only: Annotated[
        Texts | None,
        Option(
            TEXTS,
            "What never sees an accelerator: functions, methods and classes by dotted names, and "
            "files by patterns with a slash or `.py`.",
            "`[]`",
            '["scripts/", "mylib.metrics.plot"]',
        ),
    ] = None
    device_expression: Annotated[
        Texts | None,
        Option(
            PATHS_OF_NAMES,
            "What the project writes for its device, as names with dots. Fixes write the first one "
            "whose first name is bound there, before anything else that gives the device.",
            "`[]`",
            '["self.device", "cfg.device"]',
        ),
    ] = None
    src: Annotated[
        Texts | None,
        Option(
            TEXTS,
            "Folders from which the project's own modules are imported, besides those that show "
            "it themselves; paths from the folder of this file.",
            "`[]`",
            '["python", "libs/core"]',
        ),
    ] = None
    unsafe_fixes: Annotated[
        bool | None,
        Option(FLAG, "Whether `--fix` applies unsafe fixes as well.", "`false`", "true"),
    ] = None
    exclude: Annotated[
        Texts | None,
        Option(
            TEXTS,
            "Files and folders to leave out, unless they are named on the command line: patterns "
            "as in `.gitignore`, from the folder of this file.",
            "virtual environments, `build/`, `dist/`, `node_modules/` and the like",
            '["generated/", "*_pb2.py"]',
        ),
    ] = None
    extend_exclude: Annotated[
        Texts | None,
        Option(
            TEXTS,
            "Files and folders to leave out besides. What begins with `!` is taken in again.",
            "`[]`",
            '["third_party/"]',
        ),
    ] = None
    force_exclude: Annotated[
        bool | None,
        Option(
            FLAG,
            "Whether to leave out what is excluded even where it is named on the command line, "
            "as pre-commit does.",
            "`false`",
            "true",
        ),
    ] = None
    respect_gitignore: Annotated[
        bool | None,
        Option(
            FLAG,
            "Whether to leave out what git ignores, and what `.ignore` files name.",
            "`true`",
            "false",
        ),
    ] = None
    output_format: Annotated[
        str | None,
        Option(
            one_of(*OUTPUT_FORMATS),
            "How findings are written, as by `--output-format`.",
            '`"text"`: `full` on a terminal, `concise` elsewhere',
            '"json"',
        ),
    ] = None
    jobs: Annotated[
        int | None,
        Option(NUMBER, "How many processes lint.", "what is worth it, up to one a CPU", "4"),
    ] = None
    cache_dir: Annotated[
        str | None,
        Option(
            TEXT,
            "The folder to keep results in; a path from the folder of this file.",
            "`.torchdev_lint_cache` in the project's root",
            '"/tmp/torchdev-lint"',
        ),
    ] = None
    baseline: Annotated[
        str | None,
        Option(
            TEXT,
            "The file that `--write-baseline` wrote: what it holds is neither reported nor fixed. "
            "A path from the folder of this file.",
            "nothing is left aside",
            '"torchdev-lint-baseline.json"',
        ),
    ] = None


def described() -> Iterator[Option]:
    """Yield everything that can be set, in the order in which it is described."""
    for each in fields(Options):
        assert not isinstance(each.type, str)
        (option,) = get_args(each.type)[1:]
        yield replace(option, name=each.name)
