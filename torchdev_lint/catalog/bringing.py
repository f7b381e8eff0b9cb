"""What brings models, and batches, to an accelerator by itself."""

from __future__ import annotations

_LIGHTNING = ("pytorch_lightning", "lightning", "lightning.pytorch")
LIGHTNING_TRAINERS = frozenset(f"{name}.Trainer" for name in _LIGHTNING)
LIGHTNING_MODULES = frozenset(f"{name}.LightningModule" for name in _LIGHTNING)
"""What nothing but a trainer of Lightning trains, on the accelerator that is there by default.

Source: `Trainer.__init__` in lightning/pytorch/trainer/trainer.py, where `accelerator="auto"`.
"""
LIGHTNING_ROOTS = frozenset(name.partition(".")[0] for name in _LIGHTNING)
LIGHTNING_RUNS = ("fit", "validate", "test", "predict")
"""Methods of its trainers that bring a model to the accelerator, and back to the CPU at the end.

Source: `Strategy.teardown` in lightning/pytorch/strategies/strategy.py.
"""
LIGHTNING_DATA = frozenset({"train_dataloaders", "val_dataloaders", "datamodule"})
"""Arguments that these methods have, and those of no other library.

Source: `Trainer.fit` in lightning/pytorch/trainer/trainer.py.
"""
LIGHTNING_FILES = frozenset({"best_model_path", "last_model_path"})
"""Attributes of its callback for checkpoints: the files that this run has written.

Source: https://lightning.ai/docs/pytorch/stable/api/lightning.pytorch.callbacks.ModelCheckpoint.html
"""
ACCELERATORS = frozenset({"accelerate.Accelerator", "accelerate.accelerator.Accelerator"})
BRINGING_LIBRARIES = frozenset(
    {"accelerate", "catalyst", "deepspeed", "fastai", "ignite", "lightning", "lightning_fabric",
     "pytorch_lightning", "skorch", "stable_baselines3"}
)  # fmt: skip
"""Libraries that find an accelerator by themselves, and put models there.

Source: their documentation; `Accelerator`, `Trainer`, `Learner`, `NeuralNet`, `get_device`.
"""
_FABRICS = frozenset({"lightning.Fabric", "lightning.fabric.Fabric", "lightning_fabric.Fabric"})
BRINGING_METHODS = {
    "prepare": ACCELERATORS,
    "setup": _FABRICS,
    **dict.fromkeys(LIGHTNING_RUNS, LIGHTNING_TRAINERS),
}
"""Methods that bring the model they are given to an accelerator, and the classes that have them."""

PREPARING = {
    **dict.fromkeys(ACCELERATORS, frozenset({"prepare", "prepare_model", "prepare_data_loader"})),
    **dict.fromkeys(_FABRICS, frozenset({"setup", "setup_module", "setup_dataloaders"})),
}
"""Classes whose objects bring models to an accelerator, and have loaders bring their batches.

So do these methods of theirs, with each of their arguments, which they give back in that order.
Source: `Accelerator.prepare` in accelerate/accelerator.py and `DataLoaderShard` in
accelerate/data_loader.py; lightning/fabric/fabric.py and lightning/fabric/wrappers.py.
"""

GATHERING = frozenset(
    {"gather", "gather_for_metrics", "pad_across_processes", "reduce", "unwrap_model"}
)
"""Methods of accelerate's that give what they are handed, where that is.

Source: accelerate/utils/operations.py, and `extract_model_from_parallel` in utils/other.py.
"""

METHODS = {
    **PREPARING,
    **{owner: PREPARING[owner] | GATHERING for owner in ACCELERATORS},
}
"""All of these methods, by their classes."""

USES_ACCELERATOR = {
    "cpu": frozenset({False}),
    "device_placement": frozenset({True}),
    "accelerator": frozenset({"auto", "cuda", "gpu", "mps"}),
}
"""Arguments of such a class, and with what its object uses the accelerator that is there.

Source: the signatures of `accelerate.Accelerator` and `lightning.fabric.Fabric`.
"""

BRINGS_WHAT_IT_IS_GIVEN = frozenset(
    {"transformers.Trainer", "transformers.Seq2SeqTrainer", "trl.SFTTrainer", "trl.DPOTrainer"}
)
"""Classes whose objects bring the model they are made with to an accelerator."""

INPUT_PREPARATION = "_prepare_inputs"
"""A method of theirs that gives back what it is handed, brought along."""

MODEL_OF_TRAINERS = "model"
"""The attribute in which such a trainer has its model."""

LEAVES_ON_HOST = frozenset({"use_cpu", "no_cuda", "place_model_on_device"})
"""Settings of such a trainer by which it may leave its model on the CPU.

Source: `TrainingArguments` in `transformers/training_args.py`.
"""

HELD_BY_TRAINERS = {"accelerator": "accelerate.Accelerator"}
"""What such a trainer keeps, by the name of the attribute.

Source: `Trainer._prepare_inputs` and `create_accelerator_and_postprocess` in
`transformers/trainer.py`.
"""
