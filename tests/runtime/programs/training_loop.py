"""A training loop with everything that is usually around it."""

# runtime: passes
# A program as users write it, without types.
# mypy: ignore-errors
import copy
import threading

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda")
assert torch.cuda.is_available() and torch.cuda.device_count() >= 1
assert torch.accelerator.is_available() and torch.accelerator.current_accelerator().type == "cuda"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv1d(1, 4, 3), nn.BatchNorm1d(4), nn.ReLU(), nn.Dropout(0.1))
        self.rnn = nn.GRU(4, 5, batch_first=True)
        self.head = nn.Linear(5, 3)
        self.register_buffer("scale", torch.ones(3))

    def forward(self, x):
        features = self.body(x[:, None]).transpose(1, 2)
        states, _ = self.rnn(features)
        return self.head(states[:, -1]) * self.scale


net = Net()
first = net.head.weight
assert net.to(device) is net and net.head.weight is first, "a module moves in place"
assert first.device == torch.device("cuda", 0) and first.is_cuda and first.is_leaf
assert net.scale.device.type == "cuda"
x = torch.randn(3)
assert x.to(device) is not x and x.device.type == "cpu", "a tensor doesn't"

data = TensorDataset(torch.randn(24, 10), torch.randint(0, 3, (24,)))
loader = DataLoader(data, batch_size=8, shuffle=True, pin_memory=True)
optimizers = (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop)
for kind in optimizers:
    optimizer = kind(net.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    scaler = torch.amp.GradScaler("cuda")
    for images, labels in loader:
        assert images.device.type == "cpu" and images.is_pinned()
        images = images.to(device, non_blocking=True)
        labels = labels.cuda(non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device_type="cuda"):
            loss = nn.functional.cross_entropy(net(images), labels)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        assert first.grad is not None and first.grad.device == first.device
    scheduler.step()
assert optimizer.state[first]["square_avg"].device == first.device

net.eval()
with torch.inference_mode():
    logits = net(torch.randn(2, 10, device=device))
    assert logits.device.type == "cuda" and logits.argmax(-1).cpu().numpy().shape == (2,)
    try:
        nn.functional.linear(torch.randn(2, 5), net.head.weight, net.head.bias)
    except RuntimeError as error:
        assert "same device" in str(error), error
    else:
        raise AssertionError("inference mode lets devices mix")

twin = copy.deepcopy(net)
assert twin.head.weight.device.type == "cuda"
with torch.no_grad():
    for mine, its in zip(net.parameters(), twin.parameters(), strict=True):
        its.mul_(0.9).add_(mine, alpha=0.1)

found = []


def work():
    found.append(net(torch.randn(2, 10).to(device)).device.type)


thread = threading.Thread(target=work)
thread.start()
thread.join()
assert found == ["cuda"], "modes reach other threads"

# Gradients go back where the values came from.
host = torch.randn(3, requires_grad=True)
(host.to(device) * torch.randn(3, device=device)).sum().cpu().backward()
assert host.grad is not None and host.grad.device.type == "cpu"
second = torch.autograd.grad((host.to(device) ** 3).sum(), host, create_graph=True)[0]
second.sum().backward()
print("ok", float(loss))
