"""Paths are found by what they are parts of, whatever was known and forgotten in copies."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from torchdev_lint.placement.domain.paths import Paths
from torchdev_lint.placement.domain.values import Const

_STEPS = (".a", ".ab", "[a]", "['a']", "['a.b']", "['[b]']", "[0]", "[b]")
_paths = st.builds(
    lambda root, steps: root + "".join(steps),
    st.sampled_from(["x", "xy"]),
    st.lists(st.sampled_from(_STEPS), max_size=3),
)
_actions = st.lists(
    st.tuples(
        st.sampled_from(["know", "below", "looked up", "copy"]),
        st.one_of(_paths, st.sampled_from(["a", "b"])),
    ),
    max_size=20,
)


def _is_below(path: str, root: str) -> bool:
    return path.startswith((f"{root}.", f"{root}["))


@given(_actions)
def test_what_is_below_a_path_is_found(actions: list[tuple[str, str]]) -> None:
    paths, expected = Paths(), dict[str, Const]()
    for action, path in actions:
        if action == "know":
            paths[path] = expected[path] = Const(path)
        elif action == "below":
            paths.forget_below(path)
            expected = {p: v for p, v in expected.items() if not _is_below(p, path)}
        elif action == "looked up":
            paths.forget_looked_up_by(path)
            expected = {p: v for p, v in expected.items() if f"[{path}]" not in p}
        else:
            other, paths = paths, paths.copy()
            other.clear()
            other["x.a"] = Const(0)
        assert paths == expected
        for root in ("x", "xy", "x.a", path):
            below = {v for p, v in expected.items() if _is_below(p, root)}
            assert set(paths.below(root)) == below
            assert paths.knows(root) == (root in expected or bool(below))
