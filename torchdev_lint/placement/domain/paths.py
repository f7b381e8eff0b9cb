"""What is known of parts of variables, as `x.y` and `x["y"]`, found by what they are parts of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from torchdev_lint.placement.domain.values import Value

_STEP = re.compile(r"(?=[.\[])")
"""Where one step of a path ends, and perhaps in the middle of a key."""
_INDEX = re.compile(r"\[(\w+)\]")
"""A variable that is an index, or a number."""

_ENTRY = re.compile(r"\['([^\W\d]\w*)'\]")
"""The last step to what stands under a name."""


class Paths(dict[str, Value]):
    """What is known of parts, by their paths.

    Copies share one index, which has at least what any of them knows: so none has to be made anew,
    and what is forgotten is not taken out of it.

    Args:
        known: what is known of which path.
        sources: where these paths come from; their index is shared if it is the same.
    """

    __slots__ = ("_index",)

    def __init__(self, known: Mapping[str, Value] = MappingProxyType({}), *sources: Paths) -> None:
        super().__init__(known)
        # What has ever been known, by each path that it is a part of, and by each index in it.
        self._index: dict[str, set[str]] = sources[0]._index if sources else {}
        if not sources or any(source._index is not self._index for source in sources):
            self._index = {}
            for path in known:
                self._enter(path)

    def __setitem__(self, path: str, value: Value) -> None:
        if path not in self:
            self._enter(path)
        super().__setitem__(path, value)

    def _enter(self, path: str) -> None:
        entered = self._index.setdefault("", set())
        if path in entered:
            return
        entered.add(path)
        for step in _STEP.finditer(path):
            self._index.setdefault(path[: step.start()], set()).add(path)
        for index in _INDEX.findall(path):
            self._index.setdefault(f"[{index}]", set()).add(path)

    def knows(self, name: str) -> bool:
        """Whether anything is known of a variable or its parts."""
        return name in self or any(True for _ in self.below(name))

    def below(self, root: str) -> Iterator[Value]:
        """What is known of the parts of a path."""
        return (self[path] for path in self._index.get(root, ()) if path in self)

    def beside(self, root: str, entry: str) -> dict[str, Value]:
        """Return what is known of the parts of a path, but for one of them and its own parts."""
        mine = self._index.get(entry, ())
        others = (path for path in self._index.get(root, ()) if path != entry and path not in mine)
        return {path: self[path] for path in others if path in self}

    def entries(self, root: str) -> Iterator[tuple[str, Value]]:
        """What is known to stand in a dict under names, with these."""
        for path in self._index.get(root, ()):
            key = _ENTRY.fullmatch(path, len(root))
            if key is not None and path in self:
                yield key[1], self[path]

    def forget_below(self, root: str) -> int:
        """Forget the parts of a path; return how many paths were looked at for it."""
        return self._forget(self._index.get(root, ()))

    def forget_looked_up_by(self, name: str) -> int:
        """Forget what was found under an index or key that is another one from now on.

        Returns:
            How many paths were looked at for it.
        """
        return self._forget(self._index.get(f"[{name}]", ()))

    def _forget(self, paths: set[str] | tuple[()]) -> int:
        for path in paths:
            self.pop(path, None)
        return len(paths)

    def copy(self) -> Paths:
        """Return a copy that can change on its own."""
        return Paths(self, self)
