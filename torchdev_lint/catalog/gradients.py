"""What leaves gradients and parameters as they are.

Held against the installed torch by `tests/catalog/test_gradients.py`.
"""

from __future__ import annotations

from torchdev_lint.catalog.methods import MODULE_MOVES

KEEPING_CONTEXTS = frozenset(
    """
    torch.device torch.enable_grad torch.autograd.enable_grad torch.autocast torch.amp.autocast
    torch.cuda.amp.autocast torch.cpu.amp.autocast torch.profiler.record_function
    torch.autograd.profiler.record_function torch.cuda.nvtx.range torch.cuda.device
    torch.nn.attention.sdpa_kernel contextlib.nullcontext contextlib.suppress
    warnings.catch_warnings
    """.split()
)
"""Context managers inside which gradients are on if they were before."""

KEEPING_DECORATORS = frozenset(
    """
    staticmethod classmethod property override final abstractmethod overload autocast custom_fwd
    enable_grad compile export unused script script_method
    """.split()
)
"""Last components of decorators that leave gradients on, and keep no results for later calls."""

COMPUTES_GRADIENTS = frozenset({"backward", "autograd", "requires_grad_"})
"""What code names that computes gradients, or has them computed."""

RANDOM_FILLS = frozenset(
    """
    normal_ uniform_ log_normal_ exponential_ geometric_ cauchy_ bernoulli_ random_
    """.split()
)
"""Methods that fill a tensor with random numbers: what training starts from."""

LEAVES_PARAMETERS = MODULE_MOVES | frozenset(
    """
    half float double bfloat16 type eval train training forward share_memory flatten_parameters
    compile
    """.split()
)
"""Members of a layer with which its parameters are not looked at, and remain as random."""

SETTINGS = frozenset(
    """
    reduction ignore_index label_smoothing beta margin
    in_features out_features in_channels out_channels kernel_size stride padding dilation groups
    padding_mode hidden_size num_layers bidirectional batch_first dropout embedding_dim
    num_embeddings padding_idx embed_dim num_heads num_features eps momentum p inplace
    normalized_shape
    """.split()
)
"""Attributes of layers and losses that hold numbers, texts and flags: they say how it computes, and
parameters are what they were, whoever reads or sets them."""

SETS_PARAMETERS = frozenset({"load_state_dict", "requires_grad_"})
"""Methods of a module that give its parameters values, or freeze them."""

GIVES_PARAMETERS = frozenset({"parameters", "named_parameters"})
"""Methods of a module that give its parameters one by one."""

LISTS_PARAMETERS = GIVES_PARAMETERS | {"state_dict"}
"""Methods of a module with whose results its parameters can be set or frozen."""

CONSTANT_FILLS = frozenset({"constant_", "ones_", "zeros_", "eye_", "dirac_"})
"""Functions of `torch.nn.init` that draw nothing."""

LEAF_MAKERS = frozenset({"Parameter"})
"""What makes tensors that ask for gradients without being told, by the last component of its name.

`tests/rules/test_moved_leaf.py` holds it against the installed PyTorch.
"""

ASKS_FOR_GRADIENTS = "requires_grad"
"""The keyword by which all others are told."""
