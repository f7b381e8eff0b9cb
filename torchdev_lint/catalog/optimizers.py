"""Optimizers of PyTorch: when they keep tensors for the parameters that they were given."""

from __future__ import annotations

_PACKAGE = "torch.optim."

OPTIMIZERS = frozenset(
    _PACKAGE + name
    for name in """
    Adadelta Adafactor Adagrad Adam AdamW Adamax ASGD LBFGS Muon NAdam RAdam RMSprop Rprop SGD
    SparseAdam
    """.split()
)
"""Optimizers, which take the parameters of models first."""

BASES = frozenset({_PACKAGE + "Optimizer", _PACKAGE + "optimizer.Optimizer"})
"""What optimizers of other libraries and projects inherit from."""

GROUPS, PARAMETERS, STATE = "param_groups", "params", "state"
"""What objects of them have: groups of parameters, where these stand in a group, and what is kept
for each of them. Source: https://docs.pytorch.org/docs/stable/optim.html"""

FILLED_WHEN_BUILT = frozenset({_PACKAGE + "Adagrad"})
"""Those that make a tensor for each parameter when they are built, where the parameter is."""

ONLY_WITH_MOMENTUM = frozenset({_PACKAGE + "SGD"})
"""Those that keep tensors only if they are told a momentum."""

KEEP_TENSORS = OPTIMIZERS - ONLY_WITH_MOMENTUM
"""Those that keep tensors for each parameter, from the first step on or when a state is loaded.

`step` takes them where they are: a parameter that was moved since is elsewhere.
"""

METHODS = frozenset({"step", "load_state_dict", "add_param_group"})
"""The methods that something is known of."""
