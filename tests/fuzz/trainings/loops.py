"""Loops over a loader, the common ways."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

LOOPS = {
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
}
