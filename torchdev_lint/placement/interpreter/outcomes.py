"""The outcome of conditions, as far as it is known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from torchdev_lint.catalog.devices import TELLS_PLACE
from torchdev_lint.catalog.methods import TYPE_TESTS
from torchdev_lint.placement.defects.meetings import place_of
from torchdev_lint.placement.defects.reads import note_truth
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.imported import ProjectModule
from torchdev_lint.placement.domain.joins import choice, join
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import ClassValue, Instance, Place, Value, alternatives
from torchdev_lint.placement.evidence import conditions, narrowing
from torchdev_lint.placement.evidence.conditions import device_place
from torchdev_lint.placement.evidence.devices import either_device, is_setting
from torchdev_lint.placement.evidence.flags import tells_of_accelerators
from torchdev_lint.placement.interpreter.correlation import changes_with, known_outcome, learn
from torchdev_lint.placement.python.devices import runs_for_host
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import last_component, path_of
from torchdev_lint.syntax.scopes import FUNCTIONS, parameter_names
from torchdev_lint.syntax.walking import walk

_KEEPERS_OF_SETTINGS = (ProjectModule, ClassValue, Instance)
"""What keeps settings: no tensor does, which knows where it is itself."""


def condition(run: Run, test: ast.expr) -> bool | None:
    """Evaluate a condition under the assumption that an accelerator is present.

    Returns:
        Whether it is true, None where that is not known.
    """
    value = run.evaluate(test)
    note_truth(run, test, value)
    verdict = conditions.truth(value)
    if run.is_left_open(test):
        return known_outcome(run, test)
    if verdict is None:
        verdict = known_outcome(run, test)
    if verdict is not None and _is_switch(run, test, verdict):
        return None
    return conditions.assumed(value, test) if verdict is None else verdict


def _is_switch(run: Run, test: ast.expr, verdict: bool) -> bool:
    """Whether a condition asks a variable of a module, which its user may set to something else.

    So may what an object or a class keeps, if it is about devices. Models are taken to be on an
    accelerator: what the variable leaves out, as it stands in the file, is not certainly left out
    where there is one. Nor is what a module leaves out that names the CPU as the device of the
    program.
    """
    if isinstance(test, ast.Compare):
        sides = (test.left, *test.comparators)
        return run.is_about_devices(test) and any(_names_host(run, side) for side in sides)
    if verdict:
        return False
    if isinstance(test, ast.Attribute):
        return run.is_about_devices(test) and _is_kept(run, test, _KEEPERS_OF_SETTINGS)
    return _is_of_module(run, test) and not _is_answer(run, test)


def _is_answer(run: Run, node: ast.expr) -> bool:
    """Whether a variable keeps the answer to whether there is an accelerator: nobody sets it."""
    held = run.file.held_in(run.module.node).get(node.id) if isinstance(node, ast.Name) else None
    return held is not None and tells_of_accelerators(held)


def _names_host(run: Run, node: ast.expr) -> bool:
    return _is_of_module(run, node) and device_place(run.evaluate(node)) is Place.HOST


def _is_kept(run: Run, node: ast.Attribute, keepers: tuple[type[Value], ...]) -> bool:
    """Whether an expression is an attribute of something of certain kinds."""
    return path_of(node) is not None and isinstance(run.evaluate(node.value), keepers)


def _is_of_module(run: Run, node: ast.expr) -> bool:
    """Whether an expression is a variable of the module at hand, or of another one."""
    if isinstance(node, ast.Attribute):
        return _is_kept(run, node, (ProjectModule,))
    if not isinstance(node, ast.Name) or not run.is_global(node.id):
        return False
    return run.frame is run.module or node.id not in run.frame.env.names


def device_chosen(run: Run, test: ast.expr, first: Value, second: Value) -> Value | None:
    """Return the device that is chosen by a condition of which it is not known how it turns out.

    None if it is no device; nor is it known where a choice goes by the place of something, or tells
    some things from others.
    """
    is_chosen = run.supposing and not runs_for_host(run)
    device = either_device(first, second) if is_chosen else None
    if device is None or _goes_by_place(run, test) or _tells_apart(run, test):
        return None
    return device


def devices_chosen(run: Run, test: ast.expr, ends: list[Env], names: list[str]) -> dict[str, Value]:
    """Return the devices that are chosen by a condition, by their variables.

    Args:
        ends: the states at the ends of its two branches.
        names: the variables that differ.
    """
    chosen = {n: device_chosen(run, test, ends[0].names[n], ends[1].names[n]) for n in names}
    return {name: device for name, device in chosen.items() if device is not None}


def with_accelerator(ends: list[Env], devices: Iterable[str]) -> list[Env]:
    """Return the ends, but for that which chooses the CPU where the other one doesn't.

    All else that is chosen with the device goes with it.

    Args:
        devices: the variables of the devices that are chosen.
    """
    for name in devices:
        places = [device_place(end.names[name]) for end in ends]
        if Place.HOST in places and places.count(Place.ACCELERATOR) == 1:
            return [ends[places.index(Place.ACCELERATOR)]]
    return ends


def join_of(run: Run, test: ast.expr) -> Callable[[Value, Value], Value]:
    """Return what joins the values of two branches of which a condition chooses one."""
    if run.is_about_devices(test):
        return conditions.join_unplaced
    return conditions.join_apart if _tells_apart(run, test) else join


def _tells_apart(run: Run, test: ast.expr) -> bool:
    """Whether a condition asks if something is one of several, none of which are devices.

    By that some things are put elsewhere than others, whatever the user wants.
    """
    while isinstance(test, ast.UnaryOp):
        test = test.operand
    if not isinstance(test, ast.Compare) or isinstance(test.left, ast.Constant):
        return False
    asks = any(isinstance(operator, (ast.In, ast.NotIn)) for operator in test.ops)
    return asks and not run.file.is_about_devices(test.left)


def _goes_by_place(run: Run, test: ast.expr) -> bool:
    """Whether a condition asks where something is, or what was kept of such a question."""
    return any(
        conditions.goes_by_place(run.look_up(part.id))
        if isinstance(part, ast.Name)
        else isinstance(part, ast.Attribute) and part.attr in TELLS_PLACE and not is_setting(part)
        for part in walk(test)
    )


def narrow(run: Run, test: ast.expr, taken: bool) -> None:
    """Sharpen the current state by the outcome of a condition."""

    def read(node: ast.expr) -> Value:
        if isinstance(node, ast.Name):
            return run.look_up(node.id)
        path = path_of(node)
        known = run.env.paths.get(path) if path else None
        return known if known is not None else run.evaluate(node)

    def write(node: ast.expr, value: Value) -> None:
        if isinstance(node, ast.Name):
            run.refine(node.id, value)
        elif isinstance(node, ast.Attribute) and (path := path_of(node)):
            run.env.paths[path] = value

    learn(run, test, taken)
    narrowing.narrow(test, taken, read, write)
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, taken = test.operand, not taken
    if isinstance(test, ast.Name) and (kept := _type_test_kept(run, test.id)) is not None:
        narrowing.narrow(kept, taken, read, write)


def _type_test_kept(run: Run, name: str) -> ast.Call | None:
    """The test of a parameter's type whose answer a variable keeps, if that is still the answer.

    The function gives neither of them anything else.
    """
    function = run.frame.node
    if not isinstance(function, FUNCTIONS):
        return None
    test = run.file.held_in(function).get(name)
    if not isinstance(test, ast.Call) or last_component(test.func) not in TYPE_TESTS:
        return None
    subject = test.args[0] if test.args else None
    if not isinstance(subject, ast.Name) or subject.id in run.file.first_stores(function):
        return None
    return test if subject.id in parameter_names(function) else None


def waits(run: Run, node: ast.If | ast.IfExp) -> bool:
    """Whether a condition is about what changes from round to round, in a loop's first round.

    The state of the first round is then not certainly the one in which its branches run, unless
    rounds in which it doesn't hold change nothing.
    """
    changing = run.frame.changing
    own = next((loop.parts for loop in changing if loop.chosen is node), frozenset[str]())
    others = (loop.names - own for loop in changing if loop.chosen is not node)
    return any(changes_with(run, node.test, names) for names in others)


def go_on_in_doubt(run: Run, returned: int, ends: int) -> None:
    """Go on behind a condition about devices: a branch that has left answers for the other case.

    Args:
        returned: how often the function had returned before.
        ends: how many branches go on.
    """
    if ends == 1:
        run.moods.now |= {Mood.DOUBT}
    run.frame.returns_by_device |= len(run.frame.returns) > returned


def forget_stand_ins(env: Env, assigned: dict[str, Value]) -> None:
    """After `if …: x = a` `elif …: x = b` without `else`, an `x` of before is a mere stand-in.

    The conditions list all cases there are; no path keeps the value from before. Where that lives
    is known still if what takes its place lives there as well.

    Args:
        assigned: what variables were assigned in its stead.
    """
    for name, value in assigned.items():
        options = alternatives(env.names[name])
        places = {place_of(option) for option in (*options, *alternatives(value))}
        if places not in ({Place.ACCELERATOR}, {Place.GIVEN}):
            env.names[name] = choice([conditions.blur(option) for option in options])
