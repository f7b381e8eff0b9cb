"""What other tools say about the marked lines of the fixtures.

    python -m tests.benchmark.beside FILE...

Each file holds what a tool printed about `fixtures/*/*.py`, a line a message, with path and line in
front, as linters and type checkers print it. What is counted are marked lines of programs of one
file: those of which the tool says anything, and by which of its rules. Whether that is about the
defect is for a reader to tell.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from pathlib import Path

from tests.fixtures import ALL

_PLACE = re.compile(r"^\s*\S*?fixtures/(?P<path>\S+?\.py):(?P<line>\d+)\b[^ ]*(?: -)?(?P<rest>.*)$")
_CODE_AT_THE_END = re.compile(r"[(\[](?P<code>[A-Za-z-]+)[)\]]$")
_CODE_IN_FRONT = re.compile(r"^\W*(?P<code>[A-Z]+\d+|[a-z]+(?:-[a-z]+)*)")
_SHOWN = 12

Line = tuple[str, int]


def main() -> None:
    """Print what each file says about marked lines."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    marked = marked_lines()
    for path in parser.parse_args().files:
        said = messages(path.read_text(encoding="utf-8"))
        hit = {line: codes for line, codes in said.items() if line in marked}
        by_code = Counter(code for codes in hit.values() for code in set(codes))
        total = sum(map(len, said.values()))
        print(f"{path.name}: {total} messages, on {len(hit)} of {len(marked)} marked lines")
        print("".join(f"  {n:4} {code}\n" for code, n in by_code.most_common(_SHOWN)), end="")


def marked_lines() -> set[Line]:
    """Return the marked lines of programs of one file."""
    return {
        (fixture.main.relative_to(fixture.main.parents[1]).as_posix(), line)
        for fixture in ALL
        if not fixture.is_project
        for line in fixture.expected[fixture.main]
    }


def messages(text: str) -> dict[Line, list[str]]:
    """Return the rules that speak, by the lines that they speak of."""
    found: dict[Line, list[str]] = defaultdict(list)
    for line in text.splitlines():
        place = _PLACE.match(line)
        if place is not None:
            rest = place["rest"].strip()
            code = _CODE_AT_THE_END.search(rest) or _CODE_IN_FRONT.match(rest)
            found[place["path"], int(place["line"])].append(code["code"] if code else "")
    return found


if __name__ == "__main__":
    main()
