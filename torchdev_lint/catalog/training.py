"""What each step of a training does, by the names of methods."""

from __future__ import annotations

BACKWARD = "backward"
"""Computes gradients: a method of losses, and of what is handed one, as accelerators are."""

CLEARS_GRADIENTS = "zero_grad"
"""Clears gradients. Together with `STEP` only optimizers have it, and what stands for them."""

STEP = "step"
"""Changes the parameters; schedulers have it as well."""

SYNCHRONIZE = "synchronize"
"""Waits for an accelerator, whatever the host goes on to read: `torch.cuda.synchronize()`."""

SYNCHRONIZES = frozenset({SYNCHRONIZE, "wait", "wait_stream", "wait_event", "Event", "Stream"})
"""What code has to do with that waits for work of its own in the background."""

GRADIENT_MODES = frozenset({"no_grad", "enable_grad", "inference_mode", "set_grad_enabled"})
"""What stands around a function as a decorator and leaves what that takes, and gives, as it is.

Source: `_DecoratorContextManager` in `torch/utils/_contextlib.py`.
"""

COUNTING = frozenset({"range", "trange", "count"})
"""What gives numbers to a loop, by the last component of its name: steps or epochs, no batches."""

CUDA_AMP = {
    "torch.cuda.amp.autocast": ("enabled", "dtype", "cache_enabled"),
    "torch.cuda.amp.GradScaler": (
        "init_scale",
        "growth_factor",
        "backoff_factor",
        "growth_interval",
        "enabled",
    ),
}
"""Mixed precision on CUDA alone, and what its arguments are called, in their order.

Source: `torch/cuda/amp`; `tests/rules/test_cuda_amp.py` asks the installed one.
"""

STATE_ARGUMENTS = {"from_pretrained": "state_dict"}
"""Methods that build a model, and the argument that its state comes from.

Source: `PreTrainedModel.from_pretrained` in `transformers/modeling_utils.py`.
"""

STATE_KEYS = frozenset(
    """state_dict model_state_dict optimizer_state_dict optimizer_states model optimizer optim
    model_ema""".split()
)
"""Keys under which checkpoints hold the states of models and optimizers.

Source: https://docs.pytorch.org/tutorials/recipes/recipes/saving_and_loading_a_general_checkpoint.html,
https://lightning.ai/docs/pytorch/stable/common/checkpointing_intermediate.html,
`references/classification/train.py` of torchvision, OpenNMT-py's `onmt/models/model_saver.py`.
"""
