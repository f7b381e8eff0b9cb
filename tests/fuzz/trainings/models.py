"""Models: what they keep, what they make, and in which forms."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

MODELS = {
    "model": forms("""
class Net(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        self.head = nn.Linear(4, 2)
        $keep

    def forward(self, x):
        $use
        return self.head(x)
--
class Net(nn.Module):
    def __init__(self, hidden=4):
        super(Net, self).__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.head = nn.Linear(4, 2)
        $keep

    def encode(self, x):
        $use
        return x

    def forward(self, x):
        x = self.encode(self.body(x))
        return self.head(x)
--
class Block(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.fc = nn.Linear(hidden, hidden)
        $keep

    def forward(self, x):
        $use
        return x + self.fc(x)


class Net(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        self.blocks = $list([Block(hidden) for _ in range(2)])
        self.head = nn.Linear(hidden, 2)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)
--
class Base(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        $keep

    def features(self, x):
        $use
        return x

    def forward(self, x):
        raise NotImplementedError


class Net(Base):
    def __init__(self, hidden=4):
        super().__init__(hidden)
        self.head = nn.Linear(hidden, 2)

    def forward(self, x):
        return self.head(self.features(x))
--
class Net(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        self.layers = $list([nn.Linear(4, 4)])
        self.layers.append(nn.Linear(4, 2))
        $keep

    def forward(self, x):
        $use
        for i, layer in enumerate(self.layers):
            x = layer(x)
        return x
--
class Net(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        self.cell = nn.GRUCell(4, hidden)
        self.head = nn.Linear(hidden, 2)
        $keep

    def init_hidden(self, x):
        return torch.zeros(x.size(0), 4$where)

    def forward(self, x):
        $use
        h = self.init_hidden(x)
        for _ in range(2):
            h = self.cell(x, h)
        return self.head(h)
--
class Net(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        self.rnn = nn.LSTM(4, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 2)
        self.hidden = hidden
        $keep

    def forward(self, x):
        $use
        h0 = torch.zeros(1, x.size(0), self.hidden$where)
        c0 = torch.zeros(1, x.size(0), self.hidden$where)
        out, _ = self.rnn(x.unsqueeze(1), (h0, c0))
        return self.head(out[:, -1])
--
def normalize(x):
    $function
    return x


class Net(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        self.head = nn.Linear(4, 2)
        $keep

    def forward(self, x):
        x = normalize(x)
        $use
        return self.head(x)
"""),
    "list": ("nn.ModuleList", "nn.ModuleList", "nn.ModuleList", "list"),
    "keep": forms("""
self.register_buffer("scale", torch.ones(4))
self.hidden_size = hidden
--
self.scale = nn.Parameter(torch.ones(4))
self.hidden_size = hidden
--
self.scale = torch.ones(4)
self.hidden_size = hidden
--
self.register_buffer("scale", torch.linspace(0, 1, 4), persistent=False)
self.hidden_size = hidden
--
scale = torch.ones(1, 4)
self.register_buffer("scale", scale)
self.hidden_size = hidden
--
self.hidden_size = hidden
self.scale = None
--
self.scale = nn.Parameter(torch.randn(4), requires_grad=False)
self.hidden_size = hidden
"""),
    "use": forms("""
pass
--
pass
--
if self.scale is not None:
    x = x * self.scale
--
x = x + torch.randn(x.shape$where)
--
x = x + torch.randn_like(x) * 0.1
--
noise = torch.rand(x.size(0), 1$where)
x = x * noise
--
mask = torch.ones(4$where)
mask[0] = 0
x = x * mask
--
pad = torch.zeros(x.size(0), 2$where)
x = torch.cat([x[:, :2], pad], dim=1)
--
order = torch.randperm(x.size(1))
x = x[:, order]
--
positions = torch.arange(x.size(1)$where)
x = x + positions
--
weights = torch.softmax(torch.zeros(4$where), dim=0)
x = x * weights
--
out = torch.zeros(x.size(0), 4$where)
out[:, :] = x
x = out
--
outs = []
for i in range(x.size(1)):
    outs.append(x[:, i] * i)
x = torch.stack(outs, dim=1)
--
x = x * torch.tensor(0.5)
--
x = torch.where(x > 0, x, torch.zeros_like(x))
--
keep = torch.bernoulli(torch.full((4,), 0.5$where))
x = x * keep
--
eye = torch.eye(4$where)
x = x @ eye
--
x = x.masked_fill(torch.zeros(4, dtype=torch.bool$mask), 0.0)
--
index = torch.tensor([0, 1, 2, 3]$mask)
x = x.gather(1, index.expand(x.size(0), 4))
--
index = torch.tensor([0, 1, 2, 3]$mask)
x = torch.index_select(x, 1, index)
--
if self.training:
    x = x + torch.normal(0.0, 1.0, size=x.shape$where)
--
steps = [torch.ones(4$where) for _ in range(2)]
for step in steps:
    x = x + step
"""),
    "mask": forms("""
, device=x.device
--
, device=x.device
--
).to(x.device
--
, requires_grad=False
"""),
    "function": forms("""
x = x - torch.tensor([0.1, 0.2, 0.3, 0.4]$where)
--
mean = torch.zeros(4$where)
std = torch.ones(4$where)
x = (x - mean) / std
--
x = x / x.norm(dim=1, keepdim=True).clamp(min=1e-6)
--
x = x + torch.zeros(1$where)
--
bound = torch.full((4,), 5.0$where)
x = torch.minimum(x, bound)
--
low, high = torch.tensor([-1.0] * 4$where), torch.tensor([1.0] * 4$where)
x = torch.max(torch.min(x, high), low)
"""),
}
