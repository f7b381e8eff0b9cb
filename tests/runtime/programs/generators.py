"""A generator of random numbers makes them where it lives, and nowhere else."""

# runtime: passes
# A program as users write it, without types.
# mypy: ignore-errors
import torch

here = torch.Generator().manual_seed(1)
there = torch.Generator(device="cuda").manual_seed(1)
assert here.device.type == "cpu"
assert there.device.type == "cuda"
x = torch.rand(4, device="cuda", generator=there)
assert torch.multinomial(x, 2, generator=there).device.type == "cuda"
assert x.normal_(generator=there) is x
assert torch.rand(4, generator=here).device.type == "cpu"

for refused in (
    lambda: torch.rand(4, device="cuda", generator=here),
    lambda: torch.randperm(4, device="cuda", generator=here),
    lambda: x.normal_(generator=here),
    lambda: torch.multinomial(x.abs(), 2, generator=here),
    lambda: torch.bernoulli(x.sigmoid(), generator=here),
):
    try:
        refused()
    except RuntimeError as error:
        assert "Expected a 'cuda' device type for generator but found 'cpu'" in str(error), error
    else:
        raise AssertionError("a generator of the host makes nothing on the device")
try:
    torch.rand(4, generator=there)
except RuntimeError as error:
    assert "Expected a 'cpu' device type for generator but found 'cuda'" in str(error), error
else:
    raise AssertionError("nor one of the device on the host")
