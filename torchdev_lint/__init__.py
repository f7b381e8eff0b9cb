"""torchdev-lint: finds device-placement bugs in PyTorch code before a GPU does."""

__version__ = "0.1.0"
