"""Saving and loading, with and without `map_location`."""

# runtime: passes
# A program as users write it, without types.
# mypy: ignore-errors
import io
import pickle

import torch
from torch import nn


def saved(value):
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return buffer


layer = nn.Linear(3, 2).cuda()
optimizer = torch.optim.Adam(layer.parameters())
layer(torch.randn(4, 3, device="cuda")).sum().backward()
optimizer.step()
state = {"model": layer.state_dict(), "optimizer": optimizer.state_dict(), "host": torch.ones(2)}
back = torch.load(saved(state))
assert back["model"]["weight"].device.type == "cuda", "where it was saved"
assert back["host"].device.type == "cpu"
assert back["optimizer"]["state"][0]["exp_avg"].device.type == "cuda"
for location in ("cpu", torch.device("cpu"), {"cuda:0": "cpu"}, lambda storage, place: storage):
    there = torch.load(saved(state), map_location=location)
    assert there["model"]["weight"].device.type == "cpu", location
for location in ("cuda", "cuda:0", torch.device("cuda")):
    there = torch.load(saved(state), map_location=location)
    assert there["host"].device.type == "cuda", location
other = nn.Linear(3, 2).cuda()
other.load_state_dict(torch.load(saved(state), map_location="cpu")["model"])
assert other.weight.device.type == "cuda", "load_state_dict copies"
assert torch.equal(other.weight, layer.weight)
whole = torch.load(saved(layer), weights_only=False)
assert whole.weight.device.type == "cuda"
again = pickle.loads(pickle.dumps(layer.weight))
assert again.device.type == "cuda"
restored = torch.optim.Adam(other.parameters())
restored.load_state_dict(torch.load(saved(state), map_location="cpu")["optimizer"])
assert restored.state[other.weight]["exp_avg"].device.type == "cuda", "moved to the parameter"
