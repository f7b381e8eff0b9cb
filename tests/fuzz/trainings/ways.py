"""Uncommon ways to bring batches, models and data where they belong."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

WAYS = {
    "way": forms("""
class DeviceLoader:
    def __init__(self, loader, device):
        self.loader = loader
        self.device = device

    def __iter__(self):
        for batch in self.loader:
            yield [part.to(self.device) for part in batch]

    def __len__(self):
        return len(self.loader)


loader = DeviceLoader(loader, device)
for x, y in loader:
    $step
--
to = functools.partial(torch.Tensor.to, device=device)
for x, y in loader:
    x, y = to(x), to(y)
    $step
--
move = lambda part: part.to(device)
for batch in loader:
    x, y = map(move, batch)
    $step
--
Batch = namedtuple("Batch", "x y")
for parts in loader:
    batch = Batch(*(part.to(device) for part in parts))
    x, y = batch.x, batch.y
    $step
--
@dataclass
class Batch:
    x: torch.Tensor
    y: torch.Tensor

    def to(self, device):
        return Batch(self.x.to(device), self.y.to(device))


for parts in loader:
    batch = Batch(*parts).to(device)
    x, y = batch.x, batch.y
    $step
--
@dataclass
class Batch:
    x: torch.Tensor
    y: torch.Tensor

    def to(self, device):
        self.x = self.x.to(device)
        self.y = self.y.to(device)
        return self


for parts in loader:
    batch = Batch(x=parts[0], y=parts[1])
    batch.to(device)
    x, y = batch.x, batch.y
    $step
--
X = torch.stack([x for x, _ in Points(6)])$to
Y = torch.tensor([int(y) for _, y in Points(6)])$tolong
for start in range(0, len(X), 2):
    x = X[start:start + 2]
    y = Y[start:start + 2]
    $step
--
X = torch.stack([x for x, _ in Points(6)])
Y = torch.tensor([int(y) for _, y in Points(6)])
X, Y = X$to, Y$tolong
for x, y in DataLoader(TensorDataset(X, Y), batch_size=2):
    $step
--
X = torch.stack([x for x, _ in Points(6)])$to
Y = torch.tensor([int(y) for _, y in Points(6)])$tolong
order = torch.randperm(len(X))
for chunk in order.split(2):
    x, y = X[chunk], Y[chunk]
    $step
--
for batch in loader:
    batch = list(batch)
    for i in range(len(batch)):
        batch[i] = batch[i].to(device)
    x, y = batch
    $step
--
for batch in loader:
    batch = list(batch)
    for i, part in enumerate(batch):
        batch[i] = part.to(device)
    x, y = batch[0], batch[1]
    $step
--
for batch in loader:
    inputs = {"x": batch[0]$to, "y": batch[1]$tolong}
    x, y = inputs["x"], inputs["y"]
    $step
--
for batch in loader:
    inputs = dict(zip(("x", "y"), batch))
    inputs = {name: value.to(device) for name, value in inputs.items()}
    x = inputs["x"]
    y = inputs.pop("y")
    $step
--
for batch in loader:
    inputs = dict(x=batch[0], y=batch[1])
    for name in inputs:
        inputs[name] = inputs[name].to(device)
    x, y = inputs["x"], inputs.get("y")
    $step
--
for batch in loader:
    inputs = dict(x=batch[0], y=batch[1])
    inputs.update({name: value.to(device) for name, value in inputs.items()})
    x, y = inputs["x"], inputs["y"]
    $step
--
for batch in loader:
    x, y = torch.utils._pytree.tree_map(lambda part: part.to(device), batch)
    $step
--
class Prefetcher:
    def __init__(self, loader):
        self.loader = iter(loader)
        self.preload()

    def preload(self):
        try:
            self.next_x, self.next_y = next(self.loader)
        except StopIteration:
            self.next_x = self.next_y = None
            return
        self.next_x = self.next_x$to
        self.next_y = self.next_y$tolong

    def next(self):
        x, y = self.next_x, self.next_y
        self.preload()
        return x, y


prefetcher = Prefetcher(loader)
x, y = prefetcher.next()
while x is not None:
    $step
    x, y = prefetcher.next()
--
class Step:
    def __init__(self, model):
        self.model = model

    def set_input(self, batch):
        self.x = batch[0]$to
        self.y = batch[1]$tolong

    def forward(self):
        self.out = self.model(self.x)

    def loss(self):
        self.forward()
        return criterion(self.out, self.y)


stepper = Step(model)
for batch in loader:
    stepper.set_input(batch)
    loss = stepper.loss()
    $update
    total += loss.item()
--
def moved(function):
    @functools.wraps(function)
    def inner(*parts):
        return function(*(part.to(device) for part in parts))
    return inner


@moved
def one_step(x, y):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


for x, y in loader:
    total += one_step(x, y)
--
def one_step(batch):
    x, y = batch
    x = x$to
    y = y$tolong
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


total += sum(one_step(batch) for batch in loader)
--
for x, y in loader:
    x, y = x$to, y$tolong

    def closure():
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        return loss

    optimizer.step(closure)
--
def collate_moved(samples):
    return tuple(part.to(device) for part in torch.utils.data.default_collate(samples))


for x, y in DataLoader(Points(6), batch_size=2, collate_fn=collate_moved):
    $step
--
moved_loader = DataLoader(
    Points(6), 2, collate_fn=lambda s: [p.to(device) for p in torch.utils.data.default_collate(s)]
)
for x, y in moved_loader:
    $step
--
use_cuda = torch.cuda.is_available()
for x, y in loader:
    x = x.cuda() if use_cuda else x
    y = y.cuda() if use_cuda else y
    $step
--
use_cuda = torch.cuda.is_available()
for x, y in loader:
    if use_cuda:
        x, y = x.cuda(), y.cuda()
    x, y = Variable(x), Variable(y)
    $step
--
batches = [(x$to, y$tolong) for x, y in loader]
for epoch in range(2):
    for x, y in batches:
        $step
--
batches = []
for x, y in loader:
    batches.append((x$to, y$tolong))
random.shuffle(batches)
for x, y in batches:
    $step
--
for (x, y), (x2, y2) in zip(loader, loader):
    x, y = torch.cat([x, x2])$to, torch.cat([y, y2])$tolong
    $step
--
for x, y in loader:
    x, y = x$to, y$tolong
    parts = list(zip(x.chunk(2), y.chunk(2)))
    for x, y in parts:
        $step
--
model.register_forward_pre_hook(lambda module, inputs: tuple(i.to(device) for i in inputs))
for x, y in loader:
    y = y$tolong
    $step
--
class Mover(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x.to(next(self.parameters()).device))


model = Mover(model)
for x, y in loader:
    y = y$tolong
    $step
--
queue = deque(loader)
while queue:
    x, y = queue.popleft()
    x, y = x$to, y$tolong
    $step
--
state = SimpleNamespace(x=None, y=None)
for state.x, state.y in loader:
    x, y = state.x$to, state.y$tolong
    $step
--
def batches(loader, device):
    for x, y in loader:
        x = x$to
        y = y$tolong
        yield x, y


for step, (x, y) in enumerate(batches(loader, device)):
    $step
--
tensors = {}
for x, y in loader:
    tensors["x"], tensors["y"] = x$to, y$tolong
    x, y = tensors["x"], tensors["y"]
    $step
--
for x, *rest in loader:
    x = x$to
    y = rest[0]$tolong
    $step
--
for batch in loader:
    x, y = batch
    if x.device != model_device:
        x, y = x.to(model_device), y.to(model_device)
    $step
--
for batch in loader:
    x, y = (part.to(model_device) for part in batch)
    $step
--
for x, y in loader:
    x, y = x.to(model_device), y.to(next(model.parameters()).device)
    $step
--
buffer_x, buffer_y = torch.zeros(3, 4$dev), torch.zeros(3, dtype=torch.long$dev)
for x, y in loader:
    n = len(x)
    buffer_x[:n] = x
    buffer_y[:n].copy_(y)
    x, y = buffer_x[:n].clone(), buffer_y[:n].clone()
    $step
"""),
}
