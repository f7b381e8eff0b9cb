"""What needn't be run again, since the simulation has done so with the very same program."""

from __future__ import annotations

import hashlib
from pathlib import Path

import torch

from tests.fixtures import Fixture

from .evidence_file import Evidence


def simulation_digest() -> str:
    """Return what tells a simulation from a changed one, be it only in how programs are run."""
    here = Path(__file__).parent
    files = [*sorted((here / "simulated").glob("*.py")), here / "run_program.py"]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:8]


def is_current(evidence: Evidence) -> bool:
    """Whether the simulation, if it were asked again, would say the same of the same programs."""
    was = evidence.conditions.get("simulated")
    now = torch.__version__, simulation_digest()
    return was is not None and (was.torch, was.simulation) == now


def on_record(evidence: Evidence) -> frozenset[tuple[str, str, str]]:
    """Return what needn't be run again: programs, in which form, with the digest of what ran.

    A program does the same in each run, and what the simulation did with it is on record.
    """
    if not is_current(evidence):
        return frozenset()
    return frozenset(
        (entry.name, entry.variant, entry.program)
        for entry in evidence.programs
        if "simulated" in entry.records and not entry.records["simulated"].fault
    )


def digest_of(program: Fixture) -> str:
    """Return what tells a program from a changed one: of a project, the files' names count too."""
    digest = hashlib.sha256()
    for path in program.files:
        if program.is_project:
            digest.update(f"{path.relative_to(program.root).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]
