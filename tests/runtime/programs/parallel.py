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
