"""What takes tensors only from the CPU, and is to take some on an accelerator: mostly arrays."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Site
from torchdev_lint.placement.facts.events import AtNode, Event
from torchdev_lint.proof.filled_arrays import fills_array
from torchdev_lint.proof.proof import Proof
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Converted:
    """A tensor on an accelerator, or a list of some, of which an array is to be made.

    Args:
        node: its expression.
        is_list: whether it is a list.
        gradients: whether it may need gradients.
        is_whole: whether the array is made of just that; else of a part of it.
    """

    node: ast.expr
    is_list: bool
    gradients: bool
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class Conversion(AtNode):
    """A call makes arrays of tensors that are on an accelerator, which fails.

    Args:
        node: the call, or what is computed with an array; or what is assigned a tensor, which may
            be a part of an array.
        parts: the tensors.
        scope: dotted name of the function.
        model: the class that is only taken to be on the accelerator, with what it computes; empty
            where the code moves what is converted.
        makes_array: whether an array is to be made; else a tensor is taken that has to be there.
        fed: whether it is computed of what layers of the module are fed with, so that it is
            wherever the module is.
        elsewhere: where the array is made, if that is in another file: then the call is the one
            that leads there, and the tensor what it is called with.
        computed: whether the array is made of what the function there computes of that.
        shown: the call in another file that shows that the tensors are on the accelerator.
    """

    node: ast.Call | ast.Subscript | ast.BinOp
    parts: tuple[Converted, ...]
    scope: str
    model: str
    makes_array: bool = True
    fed: bool = False
    elsewhere: Site | None = None
    computed: bool = False
    shown: Site | None = None
    for_users = True

    def is_certain(self, proof: Proof) -> bool:
        """Whether what is assigned a tensor, if it isn't a call, certainly is a part of an array.

        Args:
            proof: what is certain of the file's names.
        """
        return not isinstance(self.node, ast.Subscript) or fills_array(proof, self.node)

    @property
    def key(self) -> object:
        """What a call leads to is told of each of its arguments."""
        return self.node if self.elsewhere is None else (self.node, self.parts[0].node)

    def is_about(self, file: File, at_hand: File) -> bool:
        """It is mended where the code says that it is an accelerator's tensor."""
        return at_hand is file or self.elsewhere is not None

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """A handler may take its failure."""
        return frozenset(Mood)

    def after(self, earlier: Event) -> Event:
        """Return the one of which the code itself says where its tensors are."""
        assert isinstance(earlier, Conversion)
        return self if earlier.model and not self.model else earlier


@dataclass(frozen=True, slots=True)
class LengthsOnHost(AtNode):
    """What packs sequences is given lengths on the CPU by some who call the code around it.

    Args:
        node: its call.
    """

    for_users = True
