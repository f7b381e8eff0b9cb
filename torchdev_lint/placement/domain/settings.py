"""What the code has set for all that follows."""

from __future__ import annotations

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
    """

    default: Place = Place.HOST
    gradients: bool = True
    lasts: bool = False

    def joined(self, other: Settings) -> Settings:
        """Return what is certain behind two branches."""
        if self is other or self == other:
            return self
        default = self.default if self.default is other.default else Place.UNKNOWN
        return Settings(
            default, self.gradients and other.gradients, lasts=self.lasts and other.lasts
        )


INITIAL = Settings()
"""What holds where nothing was set."""
