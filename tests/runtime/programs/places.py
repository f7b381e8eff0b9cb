"""All the ways to say where a tensor goes."""

# runtime: passes
# A program as users write it, without types.
# mypy: ignore-errors
import warnings

import numpy as np
import torch
from torch import nn

cuda = torch.device("cuda", 0)
host = torch.device("cpu")
assert torch.zeros(2).device == host
for made in (
    torch.zeros(2, device="cuda"),
    torch.ones(2, device="cuda:0"),
    torch.arange(3, device=0),
    torch.full((2,), 1.0, device=cuda),
    torch.tensor([1, 2], device="cuda"),
    torch.as_tensor(np.ones(2), device=cuda),
    torch.eye(2, device=cuda),
    torch.linspace(0, 1, 3, device=cuda),
    torch.normal(0.0, 1.0, (2,), device=cuda),
    torch.hann_window(4, device=cuda),
    torch.randperm(3, device=cuda),
    torch.randn(2, device=cuda, generator=torch.Generator(device="cuda").manual_seed(1)),
    torch.zeros(2).cuda(),
    torch.zeros(2).cuda(0),
    torch.zeros(2).to("cuda"),
    torch.zeros(2).to(cuda, torch.float64),
    torch.zeros(2).to(device="cuda", dtype=torch.float16, non_blocking=True),
    torch.zeros(2).to(torch.ones(1, device=cuda)),
    torch.zeros(2).type("torch.cuda.FloatTensor"),
    torch.zeros(2).type_as(torch.ones(1, device=cuda)),
    torch.zeros_like(torch.zeros(2), device=cuda),
    torch.zeros_like(torch.zeros(2, device=cuda)),
    torch.zeros(2, device=cuda).new_ones(3),
    torch.zeros(2).new_ones(3, device=cuda),
    torch.zeros(2, device=cuda).new_tensor([1.0]),
    torch.empty(3, device=cuda).uniform_(),
    torch.nn.functional.one_hot(torch.arange(3, device=cuda), 3),
    nn.Parameter(torch.zeros(2, device=cuda)),
    nn.Linear(2, 2, device=cuda).weight,
    torch.utils.data.default_collate([{"a": torch.ones(1, device=cuda)}] * 2)["a"],
):
    assert made.device == cuda, made
    assert made.is_cuda and not made.is_cpu and made.get_device() == 0
    assert (made.cpu() if made.is_leaf else made.detach().cpu()).device == host
with torch.device("cuda"):
    assert torch.zeros(2).device == cuda and nn.Linear(2, 2).weight.device == cuda
    assert torch.zeros(2, device="cpu").device == host
assert torch.zeros(2).device == host
torch.set_default_device("cuda")
assert torch.rand(2).device == cuda and torch.get_default_device().type == "cuda"
torch.set_default_device("cpu")
assert torch.rand(2).device == host
with torch.cuda.device(0):
    assert torch.rand(2).device == host
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the legacy constructors are deprecated
    assert torch.cuda.FloatTensor(2).device == cuda
    assert torch.FloatTensor([1.0]).device == host
    assert isinstance(torch.cuda.FloatTensor(2), torch.cuda.FloatTensor)
    assert not isinstance(torch.ones(2, device=cuda), torch.FloatTensor)
    assert torch.ones(2, device=cuda).type() == "torch.cuda.FloatTensor"
    assert (
        torch.zeros(2).new(3).device == host and torch.zeros(2, device=cuda).new(3).device == cuda
    )
view = torch.zeros(2, 3, device=cuda)
assert view[0].device == view.T.device == view.detach().data.flatten().device == cuda
assert "cuda:0" in repr(view)
assert [part.device for part in view.unbind(0)] == [cuda, cuda]
assert torch.from_numpy(np.ones(2)).device == host
assert torch.zeros(2, device="meta").to("meta").device.type == "meta"
layer = nn.Linear(2, 2, device="meta").to_empty(device="cuda")
assert layer.weight.device == cuda
lazy = nn.LazyLinear(2).to(cuda)
assert lazy(torch.ones(1, 3, device=cuda)).device == cuda
packed = nn.utils.rnn.pack_padded_sequence(
    torch.ones(2, 3, 4, device=cuda), [3, 2], batch_first=True, enforce_sorted=False
)
assert packed.data.device == cuda and packed.batch_sizes.device == host
padded, lengths = nn.utils.rnn.pad_packed_sequence(nn.LSTM(4, 5).to(cuda)(packed)[0])
assert padded.device == cuda and lengths.device == host
shared = torch.from_dlpack(view)
shared[0, 0] = 5.0
assert shared.device == cuda and view[0, 0] == 5.0
assert torch.from_dlpack(torch.ones(2)).device == torch.from_dlpack(np.ones(2)).device == host
assert torch.device(0) == cuda
assert torch.get_device_module(cuda) is torch.get_device_module() is torch.cuda
view.record_stream(torch.cuda.current_stream())
for refused in ("cuda:7", "xpu"):
    try:
        torch.zeros(1).to(refused)
    except (RuntimeError, AssertionError):
        continue
    raise AssertionError(refused)
