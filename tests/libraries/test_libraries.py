"""The command reads what classes are from sources, as those who import them meet them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import ROOT
from torchdev_lint.catalog.classes import SUFFIX, ClassKind, kinds_of, parsed

from .__main__ import FOLDER, main, recorded, tables_at
from .made_up import release, words
from .table import dumped


class TestBases:
    def test_of_torch(self, tmp_path: Path) -> None:
        release(
            tmp_path,
            "lib",
            parts="""\
                import torch
                import torch.utils.data as data
                from torch import nn
                from torch.nn.modules.batchnorm import _BatchNorm
                class Net(nn.Module): pass
                class Norm(_BatchNorm): pass
                class Rows(data.Dataset[int]): pass
                class Feed(data.DataLoader): pass
                class Order(torch.utils.data.Sampler): pass
                class Plain: pass
                class _Hidden(nn.Module): pass
            """,
        )
        assert words(tmp_path) == {
            "Net": "module",
            "Norm": "module",
            "Rows": "dataset",
            "Feed": "loader",
            "Order": "sampler",
        }

    def test_of_other_files(self, tmp_path: Path) -> None:
        """Through relative imports, stars, other names, and circles."""
        release(
            tmp_path,
            "lib",
            init="from .api import *\nfrom out_of_sight import *\nfrom . import deep",
            api="from .core.base import Base\nfrom .deep import *",
            names="from torch import nn",
            core__init="",
            core__base="""\
                from torch import nn as layers
                from ..deep import helper
                class Base(layers.Module): pass
                Other = Base
            """,
            deep="""\
                from . import core
                import lib.core.base as home
                from lib import Base
                def helper(): pass
                class One(core.base.Other): pass
                class Two(home.Base): pass
                class Three(Base): pass
                from .names import *
                class Four(nn.Module): pass
            """,
        )
        names = ("Base", "Other", "One", "Two", "Three", "Four")
        assert words(tmp_path) == dict.fromkeys(names, "module")

    def test_of_other_libraries(self, tmp_path: Path) -> None:
        """What is read together is understood together."""
        release(tmp_path, "ground", init="from torch import nn\nclass Ground(nn.Module): pass")
        release(tmp_path, "lib", init="import ground\nclass House(ground.Ground): pass")
        assert words(tmp_path) == {"House": "module"}
        (_, table) = tables_at([str(tmp_path)])
        assert table.releases == ("ground 1.0", "lib 1.0")
        assert tables_at([str(tmp_path / "lib-1.0")]) == []

    def test_where_an_import_may_fail(self, tmp_path: Path) -> None:
        release(
            tmp_path,
            "lib",
            init="""\
                try:
                    from torch.nn import Module
                except ImportError:
                    Module = object
                class Net(Module): pass
            """,
        )
        assert words(tmp_path)["Net"] == "module"

    def test_given_late(self, tmp_path: Path) -> None:
        """A package that answers for names itself has the class so called."""
        release(
            tmp_path,
            "lib",
            init="def __getattr__(name): ...",
            inner="from torch import nn\nclass Base(nn.Module): pass",
            outer="from lib import Base\nclass Net(Base): pass",
        )
        assert words(tmp_path) == {"Base": "module", "Net": "module"}

    def test_what_stands_in_for_a_class_that_is_missing(self, tmp_path: Path) -> None:
        """It can't be built, and is nobody's counterexample."""
        release(
            tmp_path,
            "lib",
            real="from torch import nn\nclass Net(nn.Module): pass",
            dummies="""\
                class Net:
                    def __init__(self, *args, **kwargs):
                        requires(self, ["torch"])
            """,
        )
        assert words(tmp_path) == {"Net": "module"}


class TestNames:
    def test_shared_by_classes_that_differ(self, tmp_path: Path) -> None:
        """Then only full names tell them apart."""
        release(
            tmp_path,
            "lib",
            init="from .layers import Attention",
            layers="from torch import nn\nclass Attention(nn.Module): pass",
            settings="class Attention: pass",
        )
        assert words(tmp_path) == {"lib.Attention": "module", "lib.layers.Attention": "module"}

    def test_that_would_tell_something_else(self, tmp_path: Path) -> None:
        """A class that is taken for a module by its name is listed if it is none."""
        release(tmp_path, "lib", init="class Metric: pass\nclass Other: pass\nfrom . import nets")
        release(tmp_path, "more", init="from torch import nn\nclass Net(nn.Module): pass")
        assert words(tmp_path) == {"Metric": ""}

    def test_of_other_libraries_that_are_offered(self, tmp_path: Path) -> None:
        """A package offers what it imports by name, a module what it says it exports."""
        release(
            tmp_path,
            "lib",
            init="from torch.nn import Module",
            parts="from torch.nn import Linear, ReLU\n__all__ = ['ReLU']",
        )
        assert words(tmp_path) == {"Module": "module", "ReLU": "module"}

    def test_of_tests_and_examples(self, tmp_path: Path) -> None:
        text = "from torch import nn\nclass Net(nn.Module): pass"
        release(tmp_path, "lib", init=text, tests__test_net=text.replace("Net", "TestNet"))
        assert words(tmp_path) == {"Net": "module"}


class TestKinds:
    def test_a_metric_is_a_module(self, tmp_path: Path) -> None:
        release(
            tmp_path,
            "torchmetrics",
            metric="from torch import nn\nclass Metric(nn.Module): pass",
        )
        release(
            tmp_path, "lib", init="from torchmetrics import metric as m\nclass A(m.Metric): ..."
        )
        assert words(tmp_path) == {"A": "metric module"}

    def test_with_a_device(self, tmp_path: Path) -> None:
        text = """\
            from torch import nn
            class Base(nn.Module):
                @property
                def device(self): return self.where
            class Net(Base): pass
        """
        release(tmp_path, "lib", init=text)
        assert words(tmp_path) == {"Base": "device module", "Net": "device module"}

    def test_a_loader_that_moves_its_batches_is_none(self, tmp_path: Path) -> None:
        text = """\
            from torch.utils.data import DataLoader
            class Moving(DataLoader):
                def __iter__(self):
                    for batch in super().__iter__():
                        yield batch.to(self.device)
            class Heir(Moving): pass
        """
        release(tmp_path, "lib", loaders=text, init="from torch.nn import Module")
        assert words(tmp_path) == {"Module": "module"}

    @pytest.mark.parametrize(
        ("body", "expected"),
        [
            ("self.data = move(self.data, device)\n        return self", "mover"),
            ("return self.apply(lambda x: x.to(device))", "mover"),
            ("if device is None:\n            return self\n        return Batch(self)", ""),
            ("return Batch(move(self.data, device))", ""),
            ("self = copy(self)\n        return self", ""),
            ("return self.clone()", ""),
        ],
    )
    def test_moving_in_place(self, tmp_path: Path, body: str, expected: str) -> None:
        text = f"""\
class Net(__import__("torch").nn.Module): pass
class Batch:
    def to(self, device):
        {body}
    def apply(self, function):
        return self
    def clone(self):
        return Batch()
class DataLoader: pass
"""
        release(tmp_path, "lib", init=text)
        assert words(tmp_path).get("Batch", "") == expected


class TestCommand:
    def test_files_are_read_as_they_are_written(self, tmp_path: Path) -> None:
        release(tmp_path, "lib", init="from torch import nn\nclass Net(nn.Module): pass")
        (table,) = tables_at([str(tmp_path)])
        assert dumped(table) == "# lib 1.0\n[module]\nNet\n"
        assert parsed(dumped(table)) == table.kinds

    def test_writing_and_comparing(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        place = release(tmp_path, "lib", init="from torch import nn\nclass Net(nn.Module): pass")
        made = tmp_path / "made"
        made.mkdir()
        options = [f"--folder={made}", str(place)]
        assert main(options) == 1
        assert main(["--write", *options]) == 0
        assert main(options) == 0
        (place / "lib" / "__init__.py").write_text("class Net: pass\nclass Metric: pass")
        capsys.readouterr()
        assert main(options) == 1
        assert "  Metric: not known -> nothing\n  Net: module -> not known\n" in (
            capsys.readouterr().out
        )
        assert recorded(made) == ["lib==1.0"]


@pytest.mark.parametrize("path", sorted(FOLDER.glob(f"*{SUFFIX}")), ids=lambda path: path.stem)
def test_files(path: Path) -> None:
    """Each says what it was made from, and what is in it is found by name."""
    text = path.read_text("ascii")
    assert text.startswith("# ")
    table = parsed(text)
    assert table
    for name, kinds in table.items():
        full = name if "." in name else f"{path.stem}.anywhere.{name}"
        assert kinds_of(full) == kinds


def test_the_page_lists_what_was_read() -> None:
    page = (ROOT / "docs" / "libraries.md").read_text("utf-8")
    listed = page.partition("<!-- releases -->")[2].partition("<!-- end -->")[0]
    assert " ".join(listed.split()).split(", ") == [
        release.replace("==", " ") for release in recorded(FOLDER)
    ]


def test_names_of_no_library() -> None:
    assert kinds_of("nowhere.Net") is None
    assert kinds_of("Net") is None
    assert kinds_of(".models.Net") is None
    assert kinds_of("gpytorch.models.NoSuchThing") is None


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (
            ClassKind.MODULE,
            "gpytorch.models.ExactGP gpytorch.means.ConstantMean gpytorch.likelihoods.Likelihood "
            "nflows.flows.Flow pyro.nn.PyroModule lightning.LightningModule lightning.pytorch."
            "LightningModule pytorch_lightning.core.lightning.LightningModule transformers."
            "PreTrainedModel transformers.models.bert.modeling_bert.BertModel diffusers."
            "UNet2DConditionModel timm.models.vision_transformer.VisionTransformer "
            "torch_geometric.nn.MessagePassing monai.networks.nets.UNet kornia.filters.Sobel "
            "segmentation_models_pytorch.Unet mmengine.model.BaseModule mmcv.cnn.ConvModule "
            "detectron2.modeling.GeneralizedRCNN fairseq.models.FairseqEncoder torchrl.modules.MLP "
            "tensordict.nn.TensorDictModule stable_baselines3.common.torch_layers."
            "BaseFeaturesExtractor speechbrain.nnet.CNN.Conv1d sentence_transformers."
            "SentenceTransformer peft.PeftModel einops.layers.torch.Rearrange lpips.LPIPS "
            "pytorch_metric_learning.losses.TripletMarginLoss espnet2.train.abs_espnet_model."
            "AbsESPnetModel botorch.models.SingleTaskGP e3nn.o3.Linear torchvision.models.ResNet",
        ),
        (ClassKind.LAYER, "torch_geometric.nn.GCNConv timm.layers.CondConv2d"),
        (ClassKind.METRIC, "torchmetrics.Metric torchmetrics.Accuracy torchmetrics.MeanMetric"),
        (ClassKind.DEVICE, "transformers.PreTrainedModel lightning.LightningModule"),
        (ClassKind.LOADER, "monai.data.DataLoader torch_geometric.loader.DataLoader"),
        (ClassKind.DATASET, "monai.data.CacheDataset torchvision.datasets.MNIST"),
        (ClassKind.SAMPLER, "torch_geometric.loader.ImbalancedSampler"),
        (ClassKind.MOVER, "transformers.BatchEncoding torch_geometric.data.Data"),
    ],
)
def test_well_known_classes(kind: ClassKind, names: str) -> None:
    """A sample of what users inherit from and build, by names of several versions."""
    assert [name for name in names.split() if kind not in (kinds_of(name) or ())] == []


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (ClassKind.MODULE, "ignite.metrics.Metric diffusers.DiffusionPipeline einops.EinopsError"),
        (ClassKind.LAYER, "torch_geometric.nn.LGConv timm.layers.DropPath monai.losses.DiceLoss"),
        (ClassKind.LOADER, "fastai.data.load.DataLoader dgl.dataloading.DataLoader"),
        (ClassKind.MOVER, "detectron2.structures.Instances transformers.BertModel"),
    ],
)
def test_what_well_known_classes_are_not(kind: ClassKind, names: str) -> None:
    assert [name for name in names.split() if kind in (kinds_of(name) or ())] == []
