"""torchdev-lint: finds device-placement bugs in PyTorch code before a GPU does."""

__version__ = "0.1.0"

TYPE_CHECKING = False
"""Type checkers take it to be true; to import it would cost all who import this package."""
if TYPE_CHECKING:
    from torchdev_lint.api import CannotCheck as CannotCheck
    from torchdev_lint.api import FixedSource as FixedSource
    from torchdev_lint.api import check as check
    from torchdev_lint.api import check_source as check_source
    from torchdev_lint.api import fix_source as fix_source
    from torchdev_lint.reveal import reveal_device as reveal_device

_HOMES = {
    "CannotCheck": "api",
    "FixedSource": "api",
    "check": "api",
    "check_source": "api",
    "fix_source": "api",
    "reveal_device": "reveal",
}
"""In which modules the names are that this one offers: they are imported when they are used."""

__all__ = [
    "CannotCheck",
    "FixedSource",
    "__version__",
    "check",
    "check_source",
    "fix_source",
    "reveal_device",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
