"""What the libraries around PyTorch do to placement."""

from __future__ import annotations

import re

from torchdev_lint.catalog import bringing, data_sets, generators, optimizers

REEXPORTS = {
    "kornia.core.": {
        "Module": "torch.nn.Module", "ModuleList": "torch.nn.ModuleList",
        "Parameter": "torch.nn.Parameter", "Sequential": "torch.nn.Sequential",
        "concatenate": "torch.cat", "normalize": "torch.nn.functional.normalize",
        "pad": "torch.nn.functional.pad", "softmax": "torch.nn.functional.softmax",
        "map_coordinates": "torch.nn.functional.grid_sample",
        **{name: f"torch.{name}" for name in (
            "Tensor", "tensor", "arange", "stack", "linspace", "eye", "einsum", "zeros",
            "zeros_like", "ones", "ones_like", "where", "complex", "diag", "cos", "sin", "tan",
            "deg2rad", "rad2deg", "as_tensor", "from_numpy", "rand",
        )},
    },
    "d2l.torch.": {
        "concat": "torch.cat", "batch_matmul": "torch.bmm",
        **{name: f"torch.{name}" for name in (
            "ones_like", "ones", "zeros_like", "zeros", "tensor", "arange", "meshgrid", "sin",
            "sinh", "cos", "cosh", "tanh", "linspace", "exp", "log", "normal", "rand", "randn",
            "matmul", "int32", "int64", "float32", "stack", "abs", "eye", "sigmoid",
        )},
    },
}  # fmt: skip
"""Members of other libraries that are PyTorch's own under another name.

Sources: `kornia/core/_backend.py` (kornia 0.6.8 to 0.8.1), `d2l/torch.py`.
"""

LIBRARIES = re.compile(
    rb"torch|transformers|diffusers|lightning|timm|accelerate|kornia|monai|(?:import|from) clip\b"
)
"""What is in the bytes of each file that can hold a tensor: the names of libraries.

Most of PyTorch's ecosystem has "torch" in its name.
"""

OF_TENSORS = re.compile(rb"\.(?:backward|detach|numpy)\(\)")
"""Methods of tensors that hardly anything else has: what functions of other files give is one."""

STAYS_A_LIBRARY = frozenset({"torch", "torchvision", "torchaudio"})
"""What is known here better than a folder of that name in a project would tell."""

SETTINGS_OF_TORCH = ("torch.version.", "torch.backends.")
"""What is no module, class or function of PyTorch by its name alone: versions and switches.

Source: https://docs.pytorch.org/docs/stable/backends.html and `torch/version.py`.
"""

LOADERS = frozenset(
    {
        "torch.utils.data.DataLoader",
        "torchdata.stateful_dataloader.StatefulDataLoader",
    }
)
"""Loaders that give host batches of whatever the dataset and `collate_fn` make."""

LOADER_BASES = frozenset({"DataLoader"})
"""Names of classes that are loaders, where their library is not known."""

TRAINERS = frozenset({"Trainer", "Seq2SeqTrainer"})
"""Names of classes whose methods get what they have moved to the device themselves.

Source: `Trainer._prepare_inputs` in `transformers/trainer.py`.
"""

DATA_BASES = frozenset(
    {"Dataset", "IterableDataset", "TensorDataset", "VisionDataset", "ImageFolder",
     "InMemoryDataset", "Sampler", "BatchSampler", "LightningDataModule", "BaseTransform"}
)  # fmt: skip
"""Names of classes whose methods work where samples are made.

Source: `torch/utils/data`, `torchvision/datasets`, `torch_geometric/data`,
`lightning/pytorch/core`.
"""

DATA_HOOKS = frozenset(
    {"collate_fn", "transform", "transforms", "target_transform", "pre_transform", "pre_filter",
     "worker_init_fn"}
)  # fmt: skip
"""Parameters of loaders and data sets for functions that work on samples.

Source: `torch/utils/data/dataloader.py`, `torchvision/datasets/vision.py`,
`torch_geometric/data/dataset.py`.
"""

TRANSPARENT_ITERATORS = frozenset(
    {"tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm", "tqdm.autonotebook.tqdm", "tqdm.std.tqdm",
     "tqdm.tqdm_notebook", "rich.progress.track", "progressbar.progressbar",
     "alive_progress.alive_it", "fastprogress.progress_bar"}
)  # fmt: skip
"""Wrappers that yield what they are given, unchanged."""

TOKENIZER_MARKS = ("Tokenizer", "Processor", "FeatureExtractor", "ImageProcessor")
"""Ends of the names of `transformers` classes whose call gives a BatchEncoding/BatchFeature."""


def is_pretrained(name: str) -> bool:
    """Return whether a name is that of a class of `transformers` of which models are loaded.

    Args:
        name: the qualified name; tokenizers and the like are meant as well.
    """
    library, _, last = name.rpartition(".")
    is_model = "Model" in last or "For" in last
    return library == "transformers" and (is_model or last.endswith(TOKENIZER_MARKS))


MODEL_FUNCTIONS = frozenset({"timm.create_model", "torchvision.models.get_model"})
"""Functions that give a module on the host."""


EXTRACTORS = frozenset({"torchvision.models.feature_extraction.create_feature_extractor"})
"""Functions that give a module made of the parts of the one that they are given.

Source: `torchvision/models/feature_extraction.py`.
"""

_OF_PARTS = frozenset({name.rpartition(".")[0] for name in EXTRACTORS})
_NO_MODEL = frozenset({"list_models", "get_model_builder"})
"""What functions beside those that build a model are called: they give names, or a function."""


def builds_model(name: str) -> bool:
    """Return whether a function gives a module on the host.

    What methods of the classes of weights give has no state: `Weights.DEFAULT.transforms()`.

    Args:
        name: its qualified name.
    """
    package, _, last = name.rpartition(".")
    if name.startswith("torchvision.models."):
        is_function = not any(part[:1].isupper() for part in name.split("."))
        is_model = is_function and "weight" not in last.lower()
        return is_model and last not in _NO_MODEL and package not in _OF_PARTS
    return name in MODEL_FUNCTIONS


def takes_pictures_alone(name: str) -> bool:
    """Return whether a function gives a model that is called with one thing, a batch of pictures.

    So are all that classify them. Source: `forward(self, x)` in torchvision/models.

    Args:
        name: its qualified name.
    """
    package, _, last = name.rpartition(".")
    return package == "torchvision.models" and last != "get_model" and builds_model(name)


_OF_MODELS = frozenset(
    {"torchvision.models"}
    | {f"torchvision.models.{part}" for part in ("detection", "segmentation", "video")}
)
"""Packages of which code looks members up that build models, by names that settings tell."""


def any_model_of(package: str) -> str | None:
    """Return what stands for a function of a package that builds a model; None if it has none.

    Args:
        package: its dotted name.
    """
    return f"{package}.any_model" if package in _OF_MODELS else None


BACKBONES = frozenset({"conv1", "features", "layer1", "layer2", "layer3", "layer4"})
"""Parts of torchvision's models that have parameters, wherever a model has a part of that name.

Source: `torchvision/models`; slices of `features` begin with a convolution in all of them.
"""

PLACED_BY_THEMSELVES = frozenset({"torch.hub.load"})
"""Functions that do, or run code of whatever repository, which may move what it makes."""

WITH_TRANSFORM = frozenset({"clip.load"})
"""Functions that give a model and the transform of its inputs.

The model is on the device that is told second, else on CUDA where there is an accelerator.
Source: `load` in clip/clip.py of https://github.com/openai/CLIP
"""

BUFFERED_TRANSFORMS = frozenset(
    f"torchaudio.transforms.{name}"
    for name in (
        "GriffinLim", "InverseMelScale", "InverseSpectrogram", "LFCC", "MFCC", "MelScale",
        "MelSpectrogram", "Resample", "SpectralCentroid", "Spectrogram", "TimeStretch",
    )
)  # fmt: skip
"""Transforms that are modules with a window, a filter bank or a kernel, made on the host.

Source: the calls of `register_buffer` in torchaudio/transforms/_transforms.py.
"""

HOST_READERS = frozenset(
    {"torchvision.io.read_image", "torchvision.io.decode_image", "torchvision.io.decode_jpeg",
     "torchvision.io.decode_png", "torchvision.io.decode_gif", "torchvision.io.decode_webp",
     "clip.tokenize",
     "torchvision.transforms.functional.to_tensor",
     "torchvision.transforms.functional.pil_to_tensor"}
)  # fmt: skip
"""Functions that make a host tensor of a file, an image or text, unless a `device` is named."""

IDENTITIES = {
    "typing.cast": 1,
    "torch.jit.annotate": 1,
    "torch.jit._unwrap_optional": 0,
    "apex.parallel.DistributedDataParallel": 0,
    "apex.parallel.convert_syncbn_model": 0,
}
"""Functions that give back one of their arguments, by position, or what does what that does.

Source: `forward` in apex/parallel/distributed.py, which calls the module with what it is given.
"""

CALLED_LATER = frozenset({"partial"})
"""Functions that give a function, which calls their first argument."""

CHECKPOINTS = frozenset({"torch.utils.checkpoint.checkpoint"})
"""Functions that call their first argument with the others."""

SOLVERS = frozenset({"torchdiffeq.odeint", "torchdiffeq.odeint_adjoint"})
"""Functions that solve an equation: they call their first argument with a time and a state.

The times are brought to where the state is.
Source: `_check_inputs` in torchdiffeq/_impl/misc.py
"""

CHECKPOINT_OPTIONS = frozenset(
    {"use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug",
     "early_stop"}
)  # fmt: skip
"""Their own keywords.

Source: https://docs.pytorch.org/docs/stable/checkpoint.html
"""

DISTRIBUTES = frozenset({"init_process_group", "DistributedDataParallel"})
"""What runs one program in several processes, each with an accelerator of its own."""

SHARDS = frozenset(
    {"FullyShardedDataParallel", "XlaFullyShardedDataParallel", "StateDictType", "FSDP"}
)
"""What shares out the state of one model among processes."""

TEST_LIBRARIES = frozenset({"pytest", "unittest"})
"""Libraries that only tests import."""

GRAPH_WRITERS = frozenset({"torch.utils.tensorboard.SummaryWriter"})
"""Classes whose objects draw a model's graph, tracing it."""

MODEL_CALLERS = {
    "torch.jit.trace": "example_inputs",
    "torch.onnx.export": "args",
    "torch.export.export": "args",
    **{f"{writer}.add_graph": "input_to_model" for writer in GRAPH_WRITERS},
}
"""Functions that call their first argument, and the name of the second: one input or a tuple.

Source: https://docs.pytorch.org/docs/stable/generated/torch.jit.trace.html,
https://docs.pytorch.org/docs/stable/onnx_export.html,
https://docs.pytorch.org/docs/stable/export.html and
https://docs.pytorch.org/docs/stable/tensorboard.html.
"""

PRETRAINED = frozenset({"from_pretrained", "from_config"})
"""Methods of classes of whatever library that give a model, tokenizer or processor."""

PLACING_ARGUMENTS = frozenset(
    {"device_map", "quantization_config", "load_in_8bit", "load_in_4bit", "tp_plan", "max_memory"}
)
"""Arguments of `from_pretrained` with which a model may be put on an accelerator."""

LOADER_NAME = re.compile("Loader|Sampler")
"""What is in the names of classes that give batches."""

TENSORS_WANTED = "return_tensors"
"""The keyword by which a tokenizer or processor is asked for tensors."""

AUDIO_READERS = frozenset({"torchaudio.load"})
"""Functions that read a file into a host tensor and a sample rate."""

IMAGE_TO_TENSOR = frozenset(
    {"torchvision.transforms.ToTensor", "torchvision.transforms.PILToTensor"}
)
"""Transforms that make a host tensor of an image, and take nothing else.

Those in `torchvision.transforms.v2` pass tensors on.
"""

OPAQUE_TRANSFORMS = frozenset({"Lambda", "ToPILImage"})
"""Transforms of torchvision that may move an image, or don't give a tensor."""

IMAGE_FUNCTIONS = frozenset(
    {"adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation",
     "adjust_sharpness", "affine", "autocontrast", "center_crop", "convert_image_dtype", "crop",
     "elastic_transform", "equalize", "erase", "gaussian_blur", "hflip", "invert", "normalize",
     "pad", "perspective", "posterize", "resize", "resized_crop", "rgb_to_grayscale", "rotate",
     "solarize", "vflip"}
)  # fmt: skip
"""Functions of `torchvision.transforms.functional` that give an image where they are given one.

The others give sizes, several images or one of PIL's.
Source: https://docs.pytorch.org/vision/stable/transforms.html#functionals
"""

IMAGE_DATASETS = frozenset(
    {"MNIST", "FashionMNIST", "KMNIST", "EMNIST", "QMNIST", "CIFAR10", "CIFAR100", "ImageFolder",
     "SVHN", "STL10", "ImageNet", "USPS", "Food101", "GTSRB", "DTD", "Flowers102", "EuroSAT",
     "OxfordIIITPet", "StanfordCars", "PCAM", "SUN397", "Country211", "RenderedSST2", "Omniglot"}
)  # fmt: skip
"""Data sets of torchvision whose elements are an image and a number."""

EINOPS = frozenset({"rearrange", "repeat", "reduce", "pack", "unpack"})
"""Functions of einops that give a tensor where the one they are given lives.

Source: https://einops.rocks/api/rearrange/ and the pages next to it.
"""

HOST_DATASETS = ("torchvision.datasets", "torchaudio.datasets", "torchtext.datasets")
"""Where data sets live whose samples are on the host, whatever else they are."""

MODEL_LIBRARIES = (
    "torch.", "torchvision.", "transformers.", "timm.", "torch_geometric.nn.",
    "segmentation_models_pytorch.", "monai.networks.", "clip.",
)  # fmt: skip
"""Libraries of models that take their inputs as they are: who calls one moves them."""

EMBEDDED_INPUTS = frozenset(
    {"input_ids", "token_type_ids", "inputs_embeds", "decoder_input_ids", "decoder_inputs_embeds",
     "pixel_values", "input_values", "input_features"}
)  # fmt: skip
"""Inputs of the models of `transformers` that meet the model's own state first.

Labels and masks are no such inputs: many of its losses and masks move what they are given.
Source: `transformers/models/bert/modeling_bert.py`, and `ForMaskedLMLoss` and the like in
`transformers/loss/loss_utils.py`, which move labels to where the logits are.
"""

TOKENIZER = "transformers.PreTrainedTokenizerBase"
"""What stands for the class of tokenizers and processors, whatever it is called."""

ENCODING_METHODS = frozenset(
    {"apply_chat_template", "batch_encode_plus", "encode", "encode_plus", "pad"}
)
"""Methods of tokenizers that encode, as calling them does, when `return_tensors="pt"`."""

ENCODED = frozenset(
    {"attention_mask", "input_ids", "token_type_ids"}
    | {"input_features", "input_values", "pixel_mask", "pixel_values"}
)
"""Parts of what they give that are one tensor each, then, of texts, images and sounds.

Source: `BatchEncoding.convert_to_tensors` in `transformers/tokenization_utils_base.py`, and
`BatchFeature.convert_to_tensors` in `transformers/feature_extraction_utils.py`.
"""

LIBRARY_METHODS = {
    TOKENIZER: ENCODING_METHODS,
    **bringing.METHODS,
    **dict.fromkeys(GRAPH_WRITERS, frozenset({"add_graph"})),
    **dict.fromkeys(optimizers.OPTIMIZERS, optimizers.METHODS),
    generators.GENERATOR: generators.METHODS,
    data_sets.DATASET: data_sets.CHANGING,
}
"""The methods of classes of libraries that something is known of, beside those that move."""

JAXTYPING = frozenset(
    {"Float", "Int", "Bool", "Shaped", "Num", "Real", "Complex", "Integer", "UInt", "Inexact"}
)
"""Annotations of jaxtyping; the first parameter is the array's type."""

ARRAY_LIBRARIES = frozenset(
    {"numpy", "math", "random", "scipy", "jax", "tensorflow", "cupy", "pandas"}
)
"""Libraries with functions that are called like PyTorch's factories."""

TRANSFORMS = ("torchvision.transforms.",)
"""Where transforms of pictures come from, which have no parameters or buffers.
Source: torchvision/transforms/transforms.py."""

OTHER_FRAMEWORKS = frozenset(
    {"tensorflow", "keras", "jax", "paddle", "mindspore", "oneflow", "mxnet", "jittor", "tinygrad"}
)
"""Libraries with tensors of their own: no tensor of PyTorch is one of theirs."""


def is_of_another_framework(name: str) -> bool:
    """Whether a class is one of another framework's.

    Args:
        name: its dotted name.
    """
    return name.partition(".")[0] in OTHER_FRAMEWORKS


HOST_LIBRARIES = frozenset(
    {"numpy", "scipy", "sklearn", "skimage", "pandas", "cv2", "PIL", "matplotlib", "seaborn"}
)  # fmt: skip
"""Libraries that take tensors from the host only: they make arrays of them."""

HOST_LIBRARY_NAMES = HOST_LIBRARIES | {"np", "plt", "Image", "pd"}
"""The names by which programs customarily import them."""

SHAPE_READERS = frozenset({"shape", "ndim", "size"})
"""Functions of these libraries that only read attributes, of whatever they get."""

HOST_WRAPPERS = frozenset({"TensorDataset", "DataLoader"})
"""What takes tensors from the host as a rule, since its workers share them."""

OF_TENSORS_ALONE = frozenset(
    {"torch.utils.data.TensorDataset", "torch.utils.data.dataset.TensorDataset"}
)
"""Classes that ask all that they are made of for `size(0)`, which lists and arrays don't know.

Source: `torch/utils/data/dataset.py`.
"""

OF_ARRAYS_ALONE = frozenset({"torch.from_numpy"})
"""Functions that take an array, and raise a `TypeError` if they are given a tensor."""

CUDA_LIBRARIES = (
    "MinkowskiEngine",
    "apex",
    "bitsandbytes",
    "cupy",
    "flash_attn",
    "megatron.core",
    "mmcv.ops",
    "numba.cuda",
    "nvdiffrast",
    "pycuda",
    "pynvml",
    "spconv",
    "tensorrt",
    "transformer_engine",
    "triton",
    "xformers",
)
"""Libraries, and parts of such, that are compiled for CUDA, or drive it."""
