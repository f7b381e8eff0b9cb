"""Code that is there for CUDA alone, or that asks before it goes there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from torchdev_lint.catalog.devices import ACCELERATOR_TYPES, CUDA_TYPE
from torchdev_lint.catalog.ecosystem import CUDA_LIBRARIES
from torchdev_lint.placement.evidence.answers import CUDA_MEMBERS, answers_in, asks
from torchdev_lint.placement.evidence.flags import about_devices
from torchdev_lint.syntax.blocks import JUMPS
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax, own_nodes, root_name
from torchdev_lint.syntax.walking import walk

_WORDS = re.compile(
    r"(?<![a-z])(cuda|gpus?|nccl|triton|cupy|numba|cpp_extension|kernels?|apex|tensorrt|trt|ddp)(?![a-z])",
    re.I,
)
"""Words that say of code, or of what it imports, that it is there for NVIDIA's GPUs."""
_EXTENSION = re.compile(r"(^_[A-Z]+$|_(ext|cuda|C|cpp|kernels?)$|(^|_)cuda(_|$))")
"""What modules are called that were compiled for them."""
_DISTRIBUTED = frozenset(
    {"dist", "distributed", "all_gather", "all_reduce", "DistributedDataParallel"}
)
_OTHERS = ACCELERATOR_TYPES - {CUDA_TYPE, "gpu"}
_OWNERS = (*FUNCTIONS, ast.Lambda, ast.ClassDef)


class BoundToCuda:
    """Which code of a file needs CUDA anyway, or has made sure that it is there.

    Args:
        syntax: the file.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._answers = frozenset(answers_in(walk(syntax.tree)))
        imports = [n for n in walk(syntax.tree) if isinstance(n, (ast.Import, ast.ImportFrom))]
        self._of_cuda = frozenset(name for node in imports for name in _from_cuda(node))
        self._imported = frozenset(a.asname or a.name for node in imports for a in node.names)
        self._extends = any(_is_extension(node) for node in imports if self._is_needed(node))
        self._is_script = any(map(_runs_itself, syntax.tree.body))
        self._known: dict[ast.AST, bool] = {}

    def _is_needed(self, node: ast.Import | ast.ImportFrom) -> bool:
        """Whether an import is run whenever the file is: it is in no branch, `try` or function."""
        return self._syntax.parent(node) is self._syntax.tree

    def is_for_cuda(self, *places: ast.AST) -> bool:
        """Whether some of the code around some places is meant for CUDA alone."""
        if self._extends:
            return True
        around = [part for place in places for part in (place, *self._syntax.around(place))]
        owners = [part for part in around if isinstance(part, _OWNERS)]
        is_method = any(isinstance(part, ast.ClassDef) for part in owners)
        if self._is_script and not is_method:
            return True
        return any(map(self._needs_cuda, owners))

    def is_about_cuda(self, place: ast.AST) -> bool:
        """Whether the code around a place, in a program as well, deals with CUDA itself."""
        owners = [part for part in self._syntax.around(place) if isinstance(part, _OWNERS)]
        if self._extends or any(map(self._needs_cuda, owners)):
            return True
        return self._main_needs_cuda or self._calls_cuda

    def is_asked_for(self, place: ast.AST) -> bool:
        """Whether a question about devices, or its answer, leads to a place within its function."""
        joined = (part for part in self._syntax.around(place) if isinstance(part, ast.BoolOp))
        return any(map(self.asks, (*self._syntax.conditions(place), *joined)))

    @cached_property
    def _calls_cuda(self) -> bool:
        """Whether a file calls, without asking, what raises where there is no CUDA."""
        return any(
            isinstance(node, ast.Call) and _is_cuda_alone(node.func) and not self.is_asked_for(node)
            for node in walk(self._syntax.tree)
        )

    @cached_property
    def _assures(self) -> frozenset[str]:
        """The functions of a file that assert, whatever they are given, that there is CUDA."""
        functions = (node for node in self._syntax.tree.body if isinstance(node, FUNCTIONS))
        return frozenset(
            function.name
            for function in functions
            if any(isinstance(part, ast.Assert) and self.asks(part.test) for part in function.body)
        )

    @cached_property
    def _main_needs_cuda(self) -> bool:
        """Whether what a file does itself, outside of its functions and classes, needs CUDA."""
        return any(map(self._is_sign, own_nodes(self._syntax.tree)))

    def _needs_cuda(self, code: ast.AST) -> bool:
        if code not in self._known:
            self._known[code] = self._says_so(code)
        return self._known[code]

    def _says_so(self, code: ast.AST) -> bool:
        name = getattr(code, "name", "")
        if says_cuda(name) or (isinstance(code, FUNCTIONS) and name.startswith("test_")):
            return True
        return any(map(self._is_sign, walk(code)))

    def _is_sign(self, node: ast.AST) -> bool:
        """Whether a part of some code shows that it needs CUDA, or has asked for it."""
        if isinstance(node, ast.Assert):
            return self.asks(node.test)
        if isinstance(node, ast.If):
            is_left = leaves(node.body) or leaves(node.orelse)
            return is_left and self.asks(node.test) and not any(map(_is_other, walk(node.test)))
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Name) and node.func.id in self._assures
        if isinstance(node, ast.Attribute):
            is_distributed = node.attr in _DISTRIBUTED and root_name(node) in self._imported
            return is_distributed or _is_cuda_alone(node)
        if isinstance(node, ast.Name):
            return node.id in _DISTRIBUTED & self._imported or node.id in self._of_cuda
        return False

    def asks(self, test: ast.AST) -> bool:
        """Whether a condition is about devices, or asks what such a question gave."""
        return about_devices(test) or asks(test, self._answers)


def says_cuda(name: str) -> bool:
    """Whether a name says that what it stands for is there for NVIDIA's GPUs."""
    return _WORDS.search(name) is not None


def leaves(body: list[ast.stmt]) -> bool:
    """Whether a branch goes on elsewhere."""
    return bool(body) and isinstance(body[-1], JUMPS)


def _is_cuda_alone(node: ast.AST) -> bool:
    """Whether an expression is what `torch.cuda` has, and raises where there is none."""
    if not isinstance(node, ast.Attribute) or node.attr in CUDA_MEMBERS:
        return False
    module = dotted(node.value) or ""
    return module.endswith(".cuda") and module.count(".") == 1  # `torch` may have another name


def _is_other(node: ast.AST) -> bool:
    """Whether a part of a condition names an accelerator that is none of NVIDIA's."""
    return isinstance(node, (ast.Name, ast.Attribute)) and last_component(node) in _OTHERS


def _from_cuda(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yield the names that an import binds to what `torch.cuda` has."""
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("torch.cuda"):
        yield from (alias.asname or alias.name for alias in node.names)


def _is_extension(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import brings what was compiled for CUDA, or compiles it."""
    module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
    names = [f"{module}.{alias.name}" if module else alias.name for alias in node.names]
    if any(name.startswith(CUDA_LIBRARIES) for name in names):
        return True
    own = [name for name in names if not name.startswith("torch.") or "cpp_extension" in name]
    parts = {part for name in own for part in name.split(".")}
    return any(_WORDS.search(part) or _EXTENSION.search(part) for part in parts)


def _runs_itself(statement: ast.stmt) -> bool:
    """Whether a statement makes a file a program: it goes through something, or asks its name."""
    if isinstance(statement, ast.If):
        return any(isinstance(n, ast.Name) and n.id == "__name__" for n in walk(statement.test))
    return isinstance(statement, (ast.For, ast.While))
