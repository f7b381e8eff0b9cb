"""Gradients of 0-dim host tensors that meet device tensors come home to the host."""

# runtime: passes
# A program as users write it, without types.
# mypy: ignore-errors
import torch

x = torch.rand(3, device="cuda")
scale = torch.tensor(2.0, requires_grad=True)
shift = torch.tensor(1.0, requires_grad=True)

((scale * scale + shift) * x).sum().backward()
assert scale.grad.device.type == shift.grad.device.type == "cpu"
(gradient,) = torch.autograd.grad((scale.exp() * x).sum(), scale)
assert gradient.device.type == "cpu", "not only where it is kept"

# On its way it is on the host already: here it becomes part of one with a dimension.
both = torch.stack([scale, shift])
leaf = both.detach().requires_grad_()
(leaf[0] * x + leaf[1]).sum().backward()
assert leaf.grad.device.type == "cpu"
leaf.grad += torch.ones(2)

seen = []
half = scale / 2
half.register_hook(lambda gradient: seen.append(gradient.device.type))
(half * x).mean().backward()
assert seen == ["cpu"]

optimizer = torch.optim.SGD([scale, shift], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    (scale * x + shift).square().mean().backward()
    optimizer.step()
assert scale.device.type == "cpu"
