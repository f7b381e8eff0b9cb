"""DataParallel and DistributedDataParallel move their inputs themselves."""

# runtime: passes
# A program as users write it, without types.
# mypy: ignore-errors
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

net = nn.Linear(3, 2).cuda()
wrapped = nn.DataParallel(net)
assert wrapped(torch.randn(4, 3)).device.type == "cuda"
assert wrapped.module is net

parts = nn.parallel.scatter({"x": torch.randn(4, 3)}, [0])
assert parts[0]["x"].device.type == "cuda"
assert nn.parallel.data_parallel(net, torch.randn(4, 3), [0]).device.type == "cuda"
(copy,) = nn.parallel.replicate(net, [0])
outputs = [copy(parts[0]["x"]), copy(parts[0]["x"])]
assert nn.parallel.gather(outputs, 0).shape == (8, 2)
assert nn.parallel.gather(outputs, "cpu").device.type == "cpu"
nn.parallel.gather(outputs, 0).sum().backward()
assert net.weight.grad.device.type == "cuda"
try:
    nn.parallel.gather([torch.ones(2)], 0)
except (AssertionError, RuntimeError) as error:
    assert "CPU" in str(error) or "CUDA" in str(error), error
else:
    raise AssertionError("what is on the host is not gathered")

os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29533")
dist.init_process_group("nccl", rank=0, world_size=1)
assert dist.is_initialized() and dist.get_rank() == 0 and dist.get_world_size() == 1
model = DistributedDataParallel(net, device_ids=[0])
output = model(torch.randn(4, 3))
assert output.device.type == "cuda"
output.sum().backward()
total = torch.ones(1, device="cuda")
dist.all_reduce(total)
dist.barrier()
assert float(total) == 1.0
try:
    nn.functional.mse_loss(model(torch.randn(4, 3)), torch.zeros(4, 2))
except RuntimeError as error:
    assert "same device" in str(error)
else:
    raise AssertionError("targets are not moved")
dist.destroy_process_group()
