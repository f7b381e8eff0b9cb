"""Files whose devices are all the CPU, as their text says."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from torchdev_lint.catalog.bringing import BRINGING_LIBRARIES
from torchdev_lint.catalog.devices import ACCELERATOR_TYPES, DEVICE_NAMES
from torchdev_lint.catalog.ecosystem import DISTRIBUTES, TRAINERS
from torchdev_lint.catalog.modules import PARALLEL
from torchdev_lint.placement.evidence.flags import says_device
from torchdev_lint.placement.evidence.host_settings import is_host
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.names import Definition
from torchdev_lint.project.seen import remembered
from torchdev_lint.project.uses import uses_of
from torchdev_lint.syntax.names import last_component, names_in
from torchdev_lint.syntax.parameters import argument_for, default_of
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import children, walk

BRINGS_BY_ITSELF = (DISTRIBUTES | TRAINERS | BRINGING_LIBRARIES).union(
    name.rpartition(".")[2] for name in PARALLEL
)
"""Words for what brings models to an accelerator by itself."""
LEADS_TO_ACCELERATOR = BRINGS_BY_ITSELF | ACCELERATOR_TYPES | DEVICE_NAMES
"""Words without which nothing is put on an accelerator."""
_ELSEWHERE = LEADS_TO_ACCELERATOR - DEVICE_NAMES
"""Those that name an accelerator, or find one."""
_OPTION = "--"
"""How an option begins that the user of a script may give."""
MOST_FILES = 60
"""Of how many files of a project it is asked what they write, import or call."""


@remembered
def keeps_to_host(path: str, has_callers: bool = False) -> bool:
    """Return whether a file has devices, and all of them are the CPU, as its text says.

    What stands in comments is not run: `# device = "cuda"`, then `device = "cpu"`. Nor does it
    count what a variable was given in the line before that, or what a parameter is by default that
    all calls in the project give.

    Args:
        path: the file, absolute; empty if that is not known.
        has_callers: whether those are asked as well that call what it defines, so that a device
            that they have to give is theirs.
    """
    told = _told_devices(path, has_callers)
    return bool(told and all(told))


def names_no_accelerator(path: str) -> bool:
    """Return whether the code of a file names none, whatever stands in its comments.

    Args:
        path: the file, absolute; empty if that is not known.
    """
    told = _told_devices(path, False)
    return told is not None and all(told)


@remembered
def _told_devices(path: str, has_callers: bool) -> list[bool] | None:
    """Whether each device that a file is told is the CPU; None if it names something else."""
    file = parsed_file(path) if path else None
    if file is None:
        return None
    told, names = list[bool](), set[str]()
    pending: list[ast.AST] = [file.tree]
    silent = _without_effect(file.tree)
    while pending:
        node = pending.pop()
        if node in silent:
            continue
        if isinstance(node, FUNCTIONS):
            given = _always_given(file, node, has_callers)
            silent |= {part for each in given for part in (each, default_of(file.syntax, each))}
            told += [True for _ in given]
            names |= {each.arg for each in given}
        elif isinstance(node, ast.Assign):
            named = (last_component(target) for target in node.targets)
            is_given = isinstance(node.value, ast.Name) and node.value.id in names
            stays = is_given or is_host(node.value)
            told += [
                stays for name in named if name in DEVICE_NAMES or (stays and says_device(name))
            ]
        elif isinstance(node, (ast.arg, ast.alias)):
            told += [False] if words_of(node) & DEVICE_NAMES else []
        if not _ELSEWHERE.isdisjoint(words_of(node)) or _is_option(node):
            return None
        pending += reversed(children(node))  # most files name their devices at the top
    return told


@remembered
def knows_only_host(path: str) -> bool:
    """Return whether all devices of a file are the CPU, and none is told to it.

    Args:
        path: the file, absolute; empty if that is not known.
    """
    file = parsed_file(path) if keeps_to_host(path) else None
    return file is not None and not any(
        isinstance(node, ast.arg) and node.arg in DEVICE_NAMES for node in walk(file.tree)
    )


def words_of(node: ast.AST) -> Set[str]:
    """Return the names in a node, and the beginning of what it writes out."""
    if isinstance(node, ast.Constant):
        return {node.value.partition(":")[0]} if isinstance(node.value, str) else set()
    words = (getattr(node, field, None) for field in ("id", "attr", "arg", "name", "asname"))
    return {part for word in words if isinstance(word, str) for part in word.split(".")}


def _is_option(node: ast.AST) -> bool:
    """Whether a text is the name of an option for a device: `--device`."""
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and text.startswith(_OPTION) and text[2:] in DEVICE_NAMES


def _without_effect(tree: ast.Module) -> set[ast.AST | None]:
    """The assignments to devices that others replace in the same block before they are read."""
    return {
        dead
        for node in walk(tree)
        for field in ("body", "orelse", "finalbody")
        for dead in _replaced(getattr(node, field, []))
    }


def _replaced(block: object) -> Iterator[ast.stmt]:
    """Yield the statements of a block that give a device to a variable in vain."""
    unread: dict[str, ast.stmt] = {}
    for statement in block if isinstance(block, list) else []:
        name = _device_set_by(statement)
        if unread:
            read = names_in(statement.value if isinstance(statement, ast.Assign) else statement)
            unread = {each: before for each, before in unread.items() if each not in read}
        if name in unread:
            yield unread[name]
        if name:
            unread[name] = statement


def _device_set_by(statement: ast.stmt) -> str:
    """The name of the variable to which a statement gives a device; empty if it is none."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    return target.id if isinstance(target, ast.Name) and target.id in DEVICE_NAMES else ""


def _always_given(
    file: ParsedFile, function: ast.FunctionDef | ast.AsyncFunctionDef, has_callers: bool
) -> list[ast.arg]:
    """The parameters of a function called devices that all calls in the project give."""
    devices = [p for p in walk(function.args) if isinstance(p, ast.arg) and p.arg in DEVICE_NAMES]
    required = [p for p in devices if has_callers and default_of(file.syntax, p) is None]
    if required:
        return required if required == devices else []
    owner = file.syntax.parent(function)
    is_constructor = isinstance(owner, ast.ClassDef) and function.name == "__init__"
    top = owner if is_constructor else function
    if not devices or top not in file.tree.body:
        return []
    name = getattr(top, "name", "")
    uses = uses_of(file, Definition(file.path, name))
    calls = [user.syntax.parent(node) for user, node in uses.places]
    if not (uses.complete and calls):
        return []
    return [
        parameter
        for parameter in devices
        if all(
            isinstance(call, ast.Call)
            and argument_for(file.syntax, call, parameter, is_constructor)
            not in {None, default_of(file.syntax, parameter)}
            for call in calls
        )
    ]
