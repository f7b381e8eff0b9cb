"""Which rules there are, known without importing them."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from torchdev_lint.cache.cache import Cache
from torchdev_lint.cache.shape import WrongShape, every, fields, text, truth
from torchdev_lint.config.kinds import OF_RULES
from torchdev_lint.config.options import Option
from torchdev_lint.config.selection import Coded
from torchdev_lint.records import dataclass

_NAME = "rules"


@dataclass(frozen=True, slots=True)
class KnownRule:
    """A rule.

    Args:
        code: `TDL` and three digits.
        name: the name in kebab case.
        opt_in: whether it is off until it is selected by code.
        preview: whether that is because it is still being tried out.
        options: what it can be told.
    """

    code: str
    name: str
    opt_in: bool
    preview: bool
    options: tuple[Option, ...]


def rules_there_are(cache: Cache | None, path: str | None) -> Sequence[Coded]:
    """Return the rules there are; if possible, without importing them.

    Args:
        cache: what is known; None: nothing, and nothing is kept.
        path: the file that is linted first, None if there is none.
    """
    if cache is not None and path is not None:
        with contextlib.suppress(WrongShape):
            return every(cache.fact(path, _NAME), _rule_from)
    from torchdev_lint.rules import ALL_RULES

    if cache is not None and path is not None:
        told = [
            [rule.code, rule.name, rule.opt_in, rule.preview, list(map(_described, rule.options))]
            for rule in ALL_RULES
        ]
        cache.keep_fact(path, _NAME, told)
    return ALL_RULES


def _rule_from(value: object) -> KnownRule:
    code, name, opt_in, preview, options = fields(value, 5)
    told = every(options, _option_from)
    return KnownRule(text(code), text(name), truth(opt_in), truth(preview), told)


def _described(option: Option) -> list[str]:
    return [option.name, option.kind.words]


def _option_from(value: object) -> Option:
    name, words = map(text, fields(value, 2))
    if words not in OF_RULES:
        raise WrongShape
    return Option(OF_RULES[words], "", "", "", name)
