"""Whether libraries are what they seem: what of them a file changes itself."""

from __future__ import annotations

from functools import cached_property

from torchdev_lint.proof.mentions import Mentions
from torchdev_lint.syntax.names import dotted

_PATCHES = frozenset({"patch", "setattr", "delattr", "monkeypatch"})
"""What sets attributes that strings name."""
_ANSWERS_FOR_TORCH = frozenset({"__torch_function__", "__torch_dispatch__"})
_EVERYWHERE = frozenset({"Tensor", "Module"})
"""Classes of which most others are instances or heirs."""
_INHERITED = frozenset({"Tensor", "Parameter", "Buffer"})
"""Classes whose heirs are tensors that may do anything."""
_ANSWERS_FOR_CALLS = frozenset(
    {"register_forward_pre_hook", "register_forward_hook", "register_module_forward_pre_hook",
     "register_module_forward_hook"}
)  # fmt: skip
_CALLS = ("forward", "__call__")


class Tampering:
    """What a file changes of libraries, of tensors and of how layers are called.

    Args:
        mentions: what is named in the file, and where.
    """

    def __init__(self, mentions: Mentions) -> None:
        self._mentions = mentions

    def concerns(self, name: str) -> bool:
        """Return whether a member of a library may be another than the one of that name."""
        if name.startswith("torch") and not self.tensors_are_plain:
            return True
        return not self._members.isdisjoint(name.split("."))

    @cached_property
    def tensors_are_plain(self) -> bool:
        """Whether tensors do what tensors do, and modules what modules do."""
        if _ANSWERS_FOR_TORCH & self._mentions.words:
            return False
        if any(not _EVERYWHERE.isdisjoint(path[:-1]) for path in self._paths):
            return False
        bases = (dotted(base) or "" for info in self._mentions.classes for base in info.bases)
        return not any(base.rpartition(".")[2] in _INHERITED for base in bases)

    @cached_property
    def layers_are_plain(self) -> bool:
        """Whether a layer is called with what it takes, and gives what it computes."""
        if _ANSWERS_FOR_CALLS & self._mentions.words:
            return False
        by_name = self._mentions.sets_by_name
        return not any(
            self._mentions.stores(name) or (by_name and self._mentions.is_in_text(name))
            for name in _CALLS
        )

    @cached_property
    def _members(self) -> frozenset[str]:
        return frozenset(part for path in self._paths for part in path)

    @cached_property
    def _paths(self) -> list[list[str]]:
        """The members of libraries that are set, as the parts of their names."""
        mentions = self._mentions
        paths = [(dotted(store) or "").split(".") for store in mentions.every_store]
        found = [path[1:] for path in paths if path[0] in mentions.imported]
        if _PATCHES & mentions.words:
            texts = [text.split(".") for text in mentions.all_texts]
            found += [path for path in texts if all(map(str.isidentifier, path))]
        return found
