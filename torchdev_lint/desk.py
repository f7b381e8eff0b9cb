"""Where all comes together that is said during a run: findings, problems, fixes, progress."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator
from typing import TextIO

from torchdev_lint import signals, streams
from torchdev_lint.applying.summary import Summary
from torchdev_lint.exit_codes import CLEAN, FAILED, FOUND
from torchdev_lint.progress import Progress
from torchdev_lint.report import FileReport, StandardInput
from torchdev_lint.reporters.choice import FOR_PEOPLE, reporter_for
from torchdev_lint.reporters.options import format_of, output_to
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.shown import shown_lines


class Desk:
    """Takes in what came out of each file, and writes it where it belongs.

    Args:
        options: the command line.
        files: how many there will be.
        stdin: standard input, if it is linted.
        file: where findings go if they don't go to standard output.
    """

    def __init__(
        self,
        options: argparse.Namespace,
        files: int,
        stdin: StandardInput | None,
        file: TextIO | None = None,
    ) -> None:
        self._options = options
        # What comes from standard input goes to standard output, fixed; all talk goes elsewhere.
        self._fixed = stdin if options.fix or options.diff else None
        self._talk = sys.stdout if self._fixed is None else sys.stderr
        self._stream = file or self._talk
        self._format = format_of(options, self._stream)
        nameless = stdin.name if stdin is not None and not options.stdin_filename else ""
        self._output = output_to(self._stream, options, nameless)
        self._reporter = reporter_for(self._format, self._output, options.statistics)
        self._summary = Summary(options.show_fixes)
        self._progress = Progress(sys.stderr, files)
        self._files, self._done = files, 0
        self._failed = self._found = False

    def add(self, report: FileReport) -> None:
        """Write about one file."""
        self._done += 1
        self._found |= bool(report.findings)
        if report.problem is not None or report.findings or report.notes or report.repairs:
            self._progress.clear()
        if report.problem is not None:
            self._warn_of(report.problem)
        for warning in report.warnings:
            self.say(warning)
        if report.repairs is not None:
            self._summary.add(report.path, report.repairs, report.cells)
            self._write_difference(report.repairs.diff)
        if self._fixed is not None and report.path == self._fixed.name and not self._options.diff:
            _write_bytes(sys.stdout, _fixed_input(report, self._fixed))
        self._report(report)
        self._progress.update(self._done)

    def complain(self, problem: Problem) -> None:
        """Say what could not be linted; the others are dealt with all the same."""
        self._warn_of(problem)
        self._report(FileReport(problem.path, problem=problem))

    def add_late(self, report: FileReport) -> None:
        """Take in what was done to a file whose turn has not come when the run is interrupted."""
        if report.repairs is not None:
            self._summary.add(report.path, report.repairs, report.cells)

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Sum up at the end of a block, also where it is interrupted."""
        try:
            yield
        except BaseException:
            # Outside, as what is in time also fails: what waits in the buffer goes out at its end.
            with contextlib.suppress(OSError), streams.in_time(self._stream):
                self._finish(complete=False)
            raise
        self._finish(complete=True)

    def _finish(self, complete: bool) -> None:
        """Sum up.

        Args:
            complete: whether all files were dealt with; otherwise the run was interrupted.
        """
        self._progress.clear()
        options = self._options
        if options.fix and not complete:
            self._summary.write_interrupted(sys.stderr)
        elif (options.fix or options.diff) and not options.quiet:
            self._sum_up_fixes()
        if not options.diff:
            self._reporter.finish(complete)

    def _sum_up_fixes(self) -> None:
        """Say what was fixed; formats for people say themselves how much that is."""
        dry, apart = self._options.diff, self._stream is not self._talk
        if not dry and not apart and self._format in FOR_PEOPLE:
            self._summary.write_list(self._talk, dry)
        else:
            self._summary.write(sys.stderr if dry or not apart else self._talk, dry)

    def exit_code(self) -> int:
        """The exit code that says how it went."""
        options = self._options
        if self._failed:
            return FAILED
        found = self._summary.fixed > 0 if options.diff else self._found
        found |= options.exit_non_zero_on_fix and self._summary.fixed > 0
        return FOUND if found and not options.exit_zero else CLEAN

    def exit_code_so_far(self) -> int:
        """The exit code of a run that ends before its time: only what was all linted is clean."""
        code = self.exit_code()
        is_told = code != CLEAN or self._options.exit_zero or self._done == self._files
        return code if is_told else FAILED

    def _report(self, report: FileReport) -> None:
        # What programs read is never left in the middle of an element, and stands in no patch.
        whole = self._format not in FOR_PEOPLE
        if whole and self._options.diff:
            return
        with signals.blocked() if whole else contextlib.nullcontext():
            self._reporter.add(report)

    def _warn_of(self, problem: Problem) -> None:
        self._failed = True
        self.say(problem)

    def say(self, problem: Problem) -> None:
        """Write a line beside the findings."""
        self._progress.clear()
        sys.stdout.flush()  # so that on a terminal the lines stay in order
        print(problem, file=sys.stderr)

    def _write_difference(self, data: bytes) -> None:
        """Write a patch, in its own bytes unless a person looks at it."""
        stream = self._stream if self._options.output_file else sys.stdout
        if stream.isatty():
            stream.write(shown_lines(data))
        else:
            _write_bytes(stream, data)


def _fixed_input(report: FileReport, stdin: StandardInput) -> bytes:
    """What was read from standard input, fixed; as it was if nothing could be done with it."""
    fixed = report.repairs.output if report.repairs is not None else None
    return stdin.data if fixed is None else fixed


def _write_bytes(stream: TextIO, data: bytes) -> None:
    stream.flush()
    stream.buffer.write(data)
