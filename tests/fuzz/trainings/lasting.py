"""Programs that keep states: the best one, those of clients, a running mean, a memory."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

LASTING = {
    "lasting": forms("""
$device
amp = torch.cuda.is_available()
model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))$there
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
best, best_state = None, None
data = TensorDataset(torch.randn(8, 4), torch.randint(0, 2, (8,)))
train, val = torch.utils.data.random_split(data, [6, 2])
sampler = torch.utils.data.WeightedRandomSampler(torch.ones(6), 6)
for epoch in range(2):
    for x, y in DataLoader(train, batch_size=3, sampler=sampler):
        x, y = x$to, y$tolong
        loss = F.cross_entropy(model(x), y, label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    scheduler.step()
    with torch.no_grad():
        losses = [F.cross_entropy(model(x$to), y$tolong) for x, y in DataLoader(val, 2)]
    value = torch.stack(losses).mean()$valueside
    if best is None or value < best:
        best = value
        best_state = {k: v$stateside for k, v in model.state_dict().items()}
model.load_state_dict(best_state)
print($bestread)
--
$device


def flatten(tensors):
    return torch.cat([t.reshape(-1) for t in tensors])


def unflatten(vector, like):
    parts, at = [], 0
    for t in like:
        parts.append(vector[at:at + t.numel()].view_as(t))
        at += t.numel()
    return parts


def average(states):
    return {k: sum(state[k] for state in states) / len(states) for k in states[0]}


class Client:
    def __init__(self, model, data):
        self.model = copy.deepcopy(model)$clientat
        self.data = data

    def train(self, state):
        self.model.load_state_dict(state)
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        x, y = self.data
        x, y = x$to, y$tolong
        loss = F.cross_entropy(self.model(x), y)
        loss.backward()
        optimizer.step()
        return {k: v$stateside for k, v in self.model.state_dict().items()}


server = nn.Linear(4, 2)$serverat
clients = [Client(server, (torch.randn(3, 4), torch.arange(3) % 2)) for _ in range(2)]
state = server.state_dict()
for _ in range(2):
    state = average([client.train(state) for client in clients])
server.load_state_dict(state)
vector = flatten(server.parameters())
noise = torch.randn(vector.numel()$vectorat)
like = list(server.parameters())
for p, new in zip(like, unflatten(vector.detach() + noise, like)):
    p.data.copy_(new)
print(server($serverx).shape)
--
$device


@functools.lru_cache(maxsize=None)
def window(size, where):
    return torch.hann_window(size$windowat)


class Features(nn.Module):
    def __init__(self, size=4):
        super().__init__()
        self.size = size
        self.proj = nn.Linear(size, 2)
        self.register_buffer("running", torch.zeros(size))
        self.register_buffer("count", torch.tensor(0))

    def forward(self, x):
        x = x * window(self.size, $windowkey)
        if self.training:
            with torch.no_grad():
                self.count += 1
                $runningupdate
        return self.proj(x - self.running)


model = Features()$there
for x in DataLoader(torch.randn(6, 4), batch_size=3):
    print(model(x$to).shape)
--
$device


class Memory:
    def __init__(self, size=8):
        self.size = size
        self.states = torch.zeros(size, 4$memoryat)
        self.rewards = torch.zeros(size$memoryat)
        self.at = 0

    def push(self, state, reward):
        self.states[self.at] = state
        self.rewards[self.at] = reward
        self.at = (self.at + 1) % self.size

    def sample(self, count):
        index = torch.randint(0, self.size, (count,)$indexat)
        return self.states[index], self.rewards[index]


policy = nn.Linear(4, 1)$there
memory = Memory()
state = torch.zeros(4)$to
for step in range(8):
    action = policy(state)
    state = state + action.detach()
    memory.push(state$pushside, float(step))
states, rewards = memory.sample(4)
$sampled
loss = F.mse_loss(policy(states).squeeze(1), rewards)
loss.backward()
"""),
    "valueside": ("", ".item()", ".cpu()"),
    "stateside": ("", ".cpu()", ".clone()", ".detach().cpu().clone()"),
    "bestread": ("float(best) >= 0", "best_state['0.weight'].numpy().shape", "len(best_state)"),
    "clientat": (".to(device)", ".to(device)", ".cuda()", ""),
    "serverat": ("", "", ".to(device)"),
    "vectorat": ("", ", device=vector.device", ").to(vector.device"),
    "serverx": ("torch.randn(2, 4)", "torch.randn(2, 4, device=vector.device)"),
    "windowat": ("", ", device=where", ").to(where"),
    "windowkey": ("x.device", "x.device", "device", "str(x.device)"),
    "runningupdate": forms("""
self.running = 0.9 * self.running + 0.1 * x.mean(0)
--
self.running.mul_(0.9).add_(0.1 * x.mean(0))
--
self.running += 0.1 * (x.mean(0) - self.running)
--
self.running.data = 0.9 * self.running.data + 0.1 * x.detach().mean(0)
"""),
    "memoryat": ("", ", device=device", ", device='cuda'"),
    "indexat": ("", "", ", device=device"),
    "pushside": ("", ".cpu()", ".detach()"),
    "sampled": forms("""
pass
--
states, rewards = states.to(device), rewards.to(device)
--
states, rewards = states$to, rewards$to
"""),
}
