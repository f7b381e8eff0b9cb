"""Training loops, and what is done with what a model gives."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

LOOPS = {
    "place": forms("""
model = Net().to(device)
--
model = Net()
model.to(device)
--
model = Net()
model = model.to(device)
--
model = Net(hidden=4)
if torch.cuda.is_available():
    model.cuda()
--
def build():
    net = Net()
    return net.to(device)


model = build()
--
model = Net().cuda()
--
model = nn.DataParallel(Net()).to(device)
--
model = Net()
model = model.to(device)
model.load_state_dict(model.state_dict())
"""),
    "loss": forms("""
criterion = nn.CrossEntropyLoss()
--
criterion = nn.CrossEntropyLoss().to(device)
--
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0])$to)
--
weights = torch.tensor([1.0, 2.0])
criterion = nn.CrossEntropyLoss(weight=weights).to(device)
--
criterion = F.cross_entropy
--
def criterion(out, y):
    target = F.one_hot(y, 2).float()
    return ((out - target) ** 2).mean()
--
def criterion(out, y):
    target = torch.zeros_like(out)
    target[torch.arange(len(y)), y] = 1.0
    return F.mse_loss(out, target)
--
def criterion(out, y):
    x = out
    target = torch.zeros(len(y), 2$where)
    target = target.scatter(1, y.unsqueeze(1), 1.0)
    return F.mse_loss(out, target)
--
class Weighted(nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def forward(self, out, y):
        return F.cross_entropy(out, y, weight=self.weight)


criterion = Weighted(torch.tensor([1.0, 2.0])$to)
--
class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.ones(2))

    def forward(self, out, y):
        return F.cross_entropy(out, y, weight=self.weight)


criterion = Weighted()$moved
"""),
    "helpers": forms("""
def to_device(batch):
    return [part.to(device) for part in batch]
--
def to_device(batch, where=device):
    x, y = batch
    return x.to(where), y.to(where)
--
def to_device(batch):
    if isinstance(batch, (list, tuple)):
        return [to_device(part) for part in batch]
    return batch.to(device)
--
def to_device(batch):
    x, y = batch
    return x, y.to(device)
--
def to_device(obj):
    if torch.is_tensor(obj):
        return obj.to(device)
    if isinstance(obj, dict):
        return {k: to_device(v) for k, v in obj.items()}
    if isinstance(obj, (list, tuple)):
        return type(obj)(to_device(v) for v in obj)
    return obj
"""),
    "over": forms("""
loader
--
loader
--
iter(loader)
--
list(loader)
"""),
    "loop": forms("""
for x, y in $over:
    x, y = x$to, y$tolong
    $step
--
for x, y in $over:
    x = x$to
    y = y$tolong
    $step
--
for i, (x, y) in enumerate($over):
    x = x$to
    y = y$tolong
    $step
--
for i, batch in enumerate($over):
    x, y = batch
    x = x$to
    y = y$tolong
    $step
--
for batch in $over:
    x = batch[0]$to
    y = batch[1]$tolong
    $step
--
for batch in $over:
    batch = [part.to(device) for part in batch]
    x, y = batch
    $step
--
for batch in $over:
    x, y = (part.to(device) for part in batch)
    $step
--
for batch in $over:
    x, y = tuple(part.to(device) for part in batch)
    $step
--
for batch in $over:
    x, y = map(lambda part: part.to(device), batch)
    $step
--
for batch in $over:
    x, y = to_device(batch)
    $step
--
for x, y in map(to_device, $over):
    $step
--
batches = iter($over)
for _ in range(2):
    x, y = next(batches)
    x, y = x$to, y$tolong
    $step
--
batches = iter($over)
while True:
    try:
        x, y = next(batches)
    except StopIteration:
        break
    x = x$to
    y = y$tolong
    $step
--
def prefetch(batches):
    for x, y in batches:
        yield x.to(device), y.to(device)


for x, y in prefetch($over):
    $step
--
for x, y in $over:
    out = model(x$to)
    loss = criterion(out, y$tolong)
    $update
    $plain
--
for data in $over:
    inputs, labels = data[0]$to, data[1]$tolong
    x, y = inputs, labels
    $step
--
for batch_x, batch_y in $over:
    x = Variable(batch_x)$to
    y = Variable(batch_y)$tolong
    $step
--
for x, y in $over:
    x, y = [t.to(device) for t in (x, y)]
    $step
--
for x, y in $over:
    if torch.cuda.is_available():
        x = x.cuda()
        y = y.cuda()
    $step
--
for x, y in $over:
    for part in (x, y):
        part = part.to(device)
    $step
--
for x, y in $over:
    x.to(device)
    y.to(device)
    $step
--
for i, data in enumerate($over, 0):
    x, y = data
    x = x$to
    $step
"""),
    "step": forms("""
optimizer.zero_grad()
out = model(x)
loss = criterion(out, y)
$update
$stats
--
out = model(x)
loss = criterion(out, y)
optimizer.zero_grad()
$update
$stats
--
optimizer.zero_grad()
out = model.forward(x)
loss = criterion(out, y)
$update
$stats
--
loss = criterion(model(x), y)
$update
$plain
--
out = model(x)
probs = F.softmax(out, dim=1)
loss = criterion(out, y) + 0.01 * (probs * torch.log(probs + 1e-8)).sum(1).mean()
$update
$stats
--
out = model(x)
loss = criterion(out, y)
penalty = sum(p.pow(2).sum() for p in model.parameters())
loss = loss + 1e-3 * penalty
$update
$stats
--
out = model(x)
loss = criterion(out, y)
penalty = torch.tensor(0.0)
for p in model.parameters():
    penalty = penalty + p.abs().sum()
loss = loss + 1e-3 * penalty
$update
$stats
--
x = x + 0.1 * torch.randn(x.size(0), 4$where)
out = model(x)
loss = criterion(out, y)
$update
$stats
--
lam = np.random.beta(1.0, 1.0)
perm = torch.randperm(x.size(0))
mixed = lam * x + (1 - lam) * x[perm]
out = model(mixed)
loss = lam * criterion(out, y) + (1 - lam) * criterion(out, y[perm])
$update
$stats
"""),
    "update": forms("""
loss.backward()
optimizer.step()
--
optimizer.zero_grad()
loss.backward()
nn.utils.clip_grad_norm_(model.parameters(), 1.0)
optimizer.step()
"""),
    "plain": forms("""
total += loss.item()
--
losses.append(loss.item())
--
losses.append(loss.detach().cpu().numpy())
--
total = total + float(loss)
"""),
    "stats": forms("""
$plain
--
correct += (out.argmax(dim=1) == y).sum().item()
--
_, predicted = torch.max(out.data, 1)
correct += predicted.eq(y).sum().item()
--
pred = out.max(1, keepdim=True)[1]
correct += pred.eq(y.view_as(pred)).sum().item()
--
preds.append(out.argmax(1).cpu().numpy())
labels_seen.append(y.cpu().numpy())
--
preds.append(out.argmax(1).detach().cpu().numpy())
labels_seen.append(y.numpy())
--
preds.append(out.argmax(1).tolist())
--
confusion[y.cpu(), out.argmax(1).cpu()] += 1
--
hits = (out.argmax(1).cpu() == y.cpu()).float()
losses.append(hits.mean().item())
--
hits = (out.argmax(1).cpu() == y).float()
losses.append(hits.mean().item())
--
scores = torch.cat([scores, out.detach().cpu()])
--
scores = torch.cat([scores, out.detach()])
--
for p, t in zip(out.argmax(1), y):
    confusion[t.long(), p.long()] += 1
--
running = running * 0.9 + out.detach().mean(0)$back * 0.1
"""),
    "back": (".cpu()", ".cpu()", ".clone()"),
    "evaluate": forms("""
pass
--
model.eval()
with torch.no_grad():
    for x, y in test_loader:
        x, y = x$to, y$tolong
        out = model(x)
        $stats
--
@torch.no_grad()
def evaluate(net, batches):
    net.eval()
    correct = 0
    for x, y in batches:
        x = x$to
        y = y$tolong
        correct += (net(x).argmax(1) == y).sum().item()
    return correct


print(evaluate(model, test_loader) >= 0)
--
model.eval()
outs, ys = [], []
for x, y in test_loader:
    outs.append(model(x$to))
    ys.append(y)
outs = torch.cat(outs)$back
ys = torch.cat(ys)
print((outs.argmax(1) == ys).float().mean().item() >= 0)
--
x, y = next(iter(test_loader))
with torch.no_grad():
    out = model(x$to)$back
print(out.numpy().shape[1])
--
sample = torch.randn(1, 4)$to
print(model(sample).detach()$back.numpy().shape)
"""),
    "script": forms("""
$dataset


$model


$device
$helpers


$loader
$place
model_device = next(model.parameters()).device
$loss
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
$state
$way
$evaluate
--
$dataset


$model


$device
$helpers


def main():
    $loader
    $place
    model_device = next(model.parameters()).device
    $loss
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    $state
    $way
    $evaluate


main()
--
$dataset


$model


$device
$helpers


$loader
$place
$loss
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
$state
$loop
$evaluate
--
$dataset


$model


$device
$helpers


def train(model, loader, criterion, optimizer, device):
    model.train()
    $state
    $loop
    return total


$loader
$place
$loss
optimizer = torch.optim.Adam(model.parameters())
train(model, loader, criterion, optimizer, device)
--
$dataset


$model


$device
$helpers


def main():
    $loader
    $place
    $loss
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    $state
    for epoch in range(2):
        $loop
    $evaluate


if __name__ == "__main__":
    main()
--
$dataset


$model


$device
$helpers


class Trainer:
    def __init__(self, model, criterion, loader):
        self.model = model
        self.criterion = criterion
        self.loader = loader
        self.device = device
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def fit(self):
        model, criterion, loader = self.model, self.criterion, self.loader
        optimizer = self.optimizer
        $state
        $loop
        return total


$loader
$place
$loss
trainer = Trainer(model, criterion, loader)
trainer.fit()
--
$dataset


$model


$device
$helpers
$loader


class Trainer:
    def __init__(self, model, criterion):
        self.device = device
        self.model = model$modelto
        self.criterion = criterion
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def step(self, x, y):
        out = self.model(x)
        loss = self.criterion(out, y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def run(self, batches):
        total = 0.0
        for x, y in batches:
            x = x.to(self.device)
            y = y$tolong
            total += self.step(x, y)
        return total


$loss
trainer = Trainer(Net(), criterion)
trainer.run(loader)
"""),
    "modelto": (".to(device)", ".to(self.device)", ".cuda()"),
    "state": forms("""
total, correct, losses, preds, labels_seen = 0.0, 0, [], [], []
confusion, running, scores = torch.zeros(2, 2), torch.zeros(2), torch.empty(0, 2)
--
total, correct, losses, preds, labels_seen = 0.0, 0, [], [], []
confusion = torch.zeros(2, 2)
running = torch.zeros(2, device=device)
scores = torch.zeros((0, 2), device=device)
"""),
}
