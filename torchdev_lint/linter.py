"""From a syntax tree to findings: triage, placement analysis, rules."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence, Set

from torchdev_lint.catalog.told import told
from torchdev_lint.change import trusted
from torchdev_lint.config.settings import Settings
from torchdev_lint.finding import Finding, Related, Skip
from torchdev_lint.placement.domain.origins import Site
from torchdev_lint.placement.evidence.brought import where_brought
from torchdev_lint.placement.evidence.built_on_device import is_built_on_device
from torchdev_lint.placement.evidence.cuda_projects import may_run_elsewhere
from torchdev_lint.placement.evidence.host_code import unless_on_host
from torchdev_lint.placement.evidence.neighbours import default_changes_around
from torchdev_lint.placement.evidence.users_of_cuda import mentions_cuda, users_of_cuda
from torchdev_lint.placement.facts.events import Extent, LeftToCallers, Skipped
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.hard_coded import HardCoded
from torchdev_lint.project.files import ParsedFile, tree_of
from torchdev_lint.project.resolution import project_path
from torchdev_lint.project.seen import at_one_moment
from torchdev_lint.project.unimportable import imports_what_is_missing
from torchdev_lint.records import replace
from torchdev_lint.rules import ALL_RULES
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.others import findings_of
from torchdev_lint.rules.wording import fitted
from torchdev_lint.source.source import Source
from torchdev_lint.source.span import Span
from torchdev_lint.stack import on_own_stack
from torchdev_lint.suppression.suppressions import UNUSED
from torchdev_lint.told_by_project import ask_the_project, is_excused
from torchdev_lint.triage.imported import ImportsOf
from torchdev_lint.triage.reached import triage
from torchdev_lint.triage.triggers import Trigger

MAX_CHARACTERS = 1_000_000
"""A larger file is not even parsed, which is said among what was skipped: it was not written by
hand, and a tree takes two hundred times as much memory as its text."""
MAX_CHARACTERS_TO_FIX = 500_000
"""In a larger file nothing is fixed: fixes are tried, and the file is analysed anew each time."""


@on_own_stack
def lint(source: Source, tree: ast.Module, settings: Settings) -> list[Finding]:
    """Find the defects in one file, also what comments silence.

    Args:
        source: the text.
        tree: its syntax tree.
        settings: what holds for the file.

    Returns:
        The findings, by position.
    """
    return findings_in(source, facts_of(source, tree, settings), settings)


def parsed(source: Source) -> ast.Module:
    """Return the tree of a file that is to be linted; what imports it finds it as well.

    Raises:
        SyntaxProblem: the text isn't valid Python, or too deeply nested for the parser.
    """
    return tree_of_none() if is_too_large(source) else tree_of(source, project_path(source.path))


def is_too_large(source: Source) -> bool:
    """Return whether a file is too large to be analysed."""
    return len(source.text) > MAX_CHARACTERS


def tree_of_none() -> ast.Module:
    """Return what stands for the tree of a file that is too large: one statement, on line 1."""
    return ast.parse("pass")


def facts_of(source: Source, tree: ast.Module, settings: Settings) -> Facts | None:
    """Analyse one file; None if nothing in it can lead to a finding.

    Other files are looked at only where there is something to find: whether one of them has set
    another default device for the whole program, and whether they call a function with anything but
    samples.

    Args:
        source: the text.
        tree: its syntax tree.
        settings: what holds for the file.
    """
    if is_too_large(source):
        facts = Facts(source.span, tree, source.segment, source.line_of, fixable=False)
        reason = f"the file is larger than {MAX_CHARACTERS:,} characters"
        facts.note(Skipped(tree_of_none().body[0], "", reason, Extent.FILE))
        return facts
    with told(settings.told), at_one_moment():
        return _facts_of(source, tree, settings)


def _facts_of(source: Source, tree: ast.Module, settings: Settings) -> Facts | None:
    rules = counted(settings)
    triggers, path = triggers_of(rules), project_path(source.path)
    imports = ImportsOf(tree, path, triggers)
    wanted = triage(tree, triggers - _missing(source), imports.imported)
    fixable = len(source.text) <= MAX_CHARACTERS_TO_FIX
    unsupposed = _unsupposed(source, tree, rules, fixable)
    if wanted is None:
        if unsupposed is None or imports_what_is_missing(ParsedFile(path, tree, source)):
            return None
        told_by = source.segment, source.line_of
        return Facts(source.span, tree, *told_by, fixable, unsupposed=unsupposed)
    # Imported late, as it takes long: in most files nothing can lead to a finding.
    from torchdev_lint.placement.analysis import Project, analyse
    from torchdev_lint.running_users import told_by_users

    spent = 0 if unsupposed is None else unsupposed.work

    def run(
        nodes: Set[ast.AST], default_changes: bool = False, placed: Set[str] = frozenset()
    ) -> Facts:
        nonlocal spent
        asked: Callable[[ast.AST], bool] = nodes.__contains__
        if settings.told.host_only:
            asked = unless_on_host(asked, tree, path)
        where = replace(project, placed=placed)
        facts = analyse(tree, source, asked, where, default_changes, fixable=fixable)
        told_by_users(facts)
        spent += facts.work
        facts.work = spent
        return facts

    file = ParsedFile(path, tree, source)
    project = Project(file, imports.lead)
    if wanted.is_staged and UNUSED not in settings.rules:
        facts = run(wanted.first)
        if _is_all(facts):
            facts.unsupposed = unsupposed
            return facts
    facts = run(wanted.everything)
    # What is found is asked for here, how it is mended later: fixes are looked for only once.
    found = _asked(rules, replace(facts, fixable=False))
    if (found or unsupposed is not None) and imports_what_is_missing(file):
        return None
    if found and default_changes_around(source.path):
        facts = run(wanted.everything, default_changes=True)
    elif placed := {name for name in _keepers(found) if is_built_on_device(file, name)}:
        facts = run(wanted.everything, placed=placed)
    ask_the_project(facts, found, file)
    facts.unsupposed = unsupposed
    return facts


def _keepers(found: Sequence[Finding]) -> set[str]:
    """The classes that may have made something when they were built: not what `forward` makes."""
    owners = {finding.scope: finding.assumes for finding in found if "." in finding.scope}
    return {owner for scope, owner in owners.items() if owner and not scope.endswith(".forward")}


def _is_all(facts: Facts) -> bool:
    """Whether nothing is to be found in a file, going by what was run first of it."""
    return not (facts.of(LeftToCallers) or _asked(ALL_RULES, replace(facts, fixable=False)))


def _unsupposed(
    source: Source, tree: ast.Module, rules: Sequence[Rule], fixable: bool
) -> Facts | None:
    """What holds in a file wherever its models and arguments are, None if that is no matter.

    It is asked only of code that names CUDA itself, and followed within the file.
    """
    if not any(rule.wants_unsupposed for rule in rules):
        return None
    wanted = users_of_cuda(tree) if mentions_cuda(source.text) else None
    if wanted is None:
        return None
    # Imported late, as above.
    from torchdev_lint.placement.analysis import Project, analyse

    file = ParsedFile(project_path(source.path), tree, source)
    project = Project(file, lambda path, node: False)
    facts = analyse(tree, source, wanted, project, fixable=fixable, supposing=False)
    return facts if facts.of(HardCoded) and may_run_elsewhere(source) else None


def _missing(source: Source) -> Set[Trigger]:
    """What is certainly not in a file, going by its text."""
    return set() if mentions_cuda(source.text) else {Trigger.NAMED}


def triggers_of(rules: Sequence[Rule]) -> frozenset[Trigger]:
    """What rules need to find something."""
    return frozenset[Trigger]().union(*(rule.triggers for rule in rules))


def counted(settings: Settings) -> list[Rule]:
    """Return the rules that say what is analysed.

    Those that are on by default count also where they are not selected: what else is analysed
    may tell a rule more, and to select fewer must not change what the others find.
    """
    return [rule for rule in ALL_RULES if not rule.opt_in or rule.code in settings.rules]


def findings_in(source: Source, facts: Facts | None, settings: Settings) -> list[Finding]:
    """Ask the rules that are on what they find, and put it in order.

    What fixes each finding has, and how safe they are, is as it was set.

    Args:
        source: the text.
        facts: what the analysis found out; None if there was nothing to analyse.
        settings: what holds for the file.
    """
    with told(settings.told), at_one_moment():
        return _findings_in(source, facts, settings)


def _findings_in(source: Source, facts: Facts | None, settings: Settings) -> list[Finding]:
    rules = [rule for rule in ALL_RULES if rule.code in settings.rules]
    found = [] if facts is None else _asked(rules, facts)
    if UNUSED in settings.rules and not skipped_in(facts):
        every = [] if facts is None else _asked(ALL_RULES, facts)
        about = (finding for rule in rules for finding in rule.check_comments(source, every))
        found = sorted([*found, *about], key=lambda finding: (finding.span, finding.code))
    return [_with_fixes_as_set(finding, settings) for finding in found]


def _with_fixes_as_set(finding: Finding, settings: Settings) -> Finding:
    best = finding.fix_for(unsafe=True)
    if best is None:
        return finding
    if finding.code in settings.unfixable:
        return replace(finding, fix=None, unsafe_fix=None)
    if finding.code in settings.safe:
        return replace(finding, fix=trusted(best), unsafe_fix=None)
    return finding


def _asked(rules: Sequence[Rule], facts: Facts) -> list[Finding]:
    found: dict[tuple[Span, str], Finding] = {}
    for rule in rules:
        for finding in findings_of(rule, facts):
            if is_excused(facts, finding):
                continue
            message = fitted(finding.message)
            if message != finding.message:
                finding = replace(finding, message=message)
            found.setdefault((finding.span, finding.code), finding)
    return [found[key] for key in sorted(found)]


def judged(source: Source, findings: Sequence[Finding], settings: Settings) -> tuple[Finding, ...]:
    """Say how bad findings are: as it was set, or by whether the project shows what they assume.

    That code runs on an accelerator is shown where what it is part of is moved to one, in this file
    or in one that uses it. Files are looked at only for that, and only where there are findings.
    A severity takes the place of what was assumed.
    """
    names = dict.fromkeys(finding.assumes for finding in findings if finding.assumes)
    shown, path = dict[str, Site | None](), project_path(source.path)
    if names:
        file = ParsedFile(path, parsed(source), source)
        with at_one_moment():
            shown = {name: where_brought(file, name) for name in names}
    severities = dict(settings.severities)
    found = (_judged(finding, shown.get(finding.assumes), path) for finding in findings)
    return tuple(
        replace(finding, severity=severities[finding.code])
        if finding.code in severities
        else finding
        for finding in found
    )


def _judged(finding: Finding, shown: Site | None, path: str) -> Finding:
    if not finding.assumes:
        return finding
    if shown is None:
        return replace(finding, severity="warning", assumes="")
    message = f"what `{finding.assumes}` is part of is moved to an accelerator here"
    place = Related(message, shown.span, None if shown.path == path else shown.path)
    return replace(finding, related=(*finding.related, place), assumes="")


def skipped_in(facts: Facts | None) -> tuple[Skip, ...]:
    """Return what the analysis has not looked at to its end, by position.

    Of a function the first place for each reason: a spent budget is told of by every loop in it.
    """
    if facts is None:
        return ()
    skips = [Skip(facts.span(s.node), s.scope, s.reason) for s in facts.of(Skipped)]
    first: dict[tuple[str, str], Skip] = {}
    for skip in sorted(skips, key=lambda skip: skip.span):
        first.setdefault((skip.scope, skip.reason), skip)
    return tuple(first.values())
