"""Using a model on what was made on the CPU."""

from __future__ import annotations

from .forms import forms

USES = {
    "made": forms("""
torch.ones(2, 3)
--
torch.ones(2, 3)
--
torch.ones(2, 3, dtype=torch.float32)
--
torch.ones(2, 3, **KEYWORDS)
--
torch.full((2, 3), 0.5)
--
torch.tensor([[1.0, 2.0, 3.0]])
--
torch.randn(2, 3, generator=torch.Generator().manual_seed(1))
"""),
    "scored": forms("""
model($made).sum().item()
--
model(x).sum().item()
--
[model(x).sum().item() for device in "ab"]
--
[model($made).sum().item() for device in "ab"]
--
(lambda device: model($made).sum().item())("phone")
--
(model(x) if x is not None else x)
--
(model(x.view(-1, 3)).sum().item(), x.shape)
"""),
    "use": forms("""
print(model($made).sum().item())
--
x = $made
$disturb
print($scored)
--
x = $made
print($scored, $scored)
--
for x, y in loader:
    $disturb
    print(model(x).sum().item())
--
for x, y in loader:
    print((model(x) - y).sum().item())
    $disturb
--
for batch in loader:
    x, y = batch
    print(model(x).sum().item(), y.shape)
--
for x, y in loader:
    moved = x.to($place)
    $disturb
    print(model(x).sum().item(), moved.sum().item())
--
for x, y in loader:
    y = y.to($place)
    print((model(x) - y).sum().item())
--
for x, y in loader:
    if args.lr:
        y = y.to($place)
    print(model(x).sum().item())
--
for x, y in loader:
    moved = x.to($place)
    $rebound
    print(model(x).sum().item(), moved.sum().item())
--
x = None
if args.lr:
    x = $made
print(model(x).sum().item() if x is not None else x)
--
def score():
    return model($made).sum().item()
print(score())
--
def score(device):
    $disturb
    return model($made).sum().item()
print(score("phone"))
--
def score(model, device=None):
    for x, y in loader:
        print(model(x).sum().item())
score(model, device)
--
def score(model, args):
    for x, y in loader:
        print(model(x).sum().item(), args.lr)
score(model, SimpleNamespace(lr=1))
--
def score(model, *device, **args):
    return model($made).sum().item()
print(score(model, 1, lr=1))
--
score = lambda device: model($made).sum().item()
print(score("phone"))
--
def outer(device):
    def inner():
        return model($made).sum().item()
    $disturb
    return inner
print(outer("phone")())
--
@twice
def score():
    if not args.lr:
        return 0
    x = $made
    $disturb
    return $scored
print(score())
--
def scores():
    device = "phone"
    yield model($made).sum().item()
    for x, y in loader:
        yield model(x).sum().item()
print(list(scores()))
--
print(list(model($made).sum().item() for device in "ab"))
--
class Scorer:
    device = "phone"
    score = model($made).sum().item()
print(Scorer.score)
--
class Scorer:
    def __init__(self, device):
        self.device = device
        $disturb
    def score(self):
        return model($made).sum().item()
print(Scorer("phone").score())
--
class Scorer:
    def __init__(self):
        self.model = nn.Linear(3, 1)
        self.model.to(self.device)
    @property
    def device(self):
        calls.append("device")
        return args.device
    def score(self):
        for x, y in loader:
            print(self.model(x).sum().item())
Scorer().score()
--
def early():
    if args.lr:
        $disturb
        return model($made).sum().item()
    device = "cpu"
    return device
print(early())
"""),
    "rebound": forms("""
moved = moved * 2
--
x = x + 1
--
del moved
moved = x + 2
--
moved, x = x, moved
"""),
}
