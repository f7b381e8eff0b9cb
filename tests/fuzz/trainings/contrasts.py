"""Programs that learn by what is alike, from a teacher or from few samples."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

CONTRASTS = {
    "contrasts": forms("""
$device
class NTXent(nn.Module):
    def __init__(self, batch, temperature=0.5):
        super().__init__()
        self.batch = batch
        self.temperature = temperature
        self.criterion = nn.CrossEntropyLoss(reduction="sum")
        $maskkeep

    def make_mask(self, batch):
        mask = torch.ones((2 * batch, 2 * batch), dtype=torch.bool)
        mask = mask.fill_diagonal_(0)
        for i in range(batch):
            mask[i, batch + i] = 0
            mask[batch + i, i] = 0
        return mask

    def forward(self, a, b):
        x = torch.cat((a, b), dim=0)
        sim = F.cosine_similarity(x.unsqueeze(1), x.unsqueeze(0), dim=2) / self.temperature
        positive = torch.cat((torch.diag(sim, self.batch), torch.diag(sim, -self.batch)))
        positive = positive.reshape(2 * self.batch, 1)
        negative = sim[$maskread].reshape(2 * self.batch, -1)
        labels = torch.zeros(2 * self.batch$mask).long()
        logits = torch.cat((positive, negative), dim=1)
        return self.criterion(logits, labels)


encoder = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 3))
encoder = encoder$moved
criterion = NTXent(3)$moved
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(6, 4), torch.randn(6, 4)), batch_size=3)
for a, b in loader:
    a = a$to
    b = b$to
    loss = criterion(encoder(a), encoder(b))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
--
$device
class MoCo(nn.Module):
    def __init__(self, dim=4, size=6):
        super().__init__()
        self.encoder_q = nn.Linear(4, dim)
        self.encoder_k = nn.Linear(4, dim)
        $queue

    @torch.no_grad()
    def enqueue(self, keys):
        x = keys
        $enqueue

    def forward(self, a, b):
        x = a
        q = F.normalize(self.encoder_q(a), dim=1)
        with torch.no_grad():
            k = F.normalize(self.encoder_k(b), dim=1)
        pos = torch.einsum("nc,nc->n", [q, k]).unsqueeze(-1)
        neg = torch.einsum("nc,ck->nk", [q, self.queue.clone().detach()])
        logits = torch.cat([pos, neg], dim=1)
        labels = torch.zeros(logits.shape[0], dtype=torch.long$mask)
        self.enqueue(k)
        return logits, labels


model = MoCo()$moved
optimizer = torch.optim.SGD(model.parameters(), 0.1)
loader = DataLoader(TensorDataset(torch.randn(6, 4), torch.randn(6, 4)), batch_size=3)
for images in loader:
    images[0] = images[0]$to
    images[1] = images[1]$to
    output, target = model(images[0], images[1])
    loss = F.cross_entropy(output, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
--
$device
class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        return {"logits": self.fc(x), "features": x}


class EMA:
    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.shadow = {n: p.detach().clone()$shadow for n, p in model.named_parameters()}

    def update(self, model):
        for n, p in model.named_parameters():
            self.shadow[n] = self.decay * self.shadow[n] + (1 - self.decay) * p.detach()


class TextData(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return {"x": torch.randn(4), "label": torch.tensor(i % 3), "name": str(i)}


student = Student()$moved
teacher = Student()$moved
teacher.eval()
ema = EMA(student)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
loader = DataLoader(TextData(), batch_size=3)
for batch in loader:
    $dictmoves
    with torch.no_grad():
        soft = F.softmax(teacher(x)["logits"], dim=-1)
    logits = student(x)["logits"]
    loss = F.cross_entropy(logits, labels) + F.kl_div(F.log_softmax(logits, -1), soft)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ema.update(student)
--
$device
class ProtoNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, support, query, way):
        x = query
        z = self.encoder(torch.cat([support, query], 0))
        shots, queries = z[:len(support)], z[len(support):]
        prototypes = shots.view(way, -1, 4).mean(1)
        dist = torch.cdist(queries, prototypes)
        target = torch.arange(way$where).view(-1, 1)
        target = target.expand(way, len(query) // way).reshape(-1).long()
        logp = F.log_softmax(-dist, dim=1)
        loss = -logp.gather(1, target.view(-1, 1)).mean()
        accuracy = (logp.argmax(1) == target).float().mean()
        return loss, accuracy.item()


model = ProtoNet()
model$moved
optimizer = torch.optim.Adam(model.parameters())
for episode in range(2):
    support = Variable(torch.randn(4, 4))$to
    query = Variable(torch.randn(4, 4))$to
    loss, accuracy = model(support, query, 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
--
$device
class DiceLoss(nn.Module):
    def __init__(self, classes, weight=None):
        super().__init__()
        self.classes = classes
        self.weight = weight if weight is not None else torch.ones(classes)$diceweight

    def one_hot(self, labels):
        tensors = []
        for i in range(self.classes):
            tensors.append((labels == i).unsqueeze(1))
        return torch.cat(tensors, dim=1).float()

    def forward(self, inputs, target):
        x = inputs
        target = self.one_hot(target)
        inputs = torch.softmax(inputs, dim=1)
        loss = 0.0
        for i in range(self.classes):
            dice = 1 - 2 * (inputs[:, i] * target[:, i]).sum() / (inputs[:, i].sum() + 1.0)
            loss += dice * self.weight[i]
        class_map = torch.zeros(self.classes$where)
        return loss / self.classes + (class_map * self.weight.to(x.device)).sum()


net = nn.Conv2d(1, 2, 3, padding=1)
net = net$moved
dice = DiceLoss(2)$moved
ce = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
pictures = TensorDataset(torch.randn(4, 1, 4, 4), torch.ones(4, 4, 4).long())
loader = DataLoader(pictures, batch_size=2)
for i_batch, sampled in enumerate(loader):
    image_batch, label_batch = sampled[0], sampled[1]
    image_batch, label_batch = image_batch$to, label_batch$tolong
    outputs = net(image_batch)
    loss = 0.5 * ce(outputs, label_batch.long()) + 0.5 * dice(outputs, label_batch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""),
    "maskkeep": forms("""
self.mask = self.make_mask(batch)
--
self.mask = self.make_mask(batch)$moved
--
self.register_buffer("mask", self.make_mask(batch))
"""),
    "maskread": ("self.mask", "self.mask", "self.mask.to(x.device)"),
    "queue": forms("""
self.register_buffer("queue", F.normalize(torch.randn(dim, size), dim=0))
self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))
--
self.queue = F.normalize(torch.randn(dim, size), dim=0)
self.ptr = 0
--
self.queue = nn.Parameter(torch.randn(dim, size), requires_grad=False)
self.ptr = torch.zeros(1, dtype=torch.long)
--
self.queue = torch.randn(dim, size)$moved
self.ptr = 0
"""),
    "enqueue": forms("""
start = int(self.ptr)
self.queue[:, start:start + len(keys)] = keys.T
--
self.queue = torch.cat([self.queue[:, len(keys):], keys.t()], dim=1)
--
pass
"""),
    "shadow": ("", "", ".cpu()"),
    "dictmoves": forms("""
x, labels = batch["x"]$to, batch["label"]$tolong
--
batch = {k: v.to(device) for k, v in batch.items() if torch.is_tensor(v)}
x, labels = batch["x"], batch["label"]
--
batch = {k: v.to(device) if isinstance(v, torch.Tensor) else v for k, v in batch.items()}
x = batch["x"]
labels = batch["label"]
--
x = batch["x"]$to
labels = batch.pop("label")$tolong
--
for key in ("x", "label"):
    batch[key] = batch[key].to(device)
x, labels = batch["x"], batch["label"]
--
for key, value in batch.items():
    if isinstance(value, torch.Tensor):
        batch[key] = value.to(device)
x, labels = batch["x"], batch["label"]
--
for key, value in batch.items():
    if torch.is_tensor(value):
        value = value.to(device)
x, labels = batch["x"], batch["label"]
"""),
    "diceweight": ("", "", ".to(device)"),
}
