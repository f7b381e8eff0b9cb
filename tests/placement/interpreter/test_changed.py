"""Lists and dicts that are changed where something else holds them as well."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

MEETS = "torch.ones(3).cuda() + "

CHANGED = {
    "items, by a function": """
        def bring(held):
            for name in held:
                held[name] = held[name].cuda()
        held = {"x": torch.ones(3)}
        bring(held)
        HOST held["x"]
    """,
    "a dict updated by a function": """
        def bring(held):
            held.update({name: value.cuda() for name, value in held.items()})
        held = {"x": torch.ones(3)}
        bring(held)
        HOST held["x"]
    """,
    "a list, by position": """
        def bring(held):
            for index, part in enumerate(held):
                held[index] = part.cuda()
        held = [torch.ones(3), torch.ones(3)]
        bring(held)
        HOST held[0]
    """,
    "a slice": """
        held = [torch.ones(3)]
        held[:] = [part.cuda() for part in held]
        HOST held[0]
    """,
    "in place": """
        def bring(held):
            held |= {"x": held["x"].cuda()}
        held = {"x": torch.ones(3)}
        bring(held)
        HOST held["x"]
    """,
    "cleared and filled": """
        def refill(held):
            held.clear()
            held.append(torch.ones(3).cuda())
        held = [torch.ones(3)]
        refill(held)
        HOST held[0]
    """,
    "taken out": """
        held = [torch.ones(3), torch.ones(3).cuda()]
        held.pop(0)
        HOST held[0]
    """,
    "deleted": """
        held = [torch.ones(3), torch.ones(3).cuda()]
        del held[0]
        HOST held[0]
    """,
    "put where nothing was": """
        held = {"x": torch.ones(3)}
        held.pop("x")
        held.setdefault("x", torch.ones(3).cuda())
        HOST held["x"]
    """,
    "another name": """
        held = {"x": torch.ones(3)}
        same = held
        same["x"] = same["x"].cuda()
        same["y"] = torch.ones(3)
        HOST held["x"]
    """,
    "a part of a whole": """
        held = {"part": {"x": torch.ones(3)}}
        part = held["part"]
        part["x"] = part["x"].cuda()
        HOST held["part"]["x"]
    """,
    "a global": """
        held = [torch.ones(3)]
        def bring():
            held[0] = held[0].cuda()
        bring()
        HOST held[0]
    """,
    "elements, in a loop": """
        held = [{"x": torch.ones(3)}, {"x": torch.ones(3)}]
        for part in held:
            part["x"] = part["x"].cuda()
        HOST held[0]["x"]
    """,
    "all the way down": """
        def bring(held):
            for name, value in held.items():
                if isinstance(value, dict):
                    bring(value)
                else:
                    held[name] = value.cuda()
        held = {"part": {"x": torch.ones(3)}}
        bring(held)
        HOST held["part"]["x"]
    """,
    "what an object keeps": """
        class Steps:
            def __init__(self, steps):
                self.steps = steps
            def bring(self):
                for index, step in enumerate(self.steps):
                    self.steps[index] = step.cuda()
        held = [torch.ones(3)]
        Steps(held).bring()
        HOST held[0]
    """,
    "given back": """
        def same(held):
            return held
        held = {"x": torch.ones(3)}
        other = same(held)
        other["x"] = other["x"].cuda()
        HOST held["x"]
    """,
}


@pytest.mark.parametrize("program", CHANGED.values(), ids=CHANGED)
@pytest.mark.parametrize("in_function", [False, True], ids=["script", "function"])
def test_what_was_in_it_is_not_told(program: str, in_function: bool) -> None:
    lines = program.strip("\n").split("\n")
    body = [line[8:].replace("HOST ", MEETS) for line in lines]
    if in_function:
        body = ["def run():", *(f"    {line}" for line in body), "run()"]
    assert not findings("\n".join(body))


UNCHANGED = {
    "another one": """
        def bring(held):
            held = {"x": held["x"].cuda()}
            return held
        held = {"x": torch.ones(3)}
        bring(held)
        HOST held["x"]
    """,
    "a copy": """
        held = {"x": torch.ones(3)}
        other = held.copy()
        other["x"] = other["x"].cuda()
        HOST held["x"]
    """,
    "read alone": """
        def total(held):
            return sum(part.sum() for part in held)
        held = [torch.ones(3)]
        total(held)
        HOST held[0]
    """,
    "another entry": """
        def add(held):
            held["y"] = torch.ones(3).cuda()
        held = {"x": torch.ones(3)}
        add(held)
        HOST held["x"]
    """,
}


@pytest.mark.parametrize("program", UNCHANGED.values(), ids=UNCHANGED)
def test_what_stays_in_it_is_told(program: str) -> None:
    body = "\n".join(line[8:].replace("HOST ", MEETS) for line in program.strip("\n").split("\n"))
    found = findings(f"def run():\n{indented(body)}\nrun()")
    assert len(found) == 1 and "torch.ones(3)" in found[0]


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))
