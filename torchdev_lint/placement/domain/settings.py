"""What the code has set for all that follows."""

from __future__ import annotations

from torchdev_lint.placement.domain.origins import Site
from torchdev_lint.placement.domain.values import Place
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds from where it is set on, also in the functions that are called.

    Args:
        default: where factories put their tensors when nothing says so.
        gradients: whether gradients are certainly on.
        lasts: whether the default is set for good, as by `set_default_device`, rather than for the
            body of a `with`.
        brought: where another file has certainly made the accelerator the default device, also if
            that was when it was imported, which `default` doesn't tell: None if none has.
    """

    default: Place = Place.HOST
    gradients: bool = True
    lasts: bool = False
    brought: Site | None = None

    def joined(self, other: Settings) -> Settings:
        """Return what is certain behind two branches."""
        if self is other or self == other:
            return self
        default = self.default if self.default is other.default else Place.UNKNOWN
        brought = self.brought and other.brought
        return Settings(
            *(default, self.gradients and other.gradients, self.lasts and other.lasts), brought
        )


INITIAL = Settings()
"""What holds where nothing was set."""
