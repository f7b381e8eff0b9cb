"""How many bugs of real projects the linter finds, each in its whole repository as it stood.

    python -m tests.benchmark.bugs MIRROR OUT [--misses] [--half tune|kept] [--cases INDEX]

MIRROR holds the histories of the repositories in the index, `cases.jsonl` if no other is named
(`--repositories` lists them), one clone in each `MIRROR/OWNER+NAME`. For each repository and commit
OUT/OWNER+NAME@COMMIT gets the Python files, once. There the linter runs, in a process of its own,
over the files of the cases; what they import is there to be followed. A bug counts as found if a
finding of whatever rule lies in the innermost statement of one of its lines, or of those of the fix
in the same function.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.benchmark.bugs.cases import HALVES, INDEX, Case, of_half, read
from tests.benchmark.bugs.report import Answer, table
from tests.benchmark.bugs.statements import extents, innermost
from tests.benchmark.bugs.trees import tree
from tests.command import ROOT
from torchdev_lint.exit_codes import CLEAN, FAILED

_COMMAND = [sys.executable, "-m", "torchdev_lint"]
_OPTIONS = ["--output-format", "json", "--no-cache", "--exit-zero"]

_NOT_LINTED = "invalid-syntax"
"""The code of what is no finding, but says that a file was not linted."""


def main() -> None:
    """Ask for each case, and print how many were found."""
    options = _options()
    cases = of_half(read(options.cases), options.half)
    if options.repositories:
        print("\n".join(sorted({case.repository for case in cases}, key=str.lower)))
        return
    answers: list[Answer] = []
    for (repository, commit), group in _by_commit(cases).items():
        folder = tree(options.mirror, options.out, repository, commit)
        if folder is None:
            print(f"not at hand: {repository} {commit}", file=sys.stderr)
        else:
            answers.extend(answered(folder, group, options.command))
    print(table(answers))
    if options.misses:
        for case in (answer.case for answer in answers if not answer.found):
            if case.half == "tune":
                print(told(case))


def answered(folder: Path, cases: Sequence[Case], command: Sequence[str]) -> list[Answer]:
    """Lint the files of some cases in their tree, and look at what is found where they are.

    Args:
        folder: the tree; all cases are of its commit.
        command: the linter, without options.
    """
    found = _found(folder, sorted({case.path for case in cases}), command)
    return [Answer(case, _codes_at(case, folder, found.get(case.path, ()))) for case in cases]


def told(case: Case) -> str:
    """Tell which case it is, in a line."""
    where = f"{case.repository}@{case.parent[:12]} {case.path}:{','.join(map(str, case.lines))}"
    kind = f" {case.kind}" if case.kind else ""
    return f"missed {case.code}{kind} {where} ({case.confidence}, {case.one_file}) {case.why}"


def _codes_at(case: Case, folder: Path, found: Iterable[tuple[int, str]]) -> frozenset[str]:
    """Return the codes of the findings where the case is."""
    statements = extents((folder / case.path).read_bytes())
    wanted = [innermost(statements, line) for line in (*case.lines, *case.mended)]
    return frozenset(code for row, code in found if any(row in extent for extent in wanted))


def _found(
    folder: Path, paths: Sequence[str], command: Sequence[str]
) -> dict[str, list[tuple[int, str]]]:
    """Run the linter in a tree, and return row and code of what it finds, for each file.

    Files that it can't lint count as files without findings, which is said.
    """
    # Python would look for modules in the tree first, which may have a `json.py`.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [*command, *_OPTIONS, *paths],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode not in (CLEAN, FAILED):
        raise subprocess.CalledProcessError(done.returncode, done.args, done.stdout, done.stderr)
    if done.returncode == FAILED:
        print(f"not all of {folder.name} was linted: {done.stderr.strip()}", file=sys.stderr)
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for finding in json.loads(done.stdout):
        if finding["code"] == _NOT_LINTED:
            continue
        path = (folder / finding["filename"]).resolve().relative_to(folder.resolve())
        found[path.as_posix()].append((finding["location"]["row"], finding["code"]))
    return found


def _by_commit(cases: Iterable[Case]) -> dict[tuple[str, str], list[Case]]:
    grouped: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in cases:
        grouped[case.repository, case.parent].append(case)
    return grouped


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("mirror", type=Path, nargs="?", help="the histories")
    parser.add_argument("out", type=Path, nargs="?", help="where the trees go")
    parser.add_argument("--cases", type=Path, default=INDEX, help="the index of the cases")
    parser.add_argument("--half", choices=HALVES, help="only the repositories of one half")
    parser.add_argument("--misses", action="store_true", help="list what of `tune` was missed")
    parser.add_argument("--repositories", action="store_true", help="list them, and do no more")
    parser.add_argument(
        "--command", type=shlex.split, default=_COMMAND, help="another linter with these options"
    )
    options = parser.parse_args()
    if not options.repositories and options.out is None:
        parser.error("MIRROR and OUT are needed")
    return options


if __name__ == "__main__":
    main()
