"""What functions are given that is not on the accelerator, going by what they do with it."""

from __future__ import annotations

import ast
from collections.abc import Set
from typing import Protocol

from torchdev_lint.placement.evidence.moved_later import moved_in_parts
from torchdev_lint.placement.evidence.taken_by_host import taken_by_host
from torchdev_lint.syntax.scopes import FUNCTIONS, parameter_names


class _File(Protocol):
    """The file that a function stands in."""

    def nodes_in(self, code: ast.AST, /) -> list[ast.AST]: ...
    @property
    def torch_names(self) -> frozenset[str]: ...
    @property
    def host_names(self) -> frozenset[str]: ...


class OffAccelerator:
    """What is known of the functions of a file, as soon as it is asked."""

    def __init__(self) -> None:
        self._variables: dict[ast.AST, frozenset[str]] = {}
        self._moved: dict[ast.AST, frozenset[str]] = {}
        self._made_arrays: dict[ast.AST, frozenset[str]] = {}

    def variables(self, file: _File, code: ast.AST) -> frozenset[str]:
        """The variables that are not on the accelerator.

        A function moves a part of them, or something computed, or hands that to a library of the
        host.
        """
        if code not in self._variables:
            taken = taken_by_host(file.nodes_in(code), file.host_names, file.torch_names)
            self._variables[code] = self._moved_by(file, code) | taken
        return self._variables[code]

    def as_tensors(self, file: _File, code: ast.AST) -> Set[str]:
        """Those that are not there where they are tensors, going by what is done with tensors.

        What a function asks the type of, it may hand to a library of the host in the other case.
        """
        return self._moved_by(file, code) | self._arrays(file, code)

    def makes_arrays(self, file: _File, code: ast.AST) -> bool:
        """Whether a function makes an array of what it is given, which is on the host then."""
        if not isinstance(code, FUNCTIONS):
            return False
        return not self._arrays(file, code).isdisjoint(parameter_names(code))

    def _arrays(self, file: _File, code: ast.AST) -> frozenset[str]:
        """The variables of which a function makes arrays by their own methods."""
        if code not in self._made_arrays:
            taken = taken_by_host(file.nodes_in(code), frozenset(), file.torch_names)
            self._made_arrays[code] = taken
        return self._made_arrays[code]

    def _moved_by(self, file: _File, code: ast.AST) -> frozenset[str]:
        """The variables of which a function moves a part, or something computed."""
        if code not in self._moved:
            self._moved[code] = moved_in_parts(file.nodes_in(code), file.torch_names)
        return self._moved[code]
