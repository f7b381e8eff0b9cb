"""Of which batches TDL004 says nothing."""

from __future__ import annotations

import pytest

from torchdev_lint.api import check_source

CLASSIFIER = """\
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from transformers import BertModel
from .base import Base


class Classifier(Base):
    def __init__(self, name, device):
        bert = BertModel.from_pretrained(name)
        layer = torch.nn.Linear(self.config.hidden_size, 2, bias=True)
        self.parts = torch.nn.ModuleDict({"embeddings": bert.embeddings, "layer": layer})

    def mask(self, masks):
        for i, mask in enumerate(masks):
            self.masks[i] = mask.to(self.device)

    def forward(self, batch):
        x = self.parts["embeddings"](batch["words"])
        x = self.parts["layer"](x)
        return x

    def gradients(self, dataset):
        for i, (batch, labels) in enumerate(DataLoader(dataset, batch_size=8)):
            output = self(batch)
            loss = F.cross_entropy(output, labels)
            loss.backward()
"""


MOVED = "{name: part.to(self.device) for name, part in batch.items()}"


@pytest.mark.parametrize(("given", "codes"), [("batch", []), (MOVED, ["TDL004"])])
def test_what_a_module_is_fed_with_as_it_is_tells_where_the_rest_is(
    given: str, codes: list[str]
) -> None:
    source = CLASSIFIER.replace("self(batch)", f"self({given})")
    assert [finding.code for finding in check_source(source)] == codes
