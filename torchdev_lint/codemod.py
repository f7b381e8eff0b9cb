"""A codemod for libcst's tool, which makes the fixes that `torchdev-lint --fix` makes.

python -m libcst.tool codemod -x torchdev_lint.codemod.FixDevicePlacement FILES
"""

from __future__ import annotations

import argparse

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext, SkipFile

from torchdev_lint.api import CannotCheck, fix_source
from torchdev_lint.config.problem import SettingsProblem
from torchdev_lint.metadata.nodes import NOWHERE


class FixDevicePlacement(CodemodCommand):
    """Fixes what torchdev-lint finds.

    Args:
        context: the file at hand.
        unsafe_fixes: whether unsafe fixes are made as well.
    """

    DESCRIPTION = "Mend device-placement bugs in PyTorch code, as `torchdev-lint --fix` does."

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """Let users ask for unsafe fixes."""
        arg_parser.add_argument(
            "--unsafe-fixes", action="store_true", help="make the unsafe fixes as well"
        )

    def __init__(self, context: CodemodContext, unsafe_fixes: bool = False) -> None:
        super().__init__(context)
        self._unsafe = unsafe_fixes

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """Return the module after fixing."""
        name = self.context.filename
        try:
            fixed = fix_source(
                tree.code, name or NOWHERE, unsafe=self._unsafe, isolated=name is None
            )
        except (CannotCheck, SettingsProblem) as error:
            raise SkipFile(str(error)) from None
        return cst.parse_module(fixed.text, tree.config_for_parsing) if fixed.fixed else tree
