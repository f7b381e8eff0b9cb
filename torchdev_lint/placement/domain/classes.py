"""Classes in sight: their methods and their bases."""

from __future__ import annotations

import ast
from collections import deque
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from torchdev_lint.placement.domain.file import File
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.scopes import FUNCTIONS

if TYPE_CHECKING:
    from torchdev_lint.placement.domain.frame import Frame
    from torchdev_lint.placement.domain.values import Value

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"

MAX_LINEAGE = 64
"""How many classes of a lineage are known; what is further away is out of sight."""


@dataclass(eq=False, slots=True)
class ClassInfo:
    """A class of a file in sight.

    Args:
        file: the file it stands in.
        closure: the frames whose variables its methods see.
        bases: the classes in sight it inherits from.
        libraries: the dotted names of the other classes it inherits from.
        namespace: what its body binds: methods and class attributes.
        opaque: whether some base is neither.
        module: whether instances are modules, once that was judged.
        unbuildable: whether there are none, as its constructor fails, once that was judged.
        lacking: of attributes that were read, whether none of its objects has them.
        brings_back: whether what its `forward` gives is brought to the CPU, once that was judged.
        gives_tensor: whether its `forward` certainly gives one tensor, once that was judged.
        builds_state: whether its constructor builds parameters or buffers, once that was judged.
        set_by_called: what the methods set that another one calls, once that was asked.
        set_again: what other methods give something new than those that build it, once asked.
        assigned: the attributes that its own methods assign, once that was asked.
    """

    name: str
    node: ast.ClassDef
    file: File
    closure: tuple[Frame, ...] = ()
    bases: list[ClassInfo] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    namespace: dict[str, Value] = field(default_factory=dict)
    opaque: bool = False
    module: bool | None = None
    unbuildable: bool | None = None
    brings_back: bool | None = None
    gives_tensor: bool | None = None
    builds_state: bool | None = None
    lacking: dict[str, bool] = field(default_factory=dict)
    set_by_called: dict[ast.AST, frozenset[str]] = field(default_factory=dict)
    set_again: frozenset[str] | None = None
    assigned: frozenset[str] | None = None
    _lineage: tuple[ClassInfo, ...] = field(init=False)
    _methods: dict[str, Function] = field(init=False)

    def __post_init__(self) -> None:
        self._methods = {i.name: i for i in self.node.body if isinstance(i, FUNCTIONS)}
        order = dict.fromkeys([self])
        pending = deque(self.bases)
        while pending and len(order) < MAX_LINEAGE:
            current = pending.popleft()
            if current not in order:
                order[current] = None
                pending.extend(current.bases)
        self._lineage = tuple(order)
        self.opaque |= bool(pending)

    def lineage(self) -> tuple[ClassInfo, ...]:
        """The class and those of its ancestors that are in sight, nearest first."""
        return self._lineage

    def lookup(self, name: str) -> Value | None:
        """Find a method or class attribute, None where none of that name is in sight."""
        for info in self.lineage():
            if name in info.namespace:
                return info.namespace[name]
        return None

    def declared(self, name: str) -> ast.expr | None:
        """Return the annotation that a class gives an attribute of its objects, if there is one."""
        for info in self.lineage():
            for statement in info.node.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    if statement.target.id == name:
                        return statement.annotation
        return None

    def library_bases(self) -> list[str]:
        """Dotted names of all ancestors out of sight that are known by name."""
        return [name for info in self.lineage() for name in info.libraries]

    def inherits(self, *names: str) -> bool:
        """Whether an ancestor out of sight has one of these last components."""
        return any(base.rpartition(".")[2] in names for base in self.library_bases())

    def methods(self) -> dict[str, Function]:
        """The methods of the class itself."""
        return self._methods
