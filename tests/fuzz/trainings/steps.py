"""What a loop does with each batch, and with what comes of them all."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

STEPS = {
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
    "state": forms("""
total, correct, losses, preds, labels_seen = 0.0, 0, [], [], []
confusion, running, scores = torch.zeros(2, 2), torch.zeros(2), torch.empty(0, 2)
--
total, correct, losses, preds, labels_seen = 0.0, 0, [], [], []
confusion = torch.zeros(2, 2)
running = torch.zeros(2, device=device)
scores = torch.zeros((0, 2), device=device)
"""),
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
}
