"""Programs that are right where that is easily missed, or wrong where it is not seen at once."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

TRICKY = {
    "tricky": forms("""
$device


class Tagger(nn.Module):
    def __init__(self, vocab=7, hidden=4):
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden, padding_idx=0)
        self.rnn = nn.LSTM(hidden, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, 3)

    def forward(self, tokens, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embed(tokens), lengths$lengthside, batch_first=True, enforce_sorted=False
        )
        states, _ = self.rnn(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True)
        x = states
        positions = torch.arange(states.size(1)$mask)
        mask = positions[None, :] < lengths$lengthbring[:, None]
        return self.out(states * mask.unsqueeze(-1).float())


def collate(samples):
    lengths = torch.tensor([len(s) for s in samples])
    return nn.utils.rnn.pad_sequence(samples, batch_first=True), lengths


sentences = [torch.randint(1, 7, (n,)) for n in (2, 3, 4, 3)]
loader = DataLoader(sentences, batch_size=2, collate_fn=collate)
model = Tagger()$there
for tokens, lengths in loader:
    tokens = tokens$tolong
    $lengthmove
    scores = model(tokens, lengths)
    loss = scores.pow(2).mean()
    loss.backward()
--
$device


class Graph:
    def __init__(self, x, edge_index, y):
        self.x = x
        self.edge_index = edge_index
        self.y = y

    $graphto

    @property
    def num_nodes(self):
        return self.x.size(0)


class Conv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o)

    def forward(self, x, edge_index):
        row, col = edge_index
        deg = torch.zeros(x.size(0)$where).index_add_(0, col, torch.ones(col.size(0)$onesat))
        messages = self.lin(x)[row]
        out = torch.zeros_like(self.lin(x)).index_add(0, col, messages)
        return out / deg.clamp(min=1).unsqueeze(-1)


graph = Graph(torch.randn(5, 4), torch.randint(0, 5, (2, 8)), torch.arange(5) % 2)
$graphmove
model = Conv(4, 2)$there
mask = torch.rand(graph.num_nodes) > 0.3
mask[0] = True
out = model(graph.x, graph.edge_index)
loss = F.cross_entropy(out[mask], graph.y[mask])
loss.backward()
pred = out.argmax(dim=1)
acc = (pred[mask] == graph.y[mask]).sum().item() / int(mask.sum())
print(acc >= 0)
--
$device


class Rotary(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.cache = None
        $freqs

    def forward(self, x):
        t = x.size(1)
        if $cachetest:
            positions = torch.arange(t$mask).float()
            angles = positions[:, None] * $freqread[None, :]
            self.cache = torch.cat([angles.sin(), angles.cos()], dim=-1)
        return x * self.cache[:t]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rotary = Rotary(4)
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(self.rotary(x))


model = Net()
$early
model = model$there
x = torch.randn(2, 3, 4)$to
print(model(x).shape)
--
$device


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        $backward
        return grad * s * one


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        for i in range(2):
            $loopbuffers

    def forward(self, x):
        x = Swish.apply(self.fc(x))
        for i in range(2):
            x = x + getattr(self, f"shift_{i}")
        return x


model = Net()$there
x = torch.randn(2, 4)$to
model(x).sum().backward()
--
$device


class Moving(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.centers = torch.zeros(2, 4)
        self.steps = [torch.ones(4), torch.zeros(4)]

    $movingto

    def forward(self, x):
        x = self.fc(x)
        distances = ((x[:, None] - self.centers[None]) ** 2).sum(-1)
        return distances + self.steps[0].sum()


model = Moving()
model = model$there
x = torch.randn(3, 4)$to
print(model(x).shape)
--
$device
torch.set_default_device(device)
model = nn.Linear(4, 2)
x = torch.randn(3, 4)
target = torch.zeros(3, dtype=torch.long$cpuarg)
loss = F.cross_entropy(model(x), target)
loss.backward()
counts = torch.bincount(model(x).argmax(1), minlength=2)
total = torch.zeros(2$cpuarg)
total += counts
--
$device


def run(count):
    model = nn.Linear(4, 2)
    data = torch.randn(6, 4)
    if count:
        model, data = model.to(device), data$to
    return model(data).sum()


print(run(0).item(), run(1).item())
"""),
    "lengthside": (".cpu()", ".cpu()", ".to('cpu')", ""),
    "lengthbring": ("", ".to(tokens.device)", ".to(x.device)"),
    "lengthmove": forms("""
pass
--
lengths = lengths.to(device)
"""),
    "graphto": forms("""
def to(self, device):
    self.x, self.edge_index = self.x.to(device), self.edge_index.to(device)
    self.y = self.y.to(device)
    return self
--
def to(self, device):
    for name, value in self.__dict__.items():
        if torch.is_tensor(value):
            setattr(self, name, value.to(device))
    return self
--
def to(self, device):
    return Graph(self.x.to(device), self.edge_index.to(device), self.y.to(device))
--
def to(self, device):
    self.x = self.x.to(device)
    self.edge_index = self.edge_index.to(device)
    return self
"""),
    "graphmove": forms("""
graph = graph.to(device)
--
graph.to(device)
--
graph.x, graph.edge_index, graph.y = (t.to(device) for t in (graph.x, graph.edge_index, graph.y))
"""),
    "onesat": (", device=x.device", ", device=col.device", ", dtype=x.dtype, device=x.device", ""),
    "freqs": forms("""
self.freqs = 1.0 / (100 ** (torch.arange(0, dim // 2).float() / dim))
--
self.register_buffer("freqs", 1.0 / (100 ** (torch.arange(0, dim // 2).float() / dim)))
--
freqs = torch.arange(0, dim // 2).float()
self.register_buffer("freqs", freqs, persistent=False)
"""),
    "freqread": ("self.freqs", "self.freqs", "self.freqs.to(x.device)"),
    "cachetest": (
        "self.cache is None",
        "self.cache is None or self.cache.size(0) < t",
        "self.cache is None or self.cache.device != x.device",
    ),
    "early": forms("""
pass
--
pass
--
print(model(torch.randn(2, 3, 4)).shape)
"""),
    "backward": forms("""
one = torch.ones_like(s)
--
one = torch.ones(s.shape, device=grad.device)
--
one = torch.ones(s.shape)
--
one = 1 + x * (1 - s)
"""),
    "loopbuffers": forms("""
self.register_buffer(f"shift_{i}", torch.ones(4) * i)
--
self.register_buffer("shift_%d" % i, torch.ones(4) * i)
--
setattr(self, f"shift_{i}", torch.ones(4) * i)
--
setattr(self, f"shift_{i}", nn.Parameter(torch.ones(4) * i))
--
self.register_parameter("shift_" + str(i), nn.Parameter(torch.ones(4)))
"""),
    "movingto": forms("""
def to(self, *args, **kwargs):
    self = super().to(*args, **kwargs)
    self.centers = self.centers.to(*args, **kwargs)
    self.steps = [step.to(*args, **kwargs) for step in self.steps]
    return self

def cuda(self, device=None):
    return self.to("cuda")
--
def _apply(self, fn):
    super()._apply(fn)
    self.centers = fn(self.centers)
    self.steps = [fn(step) for step in self.steps]
    return self
--
def _apply(self, fn):
    module = super()._apply(fn)
    module.centers = fn(module.centers)
    return module
--
def cuda(self, device=None):
    self.centers = self.centers.cuda()
    self.steps = [step.cuda() for step in self.steps]
    return super().cuda(device)

def to(self, device):
    return self.cuda()
"""),
    "cpuarg": ("", "", ", device='cpu'"),
}
