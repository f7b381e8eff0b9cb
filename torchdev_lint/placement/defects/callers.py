"""Who calls the functions of a file, and with what."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.joins import leaves
from torchdev_lint.placement.domain.values import Bundle, Place, Tensor
from torchdev_lint.placement.facts.events import Called
from torchdev_lint.placement.run import Run


def note_called(run: Run, function: ast.AST, arguments: Arguments) -> None:
    """Note for a call whether it gives a function tensors, and from where.

    Args:
        function: the function that is called.
    """
    given = [leaf for value in arguments.values() for leaf in leaves(value)]
    places = {value.place for value in given if isinstance(value, (Tensor, Bundle))}
    run.note(
        Called(
            function,
            run.entry,
            on_host=places == {Place.HOST} or run.serves_host,
            as_given=Place.GIVEN in places and places <= {Place.HOST, Place.GIVEN},
        )
    )
