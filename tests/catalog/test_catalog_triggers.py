"""What the catalog knows of leads to findings: nothing else has to be told about a new name."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path
from types import ModuleType

import pytest

from tests.fixtures import id_of
from tests.turns import in_turn
from torchdev_lint.catalog import checkpoints, ecosystem, factories, graphs, metrics, modules
from torchdev_lint.catalog.accepted import table
from torchdev_lint.catalog.required import ALONE, needed
from torchdev_lint.config.settings import Settings
from torchdev_lint.linter import findings_in, lint
from torchdev_lint.placement.analysis import analyse
from torchdev_lint.rules import ALL_RULES, EVERY_RULE
from torchdev_lint.source.source import Source, mentions_torch
from torchdev_lint.triage.reached import triage

FIXTURES = Path(__file__).parents[2] / "fixtures"

LIBRARIES = (
    "clip", "safetensors.torch", "timm", "torch", "torchaudio", "torchdata", "torchmetrics",
    "torchvision",
)  # fmt: skip

IN_FORWARD = """\
class Model(nn.Module):
    def forward(self, x):
        made = {call}
        return torch.cat([x.relu(), made])
"""
LAYER = """\
class Model(nn.Module):
    def forward(self, x):
        layer = {call}
        return layer(x.relu())
"""
LOSS = """\
weight = torch.ones(3)
class Model(nn.Module):
    def forward(self, x, y):
        loss = {call}
        return loss(x.relu(), y.relu())
"""
INPUT = """\
model = nn.Linear(2, 2).to("cuda")
made = {call}
model(made)
"""
PICKED = """\
model = nn.Linear(2, 2).to("cuda")
data = {call}
model(data[0][0])
"""
RESTORED = """\
def restore(model, path):
    model.load_state_dict({call})
"""
BATCHES = """\
model = nn.Linear(2, 2).to("cuda")
data = torch.rand(4, 2)
for batch in {call}:
    model(batch)
"""

LEFT = """\
module = {call}
x = torch.rand(2, 2).to("cuda")
module(x)
"""

# What is written for each name of a group, and the rule that speaks.
LEADS: dict[str, tuple[str, str, str]] = {
    "factories.TAKES_DEVICE": (IN_FORWARD, "{name}({sizes})", "TDL002"),
    "factories.HOST_ONLY": (IN_FORWARD, "{name}(2)", "TDL002"),
    "factories.DISTRIBUTIONS": (IN_FORWARD, "{name}(0.5).sample((3,))", "TDL002"),
    "modules.LAYERS": (LAYER, "torch.nn.{name}({sizes})", "TDL003"),
    "modules.LAZY_LAYERS": (LAYER, "torch.nn.{name}({sizes})", "TDL003"),
    "modules.OPTIONAL_LAYERS": (
        LAYER,
        "torch.nn.{name}(4, affine=True, track_running_stats=True)",
        "TDL003",
    ),
    "ecosystem.LOADERS": (BATCHES, "{name}(data)", "TDL004"),
    "ecosystem.HOST_READERS": (INPUT, "{name}(data)", "TDL005"),
    "ecosystem.AUDIO_READERS": (INPUT, "{name}(data)[0]", "TDL005"),
    "checkpoints.CHECKPOINT_READERS": (INPUT, "{name}(data, map_location='cpu')", "TDL005"),
    "checkpoints.MAPPING_READERS": (RESTORED, "{name}(path)", "TDL101"),
    "checkpoints.SAFETENSORS_READERS": (INPUT, "{name}(data)['x']", "TDL005"),
    "ecosystem.IMAGE_TO_TENSOR": (INPUT, "{name}()(data)", "TDL005"),
    "ecosystem.MODEL_FUNCTIONS": (LEFT, "{name}('a')", "TDL012"),
    "ecosystem.BUFFERED_TRANSFORMS": (LEFT, "{name}()", "TDL012"),
    "metrics.COUNTING_METRICS": (LEFT, "{name}(num_classes=3)", "TDL012"),
    "ecosystem.IMAGE_DATASETS": (
        PICKED,
        "torchvision.datasets.{name}(root, transform=torchvision.transforms.ToTensor())",
        "TDL005",
    ),
}  # fmt: skip

# Groups that lead to nothing by themselves, or are tested elsewhere, and why.
SILENT = {
    "factories.SIZED": "part of TAKES_DEVICE",
    "factories.VECTORS": "part of TAKES_DEVICE",
    "factories.OTHER": "part of TAKES_DEVICE",
    "factories.FROM_DATA": "part of TAKES_DEVICE",
    "factories.FFT": "part of TAKES_DEVICE",
    "factories.WINDOWS": "part of TAKES_DEVICE",
    "factories.STATIC_METHODS": "part of TAKES_DEVICE",
    "factories.DEAF": "part of TAKES_DEVICE",
    "factories.WITHOUT_DEVICE": "part of HOST_ONLY",
    "factories.LEGACY": "part of HOST_ONLY",
    "factories.TENSOR_CLASSES": "names of types",
    "factories.TYPES_OF_HOST": "names of types",
    "factories.DEVICE_BY_NAME": "raises with a device by position",
    "factories.SIZE_IN_ONE": "raises with a tensor for its size",
    "factories.FACTORIES": "TAKES_DEVICE and HOST_ONLY",
    "factories.DIVERGENCE": "computed of two DISTRIBUTIONS",
    "factories.DRAWING": "methods of DISTRIBUTIONS",
    "factories.MEASURING": "the same",
    "factories.SHAPES": "parameters of DRAWING",
    "factories.PARAMETERS": "attributes of DISTRIBUTIONS",
    "factories.FACTORY_NAMES": "the same, last components",
    "factories.LIKE": "what they make is where their argument is",
    "factories.NEW": "what they make is where their tensor is",
    "factories.WITH_DIMENSIONS": "the rank of what factories make",
    "factories.ACCELERATOR_LEGACY": "on the accelerator",
    "factories.DTYPES": "no tensors",
    "factories.DOUBLE": "no tensors",
    "modules.CONDITIONAL_LAYERS": "part of LAYERS",
    "modules.CONTAINERS": "have the state of what they are given",
    "modules.STATELESS": "have no state",
    "modules.JOINING": "have no state",
    "modules.AFFINE": "part of LAYERS",
    "modules.GIVEN_WEIGHTS": "arguments of layers",
    "modules.CAUSAL_MASKS": "arguments of layers",
    "modules.PRETRAINED_INPUTS": "arguments",
    "modules.LOSSES": "see test_losses_with_a_weight",
    "modules.LOSS_WEIGHTS": "arguments of LOSSES",
    "modules.BROADCAST_LOSSES": "part of LOSSES",
    "modules.HINTED_MASKS": "arguments",
    "modules.RECURRENT": "part of LAYERS",
    "modules.WITH_TWO_STATES": "part of LAYERS",
    "modules.WITH_WEIGHT": "part of LAYERS",
    "modules.WITH_PARAMETERS": "part of LAYERS",
    "modules.QUANTIZED": "part of LAYERS",
    "modules.TENSOR_TAKERS": "part of LAYERS, or without state",
    "modules.ONE_INPUT": "part of LAYERS, or without state",
    "modules.SEQUENCE_TAKERS": "part of LAYERS",
    "modules.STATE_ATTRIBUTES": "attributes of LAYERS",
    "modules.PARALLEL": "move their inputs",
    "modules.WRAPPERS": "give back what they are given",
    "modules.MODULE_BASES": "bases of classes",
    "modules.MOVED_LIKE_MODULES": "bases of classes",
    "modules.METRIC_BASES": "bases of classes",
    "modules.MODEL_ENDINGS": "bases of classes",
    "modules.RESTORED_BY": "methods of classes in sight, which are modules",
    "modules.PREPARATION": "methods that are defined, and called before the move",
    "modules.WITH_DEVICE": "bases of classes",
    "modules.BUFFERS_OF_BASES": "attributes that are buffers, whoever assigns them",
    "modules.DEVICE_PROPERTIES": "what pipelines of models call their device",
    "modules.EXECUTION_DEVICE": "one of DEVICE_PROPERTIES",
    "modules.ITERATOR_OF_STEPS": "an argument of LIGHTNING_STEPS that is no batch",
    "modules.LIGHTNING_STEPS": "methods that are defined, not called",
    "modules.LIGHTNING_LOADERS": "methods that are defined, not called",
    "modules.LIGHTNING_HOOKS": "methods that are defined, not called",
    "modules.EPOCH_ENDS": "methods that are defined, not called",
    "modules.FRAMEWORK_ENTRIES": "methods that are defined, not called",
    "modules.MODULE_METHODS": "evidence for a module",
    "modules.PARAMETERS": "part of MODULE_METHODS",
    "modules.GIVES_MODULES": "part of MODULE_METHODS",
    "modules.LISTS_OF_MODULES": "part of MODULE_METHODS",
    "modules.COUNTING_LAYERS": "part of LAYERS",
    "modules.CALL_HOOKS": "what they register is a function that is looked at as others are",
    "modules.FLUENT_METHODS": "give back their module",
    "modules.REGISTERING_METHODS": "evidence for a module",
    "modules.ENTRY_METHODS": "take an input, which is what leads to a finding",
    "modules.HANDS_OUT_PARTS": "members by which code gets at parts, and may move them",
    "modules.LEAVES_IN_PLACE": "members that move nothing",
    "modules.STATE_HOOKS": "care for what a class keeps",
    "modules.STATE_METHODS": "care for what a class keeps",
    "modules.TAKEN_BY_DICTS": "names for fixes",
    "modules.TAKEN_NAMES": "names for fixes",
    "ecosystem.CUDA_LIBRARIES": "what needs CUDA: silence of TDL903",
    "devices.IDLE_WITHOUT": "no sign of what needs CUDA",
    "ecosystem.SETTINGS_OF_TORCH": "which names may be false",
    "ecosystem.STAYS_A_LIBRARY": "what imports lead to",
    "ecosystem.REEXPORTS": "other names for PyTorch's own",
    "ecosystem.LOADER_BASES": "bases of classes",
    "factories.CONVERTERS": "parts of FACTORIES",
    "factories.TAKE_TENSORS": "parts of FACTORIES",
    "factories.MAKE_TENSORS": "the same",
    "ecosystem.TRAINERS": "bases of classes",
    "ecosystem.DATA_BASES": "bases of classes",
    "ecosystem.DATA_HOOKS": "arguments that are functions",
    "graphs.GRAPH_LOADERS": "see test_loaders_of_graphs",
    "graphs.WHOLE_GRAPH_LOADERS": "part of GRAPH_LOADERS",
    "graphs.GRAPH_LOADER_MODULES": "where GRAPH_LOADERS live",
    "ecosystem.LOADER_NAME": "a pattern",
    "ecosystem.LIBRARIES": "see test_files_of_each_library_are_read",
    "ecosystem.OF_TENSORS": "see TDL013/project_features_in_a_file_without_torch",
    "ecosystem.TRANSPARENT_ITERATORS": "give back what they are given",
    "ecosystem.IDENTITIES": "give back what they are given",
    "ecosystem.TOKENIZER": "see test_encodings",
    "ecosystem.TOKENIZER_MARKS": "see test_encodings",
    "ecosystem.TENSORS_WANTED": "see test_encodings",
    "ecosystem.ENCODING_METHODS": "see test_encodings",
    "ecosystem.ENCODED": "parts of what tokenizers give",
    "ecosystem.PRETRAINED": "see test_encodings",
    "ecosystem.PLACED_BY_THEMSELVES": "models that may have been moved already",
    "ecosystem.PLACING_ARGUMENTS": "arguments that say where a model is put",
    "metrics.PER_SAMPLE": "an argument of COUNTING_METRICS",
    "metrics.METRICS": "a library",
    "metrics.COMPARING_METRICS": "what they compare is seen where they are given it",
    "metrics.COMPARING_CALLS": "what they compare is seen where they are given it",
    "metrics.COMPARING_FUNCTIONS": "what they compare is seen where they are given it",
    "metrics.METRIC_METHODS": "methods of COUNTING_METRICS that leave them where they are",
    "metrics.METRIC_COLLECTION": "holds COUNTING_METRICS",
    "ecosystem.MODEL_LIBRARIES": "libraries whose models take what they are given as it is",
    "ecosystem.EMBEDDED_INPUTS": "arguments",
    "ecosystem.MODEL_CALLERS": "see test_callers_of_models",
    "ecosystem.GRAPH_WRITERS": "see test_callers_of_models",
    "ecosystem.LIBRARY_METHODS": "methods of GRAPH_WRITERS, of TOKENIZER and of what brings models",
    "ecosystem.CALLED_LATER": "a part of what leads to a finding",
    "ecosystem.SOLVERS": "call what they are given",
    "ecosystem.CHECKPOINTS": "call what they are given",
    "ecosystem.CHECKPOINT_OPTIONS": "arguments",
    "checkpoints.DOWNLOADING_READERS": "part of MAPPING_READERS",
    "checkpoints.STATE_TAKERS": "methods that make a reader's result the state of something",
    "checkpoints.KEEPERS": "functions that do",
    "checkpoints.COPIERS": "gives what was written another name",
    "checkpoints.WRITERS": "functions to which what a reader gives may go",
    "checkpoints.COMPILERS": "what they give writes itself to a file",
    "ecosystem.EXTRACTORS": "what they give is where the model is that they are given",
    "ecosystem.WITH_TRANSFORM": "what they give is where they are told, see HOST_READERS",
    "ecosystem.BACKBONES": "parts of models, see MODEL_FUNCTIONS",
    "ecosystem.DISTRIBUTES": "words that tell of several processes",
    "ecosystem.SHARDS": "words that tell of shards",
    "ecosystem.TEST_LIBRARIES": "libraries of tests",
    "ecosystem.IMAGE_FUNCTIONS": "keep a tensor where it is",
    "ecosystem.OPAQUE_TRANSFORMS": "nothing is known of what they give",
    "ecosystem.EINOPS": "keep a tensor where it is",
    "graphs.DENSE_BATCH": "operations",
    "graphs.EDGE_CHANGES": "operations",
    "graphs.SCATTERS": "operations",
    "graphs.SCATTER_FUNCTIONS": "operations",
    "ecosystem.HOST_DATASETS": "where classes live whose names are not listed",
    "graphs.IN_MEMORY_DATASETS": "where classes live whose names are not listed",
    "factories.FILLED_ALIKE": "factories as others, of which more is known",
    "factories.PINNED_AS_MADE": "factories as others, of which more is known",
    "ecosystem.JAXTYPING": "annotations",
    "ecosystem.ARRAY_LIBRARIES": "libraries whose functions are none of PyTorch's",
    "ecosystem.TRANSFORMS": "where modules come from that have no state",
    "ecosystem.OTHER_FRAMEWORKS": "libraries whose tensors are none of PyTorch's",
    "ecosystem.HOST_LIBRARIES": "libraries that take tensors from the host only",
    "ecosystem.HOST_LIBRARY_NAMES": "libraries, for fixes",
    "ecosystem.SHAPE_READERS": "functions that read a shape",
    "ecosystem.HOST_WRAPPERS": "names for fixes",
    "checkpoints.OF_ANY_CLASS": "where models come from of which nothing is known",
    "ecosystem.OF_ARRAYS_ALONE": "which calls raise on every machine",
    "ecosystem.OF_TENSORS_ALONE": "which calls raise on every machine",
}


_PARTS = (checkpoints, ecosystem, factories, graphs, metrics, modules)
PARTS = {part.__name__.rpartition(".")[2]: part for part in _PARTS}


def groups(module: ModuleType) -> set[str]:
    """The groups of a part of the catalog."""
    short = module.__name__.rpartition(".")[2]
    return {f"{short}.{name}" for name in vars(module) if name.isupper() and name[0] != "_"}


def members(group: str) -> list[str]:
    """The names in a group."""
    module, name = group.split(".")
    return sorted(vars(PARTS[module])[name])


def library_modules() -> set[str]:
    """Where things live of which the catalog knows what leads to findings."""
    leading = [group for group in LEADS if group.startswith(("ecosystem.", "metrics."))]
    names = {name for group in leading for name in members(group)}
    prefixes = {*ecosystem.REEXPORTS, *ecosystem.MODEL_LIBRARIES}
    known = {*names, *prefixes, *ecosystem.MODEL_FUNCTIONS}
    return {name.rpartition(".")[0] for name in known if "." in name}


def found(body: str, code: str) -> set[str]:
    """The codes that are reported in a program in which something triggers the rule at hand."""
    imports = "".join(f"import {root}\n" for root in LIBRARIES)
    text = f"{imports}from torch import nn\n{body}"
    tree = ast.parse(text)
    (rule,) = (rule for rule in ALL_RULES if rule.code == code)
    assert triage(tree, rule.triggers) is not None, "nothing triggers the analysis"
    return {finding.code for finding in lint(Source.from_text(text, "a.py"), tree, EVERY_RULE)}


@pytest.mark.parametrize("module", PARTS.values(), ids=lambda m: m.__name__)
def test_each_group_leads_to_findings_or_says_why_not(module: ModuleType) -> None:
    """A new group needs a line above; a line without a group has to go."""
    short = module.__name__.rpartition(".")[2]
    listed = {group for group in LEADS.keys() | SILENT.keys() if group.startswith(f"{short}.")}
    assert groups(module) == listed
    assert not LEADS.keys() & SILENT.keys()


@pytest.mark.parametrize(
    ("group", "name"), [(group, name) for group in LEADS for name in members(group)]
)
def test_each_name_leads_to_a_finding(group: str, name: str) -> None:
    """Being in its group is enough."""
    program, call, code = LEADS[group]
    required = needed().get(name) or needed().get(f"torch.nn.{name}", ())
    most = 1 if name in ALONE else table()[name].most if name in table() else None
    sizes = ", ".join(["4"] * min(max(2, len(required)), 9 if most is None else most))
    assert found(program.format(call=call.format(name=name, sizes=sizes)), code) == {code}


@pytest.mark.parametrize("library", sorted(library_modules()))
def test_files_of_each_library_are_read(library: str) -> None:
    """A file that names a library and nothing else of PyTorch is not left out."""
    assert mentions_torch(f"import {library}\n".encode())
    assert mentions_torch(f"from {library} import *\n".encode())


@pytest.mark.parametrize("name", sorted(modules.LOSSES))
def test_losses_with_a_weight(name: str) -> None:
    """A loss that is given one in `forward` triggers the analysis, another one does not."""
    with_weight = ast.parse(LOSS.format(call=f"nn.{name}(weight=weight)"))
    without = ast.parse(f"def f(x, y):\n    return nn.{name}(reduction='sum')(x, y)")
    (rule,) = (rule for rule in ALL_RULES if rule.code == "TDL003")
    assert triage(with_weight, rule.triggers) is not None
    assert triage(without, rule.triggers) is None


@pytest.mark.parametrize("name", sorted(graphs.GRAPH_LOADERS))
def test_loaders_of_graphs(name: str) -> None:
    """Those of whole graphs give batches from the host; all trigger the analysis."""
    batches = BATCHES.format(call=f"{name}(data)").replace("model(batch)", "model(batch.x)")
    codes = found(f"from torch_geometric.loader import {name}\n{batches}", "TDL004")
    assert codes == ({"TDL004"} if name in graphs.WHOLE_GRAPH_LOADERS else set())


def test_loaders_of_graphs_in_their_own_repository(tmp_path: Path) -> None:
    """Examples of the library import what lies beside them: it is known as well."""
    call = "torch_geometric.loader.LinkNeighborLoader(torch_geometric.datasets.Planetoid('.')[0])"
    batches = BATCHES.format(call=call).replace("model(batch)", "model(batch.x)")
    text = f"import torch\nimport torch_geometric\nfrom torch import nn\n{batches}"
    loaders = tmp_path / "torch_geometric" / "loader"
    loaders.mkdir(parents=True)
    (loaders / "__init__.py").write_text("class LinkNeighborLoader:\n    pass\n")
    source = Source.from_text(text, str(tmp_path / "example.py"))
    assert {f.code for f in lint(source, ast.parse(text), EVERY_RULE)} == {"TDL004"}


@pytest.mark.parametrize("mark", ecosystem.TOKENIZER_MARKS)
@pytest.mark.parametrize(
    "method", ["", *(f".{name}" for name in sorted(ecosystem.ENCODING_METHODS))]
)
def test_encodings(mark: str, method: str) -> None:
    """A tokenizer or processor of whatever name makes encodings on the host."""
    program = f"""\
from transformers import Auto{mark}, AutoModel
model = AutoModel.from_pretrained("a").to("cuda")
tool = Auto{mark}.from_pretrained("a")
model(**tool{method}(text, return_tensors="pt"))
"""
    assert found(program, "TDL005") == {"TDL005"}


@pytest.mark.parametrize("inputs", ["x", "(x,)", "{keyword}=x", "{keyword}=(x,)"])
@pytest.mark.parametrize("name", sorted(ecosystem.MODEL_CALLERS))
def test_callers_of_models(name: str, inputs: str) -> None:
    """A model is called with the inputs that a function is given, by position or name."""
    owner, _, method = name.rpartition(".")
    caller = f"{owner}().{method}" if owner in ecosystem.GRAPH_WRITERS else name
    given = inputs.format(keyword=ecosystem.MODEL_CALLERS[name])
    program = f"""\
model = nn.Linear(2, 1).to("cuda")
x = torch.rand(3, 2)
{caller}(model, {given})
"""
    assert found(program, "TDL005") == {"TDL005"}


@pytest.mark.parametrize("name", [n for n in ecosystem.MODEL_CALLERS if "tensorboard" not in n])
def test_callers_of_models_take_the_inputs_second(name: str) -> None:
    """Their second parameter is called as the catalog says."""
    module, _, function = name.rpartition(".")
    parameters = inspect.signature(getattr(importlib.import_module(module), function)).parameters
    assert list(parameters)[1] == ecosystem.MODEL_CALLERS[name]


@pytest.mark.parametrize("name", checkpoints.MAPPING_READERS)
def test_readers_take_map_location_where_the_catalog_says(name: str) -> None:
    """What is given there says where to put what is read, without a name as well."""
    module, _, function = name.rpartition(".")
    parameters = inspect.signature(getattr(importlib.import_module(module), function)).parameters
    assert list(parameters).index("map_location") == checkpoints.MAPPING_READERS[name]


def test_a_loader_of_the_file_is_one_under_any_name() -> None:
    """What inherits from a loader gives batches."""
    program = "class Feed(torch.utils.data.DataLoader):\n    pass\n"
    assert found(program + BATCHES.format(call="Feed(data)"), "TDL004") == {"TDL004"}


TRIGGERED = {rule.code for rule in ALL_RULES if not rule.wants_unsupposed}
SHOWN = [path for path in sorted(FIXTURES.glob("*/flagged_*.py")) if path.parent.name in TRIGGERED]


@pytest.mark.parametrize("path", in_turn(SHOWN, 5, id_of))
def test_what_a_rule_says_it_needs_is_enough(path: Path) -> None:
    """With its own triggers alone, a rule finds what it finds."""
    source = Source.from_text(path.read_text(encoding="utf-8"), path.name)
    tree = source.parse()
    (rule,) = (rule for rule in ALL_RULES if rule.code == path.parent.name)
    wanted = triage(tree, rule.triggers)
    assert wanted is not None
    facts = analyse(tree, source, wanted.everything.__contains__)
    facts.tree, facts.text = tree, source.segment
    every = Settings(rules=(*EVERY_RULE.rules, rule.code))
    expected = [f for f in lint(source, tree, every) if f.code == rule.code]
    assert [
        (f.span, f.message) for f in findings_in(source, facts, Settings(rules=(rule.code,)))
    ] == [(f.span, f.message) for f in expected]
