"""The cache as a run uses it that lints files: what is asked for, and what is worth keeping."""

from __future__ import annotations

from torchdev_lint.cache.cache import Cache
from torchdev_lint.cache.entry import Asked
from torchdev_lint.project.files import digest_of
from torchdev_lint.project.seen import Seen
from torchdev_lint.records import dataclass, replace
from torchdev_lint.report import FileReport, StandardInput, Task, Work
from torchdev_lint.source.discovery import STDIN
from torchdev_lint.source.source import mentions_torch

_FILE, _INPUT = "file", "standard input"


@dataclass(frozen=True, slots=True)
class Request:
    """What a run wants of a file.

    Args:
        path: the file, as it is shown to the user.
        asked: what its report has to say.
        work: what to do with it.
    """

    path: str
    asked: Asked
    work: Work

    @classmethod
    def for_task(cls, task: Task, stdin: StandardInput | None, work: Work) -> Request:
        """Make the request for a file.

        Args:
            task: the file, and what holds for it.
            stdin: what to take in place of the file `-`.
            work: what to do with it.
        """
        target, settings = task.target, task.settings
        path, kind, content = target.path, _FILE, ""
        if stdin is not None and path == STDIN:
            path, kind, content = stdin.name, _INPUT, digest_of(stdin.data).hex()
        rest = settings.besides_rules()
        asked = Asked(kind, content, settings.rules, rest, target.named, work.unsafe)
        return cls(path, asked, work)


def known(cache: Cache, request: Request) -> FileReport | None:
    """Return the report that is wanted of a file, None if it has to be linted, or fixed."""
    report = cache.known(request.path, request.asked)
    if report is None or (request.work.fixing is not None and report.findings):
        return None
    return report.wanted(request.work)


def keep(cache: Cache, request: Request, data: bytes, seen: Seen, report: FileReport) -> None:
    """Keep the report of a file, if it was not fixed and there was anything to do.

    Args:
        cache: where to keep it.
        request: what was wanted.
        data: the bytes of the file.
        seen: what was looked at.
        report: the report, with all that it can have.
    """
    repairs, asked = report.repairs, request.asked
    mentions = mentions_torch(data)
    if not (mentions or asked.named):  # to read the file takes no longer than an entry
        return
    if repairs is not None and (
        repairs.fixed or repairs.left or repairs.failure or repairs.sifted.aside
    ):
        return
    if mentions or report.problem is None:
        asked = replace(asked, named=None)
    cache.keep(asked, seen, replace(report, repairs=None))
