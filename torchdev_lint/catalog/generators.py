"""Random generators, and what draws with them: both have to be on devices of one type.

Source: `check_generator` in aten/src/ATen/core/Generator.h, and
https://docs.pytorch.org/docs/stable/generated/torch.Generator.html
"""

from __future__ import annotations

GENERATOR = "torch.Generator"
METHODS = frozenset({"manual_seed"})
"""Its methods that give it back."""
DEFAULT_MAKERS = frozenset({"torch.manual_seed"})
"""What gives the generator of the CPU."""
DRAWING_FACTORIES = frozenset({"normal", "rand", "randint", "randn", "randperm"})
"""Factories that draw, where they make their tensors."""
DRAWN_IN_PLACE = frozenset(
    """
    bernoulli_ cauchy_ exponential_ geometric_ log_normal_ normal_ random_ uniform_
    """.split()
)
"""Methods that fill a tensor with what they draw."""
DRAWN_FROM = frozenset({"bernoulli", "multinomial", "poisson"})
"""Functions, and methods of that name, that draw where the tensor is which has the probabilities.
Source: https://docs.pytorch.org/docs/stable/generated/torch.multinomial.html and the others'"""
GENERATOR_ARGUMENT = "generator"

SHUFFLING_LOADERS = frozenset({"torch.utils.data.DataLoader"})
"""What draws an order with a generator of its own on the CPU, by `torch.randperm`, which goes by
the default device. Source: `RandomSampler.__iter__` in torch/utils/data/sampler.py"""
SPLITTING = frozenset({"torch.utils.data.random_split"})
"""What does so with the default generator, which is the CPU's, where it is given none.
Source: `random_split` in torch/utils/data/dataset.py"""
