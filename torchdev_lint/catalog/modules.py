"""Modules: which have state that lives somewhere, which classes are bases of modules.

Source: the classes of https://docs.pytorch.org/docs/stable/nn.html, built and inspected by
`tests/catalog/test_catalog.py`.
"""

from __future__ import annotations

import re

LAYERS = frozenset(
    """
    AdaptiveLogSoftmaxWithLoss BatchNorm1d BatchNorm2d BatchNorm3d Bilinear Conv1d Conv2d Conv3d
    ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding EmbeddingBag GRU GRUCell GroupNorm
    LSTM LSTMCell LayerNorm Linear MultiheadAttention PReLU RMSNorm RNN RNNCell SyncBatchNorm
    Transformer TransformerDecoderLayer TransformerEncoderLayer
    """.split()
)
"""Layers in `torch.nn` with parameters or buffers, but for the arguments in the next table."""

CONDITIONAL_LAYERS = {
    "BatchNorm1d": ("affine", "track_running_stats"),
    "BatchNorm2d": ("affine", "track_running_stats"),
    "BatchNorm3d": ("affine", "track_running_stats"),
    "GroupNorm": ("affine",),
    "LayerNorm": ("elementwise_affine",),
    "RMSNorm": ("elementwise_affine",),
}
"""Layers without state when all of these arguments are false."""

OPTIONAL_LAYERS = {
    "InstanceNorm1d": ("affine", "track_running_stats"),
    "InstanceNorm2d": ("affine", "track_running_stats"),
    "InstanceNorm3d": ("affine", "track_running_stats"),
}
"""Layers with state only when one of these arguments is true."""

AFFINE = {
    **dict.fromkeys(("BatchNorm1d", "BatchNorm2d", "BatchNorm3d"), ("affine", 3, True)),
    **dict.fromkeys(("SyncBatchNorm", "GroupNorm"), ("affine", 3, True)),
    **dict.fromkeys(("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"), ("affine", 3, False)),
    **dict.fromkeys(("LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d"), ("affine", 2, True)),
    **dict.fromkeys(
        ("LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d"), ("affine", 2, True)
    ),
    **dict.fromkeys(("LayerNorm", "RMSNorm"), ("elementwise_affine", 2, True)),
}
"""Layers without parameters when an argument is false: its name, position and default."""

COUNTING_LAYERS = frozenset(f"torch.nn.{name}" for name in (
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "InstanceNorm1d",
    "InstanceNorm2d", "InstanceNorm3d", *(name for name in AFFINE if name.startswith("Lazy")),
))  # fmt: skip
"""Layers that may have a buffer without axes, the number of batches they have seen.

Source: `num_batches_tracked` in `torch/nn/modules/batchnorm.py`."""

GIVEN_WEIGHTS = ("_weight", "_freeze")
"""Arguments of embeddings that say what their parameters are, or that they stay as they are."""

LAZY_LAYERS = frozenset(
    """
    LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d
    LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d
    LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear
    """.split()
)
"""Layers that take the shape of their first input; built on the host all the same."""

CONTAINERS = frozenset(
    {"Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict",
     "TransformerEncoder", "TransformerDecoder"}
)  # fmt: skip
"""Modules whose state is that of what they are given."""

STATELESS = frozenset(
    """
    AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d
    AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d CELU ChannelShuffle CircularPad1d
    CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d CrossMapLRN2d Dropout
    Dropout1d Dropout2d Dropout3d ELU FeatureAlphaDropout Flatten Fold FractionalMaxPool2d
    FractionalMaxPool3d GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh Identity LPPool1d
    LPPool2d LPPool3d LeakyReLU LocalResponseNorm LogSigmoid LogSoftmax MaxPool1d MaxPool2d
    MaxPool3d Mish PixelShuffle PixelUnshuffle RReLU ReLU ReLU6 ReflectionPad1d ReflectionPad2d
    ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU SiLU Sigmoid Softmax
    Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold Unflatten Unfold
    Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d
    """.split()
)
"""Modules with one input and no state."""

JOINING = frozenset(
    {"CosineSimilarity", "PairwiseDistance", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"}
)
"""Modules without state that join several inputs, which must live on one device."""

LOSSES = frozenset(
    """
    BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss
    HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss MSELoss MarginRankingLoss MultiLabelMarginLoss
    MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss NLLLoss2d PoissonNLLLoss SmoothL1Loss
    SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss
    """.split()
)
"""Losses: no state but a weight they may be given."""

LOSS_WEIGHTS = ("weight", "pos_weight")
"""Arguments of losses that become buffers."""

BUFFERS_OF_BASES = {
    **dict.fromkeys(
        """
        _WeightedLoss BCELoss CrossEntropyLoss LinearCrossEntropyLoss MultiLabelSoftMarginLoss
        MultiMarginLoss NLLLoss NLLLoss2d
        """.split(),
        frozenset({"weight"}),
    ),
    "BCEWithLogitsLoss": frozenset({"weight", "pos_weight"}),
    **dict.fromkeys(
        """
        _NormBase _BatchNorm _InstanceNorm BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d
        InstanceNorm2d InstanceNorm3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d
        LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d SyncBatchNorm
        """.split(),
        frozenset({"running_mean", "running_var", "num_batches_tracked"}),
    ),
}
"""What classes of `torch.nn` register as buffers, be it as `None`: what a class that inherits from
them assigns to these attributes becomes the buffer. Source: `Module.__setattr__` in
torch/nn/modules/module.py, and the classes in loss.py and batchnorm.py beside it."""

BROADCAST_LOSSES = frozenset({"MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss"})
"""Losses that broadcast their operands, see `operations.BROADCAST`."""

HINTED_MASKS = {
    "TransformerEncoder": {1: ("mask", (2, "src_key_padding_mask"))},
    "TransformerDecoder": {2: ("tgt_mask", (4, "tgt_key_padding_mask"))},
    "Transformer": {
        2: ("src_mask", (5, "src_key_padding_mask")),
        3: ("tgt_mask", (6, "tgt_key_padding_mask")),
    },
}
"""Arguments that never meet the others if they are causal masks: a hint stands in for them.

By their positions: what they are called, and beside what they meet the others all the same.
Source: `_detect_is_causal_mask` in torch/nn/modules/transformer.py, and the `is_causal` of
`multi_head_attention_forward` in torch/nn/functional.py.
"""

CAUSAL_MASKS = {
    "MultiheadAttention": {5: ("attn_mask", (7, "is_causal"), (3, "key_padding_mask"))},
    "TransformerEncoderLayer": {1: ("src_mask", (3, "is_causal"), (2, "src_key_padding_mask"))},
    "TransformerDecoderLayer": {
        2: ("tgt_mask", (6, "tgt_is_causal"), (4, "tgt_key_padding_mask")),
        3: ("memory_mask", (7, "memory_is_causal"), (5, "memory_key_padding_mask")),
    },
}
"""Arguments that attention drops where it is told that they are causal, and needs no weights.

By their positions: what they are called, what tells it, and what may not be given beside them.
Source: `multi_head_attention_forward` in torch/nn/functional.py; the layers in
torch/nn/modules/transformer.py need no weights.
"""

PARALLEL = frozenset({"torch.nn.DataParallel", "torch.nn.parallel.DataParallel",
                      "torch.nn.parallel.DistributedDataParallel"})  # fmt: skip
"""Wrappers that move their inputs to the device themselves."""

WITH_TWO_STATES = frozenset({"torch.nn.LSTM", "torch.nn.LSTMCell"})
"""Layers that are given their two states as a tuple: one tensor raises.

But for a sequence without a batch, whose states may be the two halves of a tensor.
"""

RECURRENT = frozenset({"LSTM", "GRU", "RNN", "MultiheadAttention"})
"""Layers that give more than one tensor."""

WITH_WEIGHT = frozenset(
    """
    Linear Embedding Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Bilinear
    """.split()
)
"""Layers whose `weight` is always a parameter."""

WITH_PARAMETERS = LAYERS - AFFINE.keys()
"""Layers that have parameters, whatever they are built with."""

QUANTIZED = frozenset("Linear LSTM GRU LSTMCell GRUCell RNNCell".split())
"""Layers that dynamic quantization exchanges for others, of which nothing is a parameter.

Source: `DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS` in torch/ao/quantization/quantization_mappings.py,
and `quantize_dynamic`, which does that to Linear, LSTM, GRU and the cells by default.
"""

TENSOR_TAKERS = (
    WITH_WEIGHT
    | frozenset("BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm LayerNorm PReLU RMSNorm".split())
    | {name for name in STATELESS if name != "Identity" and "MaxPool" not in name}
)
"""Layers that take a tensor first, and nothing else, and give one."""

_TAKING_MORE = frozenset(
    """
    AdaptiveLogSoftmaxWithLoss Bilinear ConvTranspose1d ConvTranspose2d ConvTranspose3d EmbeddingBag
    GRU GRUCell LSTM LSTMCell MultiheadAttention RNN RNNCell Transformer TransformerDecoderLayer
    TransformerEncoderLayer
    """.split()
)
ONE_INPUT = frozenset(
    f"torch.nn.{name}" for name in (LAYERS | STATELESS | {"Sequential"}) - _TAKING_MORE
)
"""Modules that are called with one thing: a second one raises a `TypeError`."""

SEQUENCE_TAKERS = frozenset({"LSTM", "GRU", "RNN"})
"""Layers that take a tensor first, or a `PackedSequence`, and nothing else."""

STATE_ATTRIBUTES = frozenset({"weight", "bias", "in_proj_weight", "running_mean", "running_var"})
"""Attributes of layers that are parameters or buffers."""

WRAPPERS = frozenset(
    {"torch.compile", "torch.jit.script", "torch.jit.freeze", "torch.jit.optimize_for_inference",
     "torch.nn.utils.weight_norm", "torch.nn.utils.spectral_norm",
     "torch.nn.utils.parametrizations.weight_norm", "torch.nn.utils.parametrizations.spectral_norm",
     "torch.nn.utils.parametrizations.orthogonal"}
)  # fmt: skip
"""Functions that give back the module they are given."""

MODULE_BASES = frozenset(
    """
    Module LightningModule PreTrainedModel ModelMixin MessagePassing BaseModule PyTorchModelHubMixin
    Metric DiffusionPipeline ScriptModule
    """.split()
)
"""Names of classes that are `nn.Module`s (or are moved like one), where their library is not known.

What the classes of libraries are stands in `catalog.classes`.
"""

MOVED_LIKE_MODULES = frozenset({"DiffusionPipeline", "PyTorchModelHubMixin"})
"""Those of them that don't inherit from `nn.Module`, or only beside it."""

METRIC_BASES = frozenset({"Metric"})
"""Those whose `update` and `compute` get what is where the metric is."""

LIGHTNING_STEPS = frozenset({"training_step", "validation_step", "test_step", "predict_step"})
"""Methods of a LightningModule that get a batch which the framework has moved."""

LIGHTNING_LOADERS = frozenset(
    {"train_dataloader", "val_dataloader", "test_dataloader", "predict_dataloader"}
)
"""Methods of a LightningModule that give the loaders of a trainer, which asks for them itself."""

LIGHTNING_HOOKS = re.compile(
    r"on_|configure_|.*_(step|start|end)$|(forward|backward|setup|teardown)$"
)
"""What the methods are called that a trainer calls while the module is where it has put it.

Afterwards it is on the CPU: `teardown` in `lightning/pytorch/strategies/strategy.py`.
Source: https://lightning.ai/docs/pytorch/stable/common/lightning_module.html#hooks
"""

ITERATOR_OF_STEPS = "dataloader_iter"
"""What their first parameter is called where they get the iterator of a loader instead.

Source: `_select_data_fetcher` in `lightning/pytorch/loops/utilities.py`.
"""

EPOCH_ENDS = {"validation_epoch_end": "validation_step", "test_epoch_end": "test_step"}
"""Methods of a LightningModule that get a list of what a step has given, which stays where it was.

Source: pytorch_lightning 1.9.5, `loops/epoch/evaluation_epoch_loop.py` (`move_metrics_to_cpu`), and
`loops/dataloader/evaluation_loop.py`: one list for each loader where there are several.
"""

FRAMEWORK_ENTRIES = frozenset(
    {"message", "aggregate", "update", "edge_update", "message_and_aggregate"}
)
"""Methods of a PyG MessagePassing that `propagate`, and so `forward`, calls."""

MODULE_METHODS = frozenset(
    """
    parameters named_parameters train eval state_dict load_state_dict modules named_modules children
    named_children register_buffer register_parameter zero_grad buffers named_buffers
    from_pretrained save_pretrained gradient_checkpointing_enable
    """.split()
)
"""Methods that only a module has: calling one of them is evidence for a module."""

PARAMETERS = frozenset({"parameters", "named_parameters", "buffers", "named_buffers"})
"""Those of them that give its parameters and buffers."""

GIVES_MODULES = frozenset({"children", "modules", "named_children", "named_modules"})
"""Those that give its modules."""

LISTS_OF_MODULES = PARAMETERS | GIVES_MODULES
"""Methods that list what a module has, the same whenever they are called."""

MODEL_ENDINGS = ("PreTrainedModel", "PretrainedModel")
"""Ends of the names of further such classes."""

RESTORED_BY = {
    "load_from_checkpoint": ("LightningModule",),
    "from_pretrained": (*MODEL_ENDINGS, "ModelMixin", "PyTorchModelHubMixin"),
}
"""Class methods that give an object of the class they are called on, and whose they are.

Source: `load_from_checkpoint` in `lightning/pytorch/core/module.py`, `from_pretrained` in
`transformers/modeling_utils.py`, `diffusers/models/modeling_utils.py` and
`huggingface_hub/hub_mixin.py`. Where the model is then, a file or an argument decides.
"""

PREPARATION = re.compile(
    r"^from_|^_?(reset|build|make|load|setup|create|register)|^_?init|_(re)?init(ialize)?(_|$)"
)
"""Names of methods that are called while a module is built, going by their verbs."""

WITH_DEVICE = ("PreTrainedModel", "LightningModule", "ModelMixin", "DiffusionPipeline")
"""Classes of libraries whose instances have a `device`, which `torch.nn.Module` doesn't."""

EXECUTION_DEVICE = "_execution_device"
DEVICE_PROPERTIES = frozenset({"device", EXECUTION_DEVICE})
"""What those call it that are no modules, as pipelines of models: where all their models run.

Source: `diffusers/pipelines/pipeline_utils.py`.
"""

FLUENT_METHODS = frozenset(
    "eval train half float double bfloat16 requires_grad_ apply type share_memory".split()
)
"""Methods of a module that change it where it is, and give it back."""

REGISTERING_METHODS = frozenset(
    {"add_module", "register_buffer", "register_parameter", "register_module"}
)
"""Methods that make something a part of a module."""

STATE_METHODS = REGISTERING_METHODS | frozenset(
    """
    to cuda cpu xpu to_empty half float double bfloat16 type share_memory requires_grad_ zero_grad
    buffers named_buffers parameters named_parameters state_dict load_state_dict children
    named_children modules named_modules _apply
    """.split()
)
"""Methods by which code takes care of the state of modules itself: moves, casts, lists it, …."""

STATE_HOOKS = STATE_METHODS | frozenset(
    "__getattr__ __setattr__ __getattribute__ _save_to_state_dict _load_from_state_dict".split()
)
"""Methods by which a class may take care of what it keeps, in whatever way."""

CALL_HOOKS = frozenset(
    """
    register_forward_hook register_forward_pre_hook register_backward_hook
    register_full_backward_hook register_full_backward_pre_hook
    """.split()
)
"""Methods of a module by which a function is called with it whenever the module is."""

TAKEN_BY_DICTS = frozenset(
    """
    T_destination add_module apply bfloat16 buffers call_super_init children clear compile copy cpu
    cuda double dump_patches eval extra_repr float forward fromkeys get get_buffer get_extra_state
    get_parameter get_submodule half ipu items keys load_state_dict modules mtia named_buffers
    named_children named_modules named_parameters parameters pop popitem register_backward_hook
    register_buffer register_forward_hook register_forward_pre_hook register_full_backward_hook
    register_full_backward_pre_hook register_load_state_dict_post_hook
    register_load_state_dict_pre_hook register_module register_parameter
    register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_extra_state
    set_submodule setdefault share_memory state_dict to to_empty train training type update values
    xpu zero_grad
    """.split()
)
"""Keys that `nn.ModuleDict` or `nn.ParameterDict` refuses: they have something of that name."""

ENTRY_METHODS = frozenset(
    """
    forward generate get_image_features get_text_features encode_image encode_text forward_features
    forward_head extract_features
    """.split()
)
"""Methods of models out of sight that take the model's input."""

HANDS_OUT_PARTS = frozenset(
    """
    apply modules named_modules children named_children get_submodule get_parameter get_buffer
    _modules _parameters _buffers __dict__
    """.split()
)
"""Members of a module with which code gets at its parts, and may move them one by one."""

LEAVES_IN_PLACE = (
    (MODULE_METHODS | FLUENT_METHODS | REGISTERING_METHODS | ENTRY_METHODS) - HANDS_OUT_PARTS
) | frozenset(
    """
    extra_repr compile training weight bias register_forward_hook register_full_backward_hook
    """.split()
)
"""Members of a module that leave it, and its parts, where they are."""

TAKEN_NAMES = frozenset(
    """
    training forward apply bfloat16 buffers children compile cpu cuda double eval extra_repr float
    half modules parameters register_buffer requires_grad_ share_memory state_dict to train type xpu
    zero_grad add_module device dtype
    """.split()
)
"""Names that a module, or a framework's, uses for something else than a layer."""

PRETRAINED_INPUTS = frozenset(
    """
    input_ids attention_mask token_type_ids position_ids inputs_embeds labels pixel_values
    pixel_mask input_values input_features decoder_input_ids decoder_attention_mask
    decoder_inputs_embeds decoder_position_ids encoder_hidden_states encoder_attention_mask
    encoder_outputs past_key_values head_mask bbox image start_positions end_positions
    next_sentence_label mc_token_ids mc_labels token_labels class_labels mask_labels
    bool_masked_pos global_attention_mask past_values past_time_features past_observed_mask
    perm_mask target_mapping langs entity_ids entity_attention_mask visual_embeds
    visual_attention_mask
    """.split()
)
"""What the models of `transformers` call their tensors.

Code that comes with a checkpoint may have other arguments, and do with them what it likes.
"""
