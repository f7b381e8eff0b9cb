"""Programs made of every kind of statement, expression and pattern that Python has, at random.

Each form is a text with holes: `$e` an expression, `$t` a target, `$p` a pattern, `$n` a name,
`$a` an expression without quotes and brackets (for format strings), `$b` a block of statements.
The names are those that placement code uses, so that the analysis takes an interest.
"""

from __future__ import annotations

import random
import re
import sys
from dataclasses import dataclass

_HOLE = re.compile(r"\$([aebnpt])")
_STEP = "    "


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write something.

    Args:
        text: the text, with holes.
        since: the first Python that can parse it.
    """

    text: str
    since: tuple[int, int] = (3, 10)

    @property
    def is_known(self) -> bool:
        """Whether the running Python can parse it; `test_grammar` holds that against it."""
        return sys.version_info >= self.since


def _forms(texts: str) -> list[Form]:
    return [Form(text) for text in texts.strip().splitlines()]


_OPERATORS = "+ - * @ / % ** << >> | ^ & //".split()
_COMPARISONS = [*"== != < <= > >= is in".split(), "is not", "not in"]

NAMES = _forms("x\ny\ndevice\nself\nmodel\nbatch")
ATOMS = [*NAMES, *_forms("x.device\nself.weight\n(2)")]
LEAVES = [
    *ATOMS,
    *_forms(
        """
1.5
None
...
b'bytes'
"cuda"
self.layer
torch.zeros(3)
torch.nn.Linear(3, 4)
x.to(device)
x.cuda()
"""
    ),
]
EXPRESSIONS = [
    *LEAVES,
    *(Form(f"($e {operator} $e)") for operator in [*_OPERATORS, *_COMPARISONS, "and", "or"]),
    *(Form(f"({operator} $e)") for operator in ("+", "-", "~", "not")),
    *_forms(
        """
($e < $e <= $e)
($n := $e)
($e if $e else $e)
(lambda: $e)
(lambda a, /, b=$e, *c, d, e=$e, **f: $e)
$e.shape
$e.to($e)
$e($e, *$e, key=$e, **$e)
$e($e for $t in $e)
$e[$e]
$e[$e:$e:$e, ..., None]
[$e, *$e]
($e, *$e)
{$e, *$e}
{$e: $e, **$e}
[$e for $t in $e if $e for $t in $e]
{$e for $t in $e}
{$e: $e for $t in $e}
[$e async for $t in $e]
(await $e)
(yield)
(yield $e)
(yield from $e)
f"{$a!r:>{$a}} {$a=} text"
"""
    ),
    Form("$e[$e, *$e]", (3, 11)),
    Form("""f"{$a["key"]}" """.strip(), (3, 12)),
    Form("""t"{$a!r:>{$a}} {$a=} text" """.strip(), (3, 14)),
]
TARGETS = [
    *NAMES,
    *_forms("$e.attribute\n$e[$e]\n$e[$e:$e]\n($t, $t)\n[$t, *$t]"),
]
PATTERNS = _forms(
    """
_
$n
1
-1.5 + 2j
"cuda"
None
torch.float32
[$p, *_]
($p, *$n, $p)
{"key": $p, torch.float: $p, **$n}
torch.Tensor()
torch.Tensor($p, shape=$p)
torch.Tensor(shape=$p, device=$p)
($p | $p)
($p as $n)
"""
)
STATEMENTS = [
    *(Form(f"$n {operator}= $e") for operator in _OPERATORS),
    *_forms(
        """
pass
break
continue
return
return $e
$e
$t = $t = $e
$e.attribute += $e
$n: $e
$n: $e = $e
$e.attribute: $e = $e
del $e[$e], $n
raise
raise $e from $e
assert $e, $e
import torch.nn, torch.cuda as $n
from torch import nn as $n, zeros
from .. import *
global $n
nonlocal $n, y
"""
    ),
    *(
        Form(text)
        for text in (
            "@$e\ndef $n(a: $e, /, b=$e, *c: $e, d, e=$e, **f) -> $e:$b",
            "@$e\nasync def $n(self, x):$b",
            "@$e\nclass $n($e, *$e, metaclass=$e):$b",
            "class $n(torch.nn.Module):$b",
            "for $t in $e:$belse:$b",
            "async for $t in $e:$b",
            "while $e:$belse:$b",
            "if $e:$belif $e:$belse:$b",
            "with $e as $t, $e:$b",
            "with (\n    $e as $t,\n    $e,\n):$b",
            "async with $e as $t:$b",
            "try:$bfinally:$b",
            "try:$bexcept $e as $n:$bexcept ($e, $e):$bexcept:$belse:$bfinally:$b",
            "match $e:\n    case $p if $e:$b    case $p:$b",
        )
    ),
    Form("try:$bexcept* $e as $n:$belse:$b", (3, 11)),
    Form("def $n(*c: *$e):$b", (3, 11)),
    Form("type $n = $e", (3, 12)),
    Form("type $n[T: $e, *U, **V] = $e", (3, 12)),
    Form("def $n[T: ($e, $e), *U, **V](x: T) -> $e:$b", (3, 12)),
    Form("async def $n[T](x: T):$b", (3, 12)),
    Form("class $n[T: $e, *U, **V]($e):$b", (3, 12)),
    Form("type $n[T = $e, *U = *$e, **V = $e] = $e", (3, 13)),
    Form("def $n[T: $e = $e](x: T):$b", (3, 13)),
    Form("class $n[*U = $e, **V = $e]:$b", (3, 13)),
    Form("try:$bexcept $e, $e:$b", (3, 14)),
    Form("try:$bexcept* $e, $e:$b", (3, 14)),
]

_KINDS = {"a": ATOMS, "e": EXPRESSIONS, "n": NAMES, "p": PATTERNS, "t": TARGETS}
_SIMPLEST = {"a": "x", "e": "x", "n": "y", "p": "_", "t": "x"}


def simplest(form: Form) -> str:
    """Return a form as a statement, or what holds one, with as little in its holes as goes."""
    text = _HOLE.sub(lambda hole: _simple(hole, form.text), form.text)
    if form in STATEMENTS:
        return text
    if form in PATTERNS:
        return f"match x:\n    case {text}:\n        pass\n"
    return f"{text} = x\n" if form in TARGETS else f"{text}\n"


def _simple(hole: re.Match[str], text: str) -> str:
    if hole[1] == "b":
        return _block(["pass"], _margin(text, hole.start()))
    return _SIMPLEST[hole[1]]


def _margin(text: str, at: int) -> str:
    """Return the indentation of the line that a place is on, whether or not blocks precede it."""
    start = max(text.rfind("\n", 0, at), text.rfind("$b", 0, at) + 1) + 1
    line = text[start:at]
    return line[: len(line) - len(line.lstrip())]


def _block(lines: list[str], margin: str) -> str:
    return "".join(f"\n{margin}{_STEP}{line}" for line in lines) + "\n"


class Writer:
    """Writes programs.

    Args:
        chance: what to draw from.
    """

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def statement(self, depth: int = 3) -> str:
        """Return a statement that the running Python can parse.

        Args:
            depth: how deep blocks and expressions may be nested.
        """
        return self._filled(self._choice(STATEMENTS), depth).rstrip("\n")

    def program(self) -> str:
        """Return a file in which the forms stand where the analysis looks: a module's methods."""
        head = "import torch\nfrom torch import nn\n\nx = torch.ones(3)\n"
        body = [f"        {line}" for line in self._statements(3)]
        init = [f"        {line}" for line in self._statements(1)]
        top = self._statements(2)
        net = ["class Net(nn.Module):", "    def __init__(self, batch):", *init]
        return head + "\n".join([*net, "    def forward(self, x):", *body, *top, "x.cuda()", ""])

    def _statements(self, depth: int) -> list[str]:
        count = self._chance.randint(1, 3)
        return [line for _ in range(count) for line in self.statement(depth).split("\n")]

    def _choice(self, forms: list[Form]) -> Form:
        return self._chance.choice([form for form in forms if form.is_known])

    def _filled(self, form: Form, depth: int) -> str:
        return _HOLE.sub(lambda hole: self._hole(hole, form.text, depth - 1), form.text)

    def _hole(self, hole: re.Match[str], text: str, depth: int) -> str:
        kind = hole[1]
        if kind == "b":
            lines = self._statements(depth) if depth > 0 else ["pass"]
            return _block(lines, _margin(text, hole.start()))
        if depth > 0:
            return self._filled(self._choice(_KINDS[kind]), depth)
        if kind == "e":
            return self._choice(LEAVES).text
        return _SIMPLEST[kind] if kind == "p" else self._choice(_KINDS["n"]).text
