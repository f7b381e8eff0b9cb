"""What a process may do instead of analysing."""

from __future__ import annotations

import os
import time

from torchdev_lint.server.questions import Question


def act(question: Question) -> object:
    """Do what is asked for: hang, die, or give the word back."""
    (what,) = question.arguments
    if what == "hang":
        time.sleep(600)
    if what == "die":
        os._exit(1)
    return what
