"""Functions that read tensors from files, and write them, and what takes what was read."""

from __future__ import annotations

CHECKPOINT_READERS = frozenset({"torch.load"})
"""Functions that read tensors from a file, to where their `map_location` says."""

OF_ANY_CLASS = CHECKPOINT_READERS | {"torch.jit.load", "torch.hub.load"}
"""Functions that give models of classes out of sight, whatever library they are of themselves."""

MAPPING_READERS = {
    "torch.load": 1,
    "torch.jit.load": 1,
    "torch.hub.load_state_dict_from_url": 2,
    "torch.utils.model_zoo.load_url": 2,
}
"""Functions that put what they read where it was saved, and the position of their `map_location`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.load.html
"""

DOWNLOADING_READERS = frozenset(
    {"torch.hub.load_state_dict_from_url", "torch.utils.model_zoo.load_url"}
)
"""Those of them that download what they read."""

STATE_TAKERS = frozenset({"load_state_dict", "_load_from_state_dict", "copy_"})
"""Methods of what exists, which takes values from their first argument."""

KEEPERS = frozenset(
    {
        "torch.nn.Parameter",
        "torch.nn.Embedding.from_pretrained",
        "ignite.handlers.Checkpoint.load_objects",
        "ignite.handlers.checkpoint.Checkpoint.load_objects",
    }
)
"""Functions whose argument becomes part of a module, or its state."""

WRITERS = frozenset({"torch.save", "torch.jit.save"})
"""Functions that write their first argument to the file that is their second."""

COMPILERS = frozenset({"torch.jit.script", "torch.jit.trace"})
"""Functions that give a compiled model, whose `save` writes it to a file."""

COPIERS = frozenset(
    {"os.rename", "os.replace", "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.move"}
)
"""Functions that give the file that is their first argument the name that is their second."""

SAFETENSORS_READERS = frozenset({"safetensors.torch.load_file", "safetensors.torch.load"})
"""Functions that read a dict of tensors, to the host where no `device` is named."""
