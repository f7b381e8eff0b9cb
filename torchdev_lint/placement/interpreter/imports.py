"""What imports bring: members of libraries, and what other files of the project define.

Nothing of another file is run but what a name that is read needs: the statement that binds it. It
is run apart from the code at hand, as if the file had been imported before anything else.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from torchdev_lint.catalog import classes
from torchdev_lint.catalog.arrays import HAVE_NUMBERS
from torchdev_lint.catalog.ecosystem import is_pretrained
from torchdev_lint.catalog.told import now
from torchdev_lint.placement.defects.constants import lasting
from torchdev_lint.placement.domain.budget import Budget
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.imported import ProjectMember, ProjectModule
from torchdev_lint.placement.domain.isomorphism import parts_of, rebuilt
from torchdev_lint.placement.domain.settings import Settings
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Choice,
    ClassValue,
    Instance,
    Library,
    Place,
    Value,
)
from torchdev_lint.placement.evidence.file_context import FileContext, context_of
from torchdev_lint.placement.evidence.surveying import survey
from torchdev_lint.placement.interpreter.import_branches import apart, chosen, taken
from torchdev_lint.placement.libraries.registry import is_known
from torchdev_lint.placement.python.attributes import library_member
from torchdev_lint.placement.run import Run
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.lazy import lazy_member
from torchdev_lint.project.resolution import find_module, find_submodule, is_named
from torchdev_lint.syntax.names import canonical, names_in, star_imported, star_member

MAX_LOADING = 40
"""How many variables of other files may be bound at the same time, each for the one before."""
MAX_STARS = 24
"""Of so many modules of the project all members may be imported: a package that hands on hundreds
would have all of them read for a name that none of them has. A folder of models has two dozen."""
_MAX_INNER_STARS = 8
"""Of so many by a module of which a package imports all members itself."""
MAX_EARLIER = 8
"""How many statements that bind a variable may each go by the one before."""
_DEFINING = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
)
"""Statements that are run for what they bind; what others bind is not known."""


def import_names(run: Run, node: ast.Import | ast.ImportFrom) -> None:
    """Bind what an import brings."""
    for name, value in _brought_by(run.file.path, node, node.names):
        run.bind(name, value)
    for alias in node.names:
        if alias.name == "*" and isinstance(node, ast.ImportFrom):
            _import_all(run, source_of(run.file.path, node))


def _import_all(run: Run, module: str | ProjectModule) -> None:
    """Note that all members of a module were imported."""
    if not isinstance(module, ProjectModule):
        run.module.star_imports = star_imported(run.module.star_imports, module)
    elif module not in run.module.stars:
        run.module.stars.append(module)


def _brought_by(
    path: str, node: ast.Import | ast.ImportFrom, names: list[ast.alias]
) -> Iterator[tuple[str, Value]]:
    """Yield what an import binds, and to what.

    Args:
        path: the file that it stands in.
        node: the import.
        names: those of its names that are asked for.
    """
    if isinstance(node, ast.Import):
        for alias in names:
            whole = alias.asname is not None
            name = alias.name if whole else alias.name.partition(".")[0]
            found = _find(path, 0, name)
            library = Library(canonical(name) if whole else name)
            yield alias.asname or name, ProjectModule(found, name) if found else library
        return
    module = source_of(path, node)
    for alias in names:
        if alias.name != "*":
            yield alias.asname or alias.name, _member(module, alias.name)


def source_of(path: str, node: ast.ImportFrom) -> str | ProjectModule:
    """Return the module that names are imported from: the project's, else its name.

    Args:
        path: the file that the import stands in.
    """
    name = "." * node.level + (node.module or "")
    found = _find(path, node.level, node.module or "")
    return ProjectModule(found, name) if found else name


def _find(path: str, level: int, name: str) -> str | None:
    return find_module(path, level, name) if path else None


def _member(module: str | ProjectModule, name: str) -> Value:
    if isinstance(module, ProjectModule):
        return ProjectMember(module, name)
    return library_member(module, name) if module in _WITH_VALUES else _out_of_sight(module, name)


_WITH_VALUES = {"torch", *HAVE_NUMBERS}
"""Libraries of whose members some are no functions, classes or modules."""


def _out_of_sight(module: str, name: str) -> Library:
    return Library(canonical(f"{module}.{name}") if module.strip(".") else f"{module}{name}")


def member_of(run: Run, module: ProjectModule, name: str) -> Value:
    """Return a member of a module of the project; one that isn't found may be anything's."""
    if is_known(f"{module.name}.{name}"):  # a library's own tests and examples import it as well
        return _out_of_sight(module.name, name)
    of_users = _told_of(module, name)
    if of_users is not None:
        return of_users
    handed_on = set[ProjectMember]()
    value = _held_by(run, module, name)
    while isinstance(value, ProjectMember) and value not in handed_on:
        handed_on.add(value)
        module, name = value.module, value.name
        value = _held_by(run, module, name)
    if value is not None and not isinstance(value, ProjectMember):
        return value
    path = find_submodule(module.path, name)
    if path is not None:
        return ProjectModule(path, f"{module.name}.{name}")
    return _out_of_sight(module.name, name)


def _told_of(module: ProjectModule, name: str) -> Library | None:
    """What the user tells of a member of a module; None if that is nothing."""
    for full in now().imported():
        owner, _, last = full.rpartition(".")
        if last == name and is_named(module.path, owner):
            return Library(full)
    return None


def _held_by(run: Run, module: ProjectModule, name: str) -> Value | None:
    """What a module binds, or loads late; None if that is a module in it, or nothing."""
    value = _bound_in(run, module, name)
    if value is not None or find_submodule(module.path, name) is not None:
        return value
    parsed = parsed_file(module.path)
    late = None if parsed is None else lazy_member(parsed, name)
    if late is None:
        return None
    path, member = late
    return ProjectMember(ProjectModule(path, f"{module.name}.{name}"), member)


def _bound_in(run: Run, module: ProjectModule, name: str) -> Value | None:
    frame = frame_of(run, module.path)
    if frame is None:
        return None
    if frame.late:
        return bind_late(run, frame, name)
    if (frame, name) in run.loading:  # imported in a circle, in which no file binds it
        return None
    run.loading.add((frame, name))
    try:
        value = run.read_outer(frame, name) if run.frame is not frame else run.look_up(name)
    finally:
        run.loading.discard((frame, name))
    return bind_late(run, frame, name) if value is None else value


def frame_of(run: Run, path: str) -> Frame | None:
    """Return the frame of a module of the project; None if it has no text that can be read."""
    if path == context_of(run.main).path:
        return run.frames[0]
    if path not in run.modules:
        parsed = parsed_file(path)
        run.modules[path] = None if parsed is None else late_frame(parsed)
    return run.modules[path]


def late_frame(parsed: ParsedFile) -> Frame:
    """Return a frame for the module of another file, whose names are bound when they are read."""
    file = parsed.derived(_context)
    default = Place.UNKNOWN if file.default_changes else Place.HOST
    return Frame(parsed.tree, "", False, Env({}, {}, settings=Settings(default)), file, late=True)


def _context(parsed: ParsedFile) -> FileContext:
    return survey(parsed.tree, parsed.path, parsed.source.span)


def bind_late(run: Run, frame: Frame, name: str) -> Value | None:
    """Return what a variable of a module holds that the code at hand has not bound.

    Args:
        frame: the module's frame.

    Returns:
        What was imported with all members of a module, or, if it is another file's, what the
        module binds; None if there is nothing of that name.
    """
    known = frame.env.names.get(name)
    if known is not None:
        return known
    if frame.late:
        assert isinstance(frame.node, ast.Module)
        given = run.set_members.get((context_of(frame.file).path, name))
        if given is not None:
            return given
        top = context_of(frame.file).top_level(frame.node)
        statements = top.bindings.get(name)
        if statements is not None:
            return _bind_apart(run, frame, name, statements)
        is_bound = frame.stars or frame.star_imports
        if top.stars and not is_bound and len(top.stars) <= _most_stars(run):
            _apart(run, frame, list(top.stars))
    return _from_stars(run, frame, name)


def _from_stars(run: Run, frame: Frame, name: str) -> Value | None:
    """Find what was imported with all members of a module.

    Each module is asked once: where all import all of each other, there are more ways to one than
    can be gone.
    """
    is_first = name not in run.asked
    run.asked.setdefault(name, set())
    try:
        for star in reversed(frame.stars[: _most_stars(run)]):
            value = _starred(run, star, name)
            if value is not None:
                return value
    finally:
        if is_first:
            del run.asked[name]
    if not frame.star_imports:
        return None
    member = star_member(name, frame.star_imports) or _class_of_library(name, frame.star_imports)
    return None if member is None else Library(member)


def _most_stars(run: Run) -> int:
    """Of how many modules all members may be imported where a name is looked for now."""
    depth = sum(name.startswith("*") for _, name in run.loading)
    return MAX_STARS if depth < 2 else _MAX_INNER_STARS


def _class_of_library(name: str, modules: list[str]) -> str | None:
    """The class that a name means in the libraries of which all members were imported.

    Not if it may be of a module that nothing is known of.
    """
    roots = {module.partition(".")[0] for module in modules}
    if not name[:1].isupper() or not all(map(_is_read, roots)):
        return None
    found = [f"{module}.{name}" for module in reversed(modules)]
    return next((each for each in found if classes.kinds_of(each) or is_pretrained(each)), None)


def _is_read(library: str) -> bool:
    """Whether it is known which classes a library has."""
    return library == "torch" or classes.is_known(library)


def _starred(run: Run, star: ProjectModule, name: str) -> Value | None:
    """What a module gives to those that import all of it, going by its `__all__`."""
    frame = frame_of(run, star.path)
    if frame is None:
        return None
    key = (frame, "*" + name)
    if key in run.loading or len(run.loading) >= MAX_LOADING:
        return None
    way = (frame, _most_stars(run))
    if way in run.asked[name]:
        return None
    run.asked[name].add(way)
    assert isinstance(frame.node, ast.Module)
    exported = context_of(frame.file).top_level(frame.node).exported
    if name.startswith("_") if exported is None else name not in exported:
        return None
    run.loading.add(key)
    try:
        return bind_late(run, frame, name)
    finally:
        run.loading.remove(key)


def _bind_apart(run: Run, frame: Frame, name: str, statements: list[ast.stmt]) -> Value:
    """Bind a variable of another file: to one of what several statements may have bound it to.

    Of branches that one is taken which would be if the file was run. In a circle of imports, a
    variable that is being bound itself is not known.
    """
    key = (frame, name)
    if key in run.loading or len(run.loading) >= MAX_LOADING:
        run.frame.reads.cut_off = True
        return UNKNOWN
    run.loading.add(key)
    try:
        run_ones = taken(run, frame, statements)
        options = [_alternative(run, frame, name, statement) for statement in run_ones]
        bound = chosen(run, frame, run_ones, options)
    finally:
        run.loading.remove(key)
    value = lasting(frame, name, bound)
    if run.budget.is_spent:
        run.frame.reads.cut_off = True
    else:
        frame.env.names[name] = value
    return value


def _alternative(run: Run, frame: Frame, name: str, statement: ast.stmt, depth: int = 0) -> Value:
    """What a statement binds a variable to, perhaps going by what that held before.

    Args:
        depth: how many statements that come after it go by what it binds.
    """
    file = context_of(frame.file)
    if not isinstance(statement, _DEFINING) or name in file.global_names:
        return UNKNOWN
    if isinstance(statement, (ast.Import, ast.ImportFrom)):  # binds others as well
        asked = [a for a in statement.names if _bound_as(a, statement) == name]
        return dict(_brought_by(file.path, statement, asked)).get(name, UNKNOWN)
    assert isinstance(frame.node, ast.Module)
    if file.is_written_out(statement, frame.node):
        return _written_out(run, frame, name, statement)
    return _bound_apart(run, frame, name, statement, depth)


def _bound_as(alias: ast.alias, statement: ast.Import | ast.ImportFrom) -> str:
    """The variable that a name of an import is bound to."""
    if alias.asname is not None:
        return alias.asname
    return alias.name.partition(".")[0] if isinstance(statement, ast.Import) else alias.name


def _written_out(run: Run, frame: Frame, name: str, statement: ast.stmt) -> Value:
    """What a statement binds that is made of constants: the same for whoever reads it.

    So it is kept, and has a budget of its own: what is found must not depend on who asked first.
    """
    known = context_of(frame.file).written_out
    if (statement, name) not in known:
        budget, run.budget = run.budget, Budget()
        try:
            known[statement, name] = _without_objects(_bound_apart(run, frame, name, statement, 0))
        finally:
            run.budget = budget
    return known[statement, name]


def _bound_apart(run: Run, frame: Frame, name: str, statement: ast.stmt, depth: int) -> Value:
    """Run a statement of another file for what it binds a variable to."""
    before = frame.env
    frame.env = Env(dict(before.names), {}, settings=before.settings)
    assert isinstance(frame.node, ast.Module)
    earlier = context_of(frame.file).top_level(frame.node).before[name, statement]
    if len(earlier) == 1 and depth < MAX_EARLIER and _goes_by(statement, name):
        frame.env.names[name] = _alternative(run, frame, name, earlier[0], depth + 1)
    try:
        _apart(run, frame, [statement])
        kept = {ref: obj for ref, obj in frame.env.heap.items() if _stays(obj)}
        if kept:
            run.imported.update(dict.fromkeys(kept, frame.env.heap))
        return _without_objects(frame.env.names.get(name, UNKNOWN), kept)
    finally:
        frame.env = before


def _goes_by(statement: ast.stmt, name: str) -> bool:
    """Whether a statement that binds a variable reads what it held before."""
    if isinstance(statement, ast.AugAssign):
        return True
    return isinstance(statement, ast.Assign) and name in names_in(statement.value)


def _apart(run: Run, frame: Frame, statements: list[ast.stmt]) -> None:
    """Run statements of another file's module, whatever is being run at the moment."""
    with apart(run, frame):
        run.execute(run, statements)


def _stays(obj: Obj) -> bool:
    """Whether an object is what it is made at import: a module that was moved, or has no state."""
    return obj.module and (obj.was_moved or obj.stateful is False)


def _without_objects(value: Value, kept: Container[int] = ()) -> Value:
    """What is known of a value wherever it is read: its objects are on no heap that lasts.

    Args:
        kept: those that are put on the heap where they are read.
    """
    if isinstance(value, ClassValue):
        space = value.info.namespace
        value.info.namespace = {name: _without_objects(item) for name, item in space.items()}
        return value
    if not _holds_object(value) or (isinstance(value, Instance) and value.ref in kept):
        return value
    if isinstance(value, (Choice, Mapping, Sequence)):
        return rebuilt(value, [_without_objects(part, kept) for part in parts_of(value)])
    return UNKNOWN


def _holds_object(value: Value) -> bool:
    return isinstance(value, Instance) or any(_holds_object(part) for part in parts_of(value))
