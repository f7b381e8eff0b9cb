"""Whole programs of particular kinds: what is made on the way differs from one to the next."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

DOMAINS = {
    "dev": forms("""
, device=device
--
, device=device
--
, device=device
--
, device=device
--
).to(device
--
).to(device
--
).cuda(
--
$here
"""),
    "moved": (".to(device)", ".to(device)", ".to(device)", ".cuda()", ".to(device)", ""),
    "domain": forms("""
$device
class Generator(nn.Module):
    def __init__(self, latent=3):
        super().__init__()
        self.latent = latent
        self.net = nn.Sequential(nn.Linear(latent, 4), nn.Tanh())

    def forward(self, z):
        return self.net(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1))

    def forward(self, x):
        return torch.sigmoid(self.net(x))


def penalty(critic, real, fake):
    x = real
    alpha = torch.rand(real.size(0), 1$where)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    score = critic(mixed)
    grads = torch.autograd.grad(
        outputs=score, inputs=mixed,
        grad_outputs=torch.ones(score.size()$where), create_graph=True,
    )[0]
    return ((grads.norm(2, dim=1) - 1) ** 2).mean()


generator = Generator()$moved
discriminator = Discriminator()$moved
adversarial = nn.BCELoss()$moved
opt_g = torch.optim.Adam(generator.parameters(), lr=2e-4)
opt_d = torch.optim.Adam(discriminator.parameters(), lr=2e-4)
fixed_noise = torch.randn(2, 3$dev)
loader = DataLoader(TensorDataset(torch.randn(6, 4)), batch_size=3)
for epoch in range(2):
    for i, data in enumerate(loader):
        real = data[0]$to
        valid = torch.ones(real.size(0), 1$dev)
        fake = torch.zeros(real.size(0), 1$dev)
        z = torch.randn(real.size(0), generator.latent$dev)
        gen = generator(z)
        opt_g.zero_grad()
        g_loss = adversarial(discriminator(gen), valid)
        g_loss.backward()
        opt_g.step()
        opt_d.zero_grad()
        real_loss = adversarial(discriminator(real), valid)
        fake_loss = adversarial(discriminator(gen.detach()), fake)
        d_loss = (real_loss + fake_loss) / 2 + 0.1 * penalty(discriminator, real, gen.detach())
        d_loss.backward()
        opt_d.step()
    with torch.no_grad():
        pictures = generator(fixed_noise).detach()$back
    print(pictures.numpy().shape)
--
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
class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(4, 4)
        self.mu = nn.Linear(4, 2)
        self.logvar = nn.Linear(4, 2)
        self.dec = nn.Linear(2, 4)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        x = std
        eps = $eps
        return mu + eps * std

    def sample(self, n):
        z = torch.randn(n, 2$modelwhere)
        return self.dec(z)

    def forward(self, x):
        h = torch.relu(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        return self.dec(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon, x, mu, logvar):
    bce = F.mse_loss(recon, x.view(-1, 4), reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld


model = VAE()$moved
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(torch.randn(6, 4), torch.zeros(6)), batch_size=3)
for epoch in range(2):
    for batch_idx, (data, _) in enumerate(loader):
        data = data$to
        optimizer.zero_grad()
        recon, mu, logvar = model(data)
        loss = loss_function(recon, data, mu, logvar)
        loss.backward()
        optimizer.step()
print(model.sample(2).detach()$back.numpy().shape)
--
$device
class Diffusion(nn.Module):
    def __init__(self, steps=5):
        super().__init__()
        self.steps = steps
        betas = torch.linspace(1e-4, 0.02, steps)
        alphas = torch.cumprod(1.0 - betas, dim=0)
        $modschedule

    def q_sample(self, x, t, noise):
        a = $extract
        a = a.view(-1, 1)
        return a.sqrt() * x + (1 - a).sqrt() * noise


model = nn.Sequential(nn.Linear(4, 4), nn.SiLU(), nn.Linear(4, 4))$moved
diffusion = Diffusion()$moved
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(torch.randn(6, 4)), batch_size=3)
for (x,) in loader:
    x = x$to
    t = torch.randint(0, diffusion.steps, (x.size(0),)$dev)
    noise = torch.randn_like(x)
    noisy = diffusion.q_sample(x, t, noise)
    loss = F.mse_loss(model(noisy), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
--
$device
class Diffusion:
    def __init__(self, steps=5):
        self.steps = steps
        betas = torch.linspace(1e-4, 0.02, steps)
        alphas = torch.cumprod(1.0 - betas, dim=0)
        $schedule

    def q_sample(self, x, t, noise):
        a = $extract
        a = a.view(-1, 1)
        return a.sqrt() * x + (1 - a).sqrt() * noise


model = nn.Sequential(nn.Linear(4, 4), nn.SiLU(), nn.Linear(4, 4))$moved
diffusion = Diffusion()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(torch.randn(6, 4)), batch_size=3)
for (x,) in loader:
    x = x$to
    t = torch.randint(0, diffusion.steps, (x.size(0),)$dev)
    noise = torch.randn_like(x)
    noisy = diffusion.q_sample(x, t, noise)
    loss = F.mse_loss(model(noisy), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
--
$device
class Attention(nn.Module):
    def __init__(self, dim, block):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        $causalkeep

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        att = q @ k.transpose(-2, -1)
        $causal
        att = att.masked_fill(mask == 0, float("-inf"))
        return F.softmax(att, dim=-1) @ v


class GPT(nn.Module):
    def __init__(self, vocab=5, dim=4, block=6):
        super().__init__()
        self.block = block
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(block, dim)
        self.layers = $list([Attention(dim, block) for _ in range(2)])
        self.head = nn.Linear(dim, vocab)

    def forward(self, idx, targets=None):
        b, t = idx.shape
        x = idx
        $positions
        x = self.tok(idx) + self.pos(positions)
        for layer in self.layers:
            x = x + layer(x)
        logits = self.head(x)
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        return logits, loss

    @torch.no_grad()
    def generate(self, idx, count):
        for _ in range(count):
            logits, _ = self(idx[:, -self.block:])
            probs = F.softmax(logits[:, -1, :], dim=-1)
            following = torch.multinomial(probs, num_samples=1)
            idx = torch.cat((idx, following), dim=1)
        return idx


text = torch.randint(0, 5, (40,))


def get_batch():
    ix = torch.randint(len(text) - 6, (3,))
    x = torch.stack([text[i:i + 6] for i in ix])
    y = torch.stack([text[i + 1:i + 7] for i in ix])
    $batchmoves
    return x, y


model = GPT()
model = model$moved
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(2):
    xb, yb = get_batch()
    logits, loss = model(xb, yb)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
context = torch.zeros((1, 1), dtype=torch.long$dev)
print(model.generate(context, count=3)[0].tolist())
--
$device
class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return F.softmax(self.head(F.relu(self.body(x))), dim=-1)


class Env:
    def reset(self):
        self.t = 0
        return np.random.rand(4).astype(np.float32)

    def step(self, action):
        self.t += 1
        return np.random.rand(4).astype(np.float32), 1.0, self.t == 4


policy = Policy()$moved
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
env = Env()


def select_action(state):
    state = $state_tensor
    probs = policy(state)
    m = torch.distributions.Categorical(probs)
    action = m.sample()
    return action.item(), m.log_prob(action)


for episode in range(2):
    state, done = env.reset(), False
    log_probs, rewards = [], []
    while not done:
        action, log_prob = select_action(state)
        state, reward, done = env.step(action)
        log_probs.append(log_prob)
        rewards.append(reward)
    returns, g = [], 0.0
    for r in rewards[::-1]:
        g = r + 0.99 * g
        returns.insert(0, g)
    returns = torch.tensor(returns$dev)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    $policyloss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
--
$device
class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))

    def forward(self, x):
        return self.net(x)


class ReplayBuffer:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *transition):
        self.memory.append(transition)

    def sample(self, size):
        batch = random.sample(self.memory, size)
        states, actions, rewards, following, done = zip(*batch)
        $replay
        return states, actions, rewards, following, done


class Agent:
    def __init__(self):
        self.device = device
        self.q = QNet()$agentmoved
        self.target = QNet()$agentmoved
        self.target.load_state_dict(self.q.state_dict())
        self.buffer = ReplayBuffer(100)
        self.optimizer = torch.optim.Adam(self.q.parameters())

    def act(self, state):
        with torch.no_grad():
            state = $state_tensor
            return self.q(state).argmax(dim=1).item()

    def learn(self):
        states, actions, rewards, following, done = self.buffer.sample(4)
        q = self.q(states).gather(1, actions)
        best = self.target(following).max(1)[0].detach().unsqueeze(1)
        expected = rewards + 0.99 * best * (1 - done)
        loss = F.mse_loss(q, expected)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


agent = Agent()
state = np.zeros(4, dtype=np.float32)
for t in range(8):
    action = agent.act(state)
    following = np.random.rand(4).astype(np.float32)
    agent.buffer.push(state, action, 1.0, following, float(t == 7))
    state = following
agent.learn()
--
$device
class RNNModel(nn.Module):
    def __init__(self, vocab=5, hidden=4, layers=1):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.embed = nn.Embedding(vocab, hidden)
        self.rnn = nn.LSTM(hidden, hidden, layers, batch_first=True)
        self.fc = nn.Linear(hidden, vocab)

    def init_hidden(self, batch):
        $inithidden

    def forward(self, x, hidden):
        out, hidden = self.rnn(self.embed(x), hidden)
        return self.fc(out), hidden


def repackage(hidden):
    return tuple(h.detach() for h in hidden)


model = RNNModel()$moved
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randint(0, 5, (6, 3)), torch.randint(0, 5, (6, 3))), 3)
hidden = model.init_hidden(3)
$hiddenmove
for x, y in loader:
    x, y = x$tolong, y$tolong
    hidden = repackage(hidden)
    out, hidden = model(x, hidden)
    loss = criterion(out.reshape(-1, 5), y.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
--
$device
class Encoder(nn.Module):
    def __init__(self, vocab=5, hidden=4):
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden)
        self.gru = nn.GRU(hidden, hidden)

    def forward(self, src):
        return self.gru(self.embed(src))[1]


class Decoder(nn.Module):
    def __init__(self, vocab=5, hidden=4):
        super().__init__()
        self.vocab = vocab
        self.embed = nn.Embedding(vocab, hidden)
        self.gru = nn.GRU(hidden, hidden)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, token, hidden):
        out, hidden = self.gru(self.embed(token.unsqueeze(0)), hidden)
        return self.out(out.squeeze(0)), hidden


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder$deviceparam):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.device = device

    def forward(self, src, trg, ratio=0.5):
        x = src
        length, batch = trg.shape
        outputs = torch.zeros(length, batch, self.decoder.vocab$seqwhere)
        hidden = self.encoder(src)
        token = trg[0, :]
        for t in range(1, length):
            out, hidden = self.decoder(token, hidden)
            outputs[t] = out
            token = trg[t] if random.random() < ratio else out.argmax(1)
        return outputs


model = Seq2Seq(Encoder(), Decoder()$devicearg)$moved
criterion = nn.CrossEntropyLoss(ignore_index=0)
optimizer = torch.optim.Adam(model.parameters())
for _ in range(2):
    src = torch.randint(0, 5, (4, 2))$tolong
    trg = torch.randint(0, 5, (4, 2))$tolong
    output = model(src, trg)
    loss = criterion(output[1:].view(-1, 5), trg[1:].view(-1))
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
}
PARTS = {
    "maskkeep": forms("""
self.mask = self.make_mask(batch)
--
self.mask = self.make_mask(batch)$moved
--
self.register_buffer("mask", self.make_mask(batch))
"""),
    "maskread": ("self.mask", "self.mask", "self.mask.to(x.device)"),
    "eps": (
        "torch.randn_like(std)",
        "torch.randn(std.size()$where)",
        "std.new(std.size()).normal_()",
        "Variable(torch.randn(std.size())$moved)",
        "torch.normal(torch.zeros_like(std), torch.ones_like(std))",
    ),
    "modelwhere": (
        ", device=next(self.parameters()).device",
        ", device=self.dec.weight.device",
        ").to(self.dec.weight.device",
        ").to(next(self.parameters()).device",
        "$here",
        ", device=device",
    ),
    "schedule": forms("""
self.alphas = alphas
--
self.alphas = alphas$moved
"""),
    "modschedule": forms("""
self.register_buffer("alphas", alphas)
--
self.register_buffer("alphas", alphas)
--
self.alphas = alphas
--
self.alphas = nn.Parameter(alphas, requires_grad=False)
"""),
    "extract": (
        "self.alphas[t]",
        "self.alphas[t]",
        "self.alphas.to(x.device)[t]",
        "self.alphas.gather(-1, t)",
        "self.alphas.gather(-1, t.cpu()).to(t.device)",
        "self.alphas[t.cpu()].to(x.device)",
    ),
    "causalkeep": forms("""
self.register_buffer("mask", torch.tril(torch.ones(block, block)))
--
self.mask = torch.tril(torch.ones(block, block))
--
self.block = block
"""),
    "causal": forms("""
mask = torch.tril(torch.ones(t, t$where))
--
mask = torch.ones(t, t$where).tril()
--
mask = self.mask[:t, :t]
--
mask = 1 - torch.triu(torch.ones((t, t)$where), diagonal=1)
"""),
    "positions": forms("""
positions = torch.arange(t$mask)
--
positions = torch.arange(0, t, dtype=torch.long$mask).unsqueeze(0)
--
positions = torch.arange(t).expand(b, t)$posmove
"""),
    "posmove": (".to(idx.device)", ".to(idx.device)", ".type_as(idx)", ".long()"),
    "batchmoves": forms("""
x, y = x$tolong, y$tolong
--
x = x$tolong
y = y$tolong
--
x, y = x.to(device), y.to(device)
--
if device == "cuda":
    x, y = x.pin_memory().to(device), y.pin_memory().to(device)
else:
    x, y = x.to(device), y.to(device)
"""),
    "state_tensor": (
        "torch.from_numpy(state).float().unsqueeze(0)$moved",
        "torch.FloatTensor(state).unsqueeze(0)$moved",
        "torch.tensor(state, dtype=torch.float32$dev).unsqueeze(0)",
        "torch.as_tensor(state$dev).view(1, -1)",
    ),
    "policyloss": forms("""
loss = 0
for log_prob, g in zip(log_probs, returns):
    loss = loss - log_prob * g
loss = loss.sum()
--
loss = torch.cat([(-log_prob * g).reshape(1) for log_prob, g in zip(log_probs, returns)]).sum()
--
loss = (-torch.cat(log_probs) * returns).sum()
--
losses = []
for log_prob, g in zip(log_probs, returns):
    losses.append(-log_prob * g)
loss = torch.stack(losses).sum()
"""),
    "replay": forms("""
states = torch.from_numpy(np.stack(states))$moved
actions = torch.tensor(actions$dev).long().view(-1, 1)
rewards = torch.tensor(rewards$dev).view(-1, 1)
following = torch.from_numpy(np.stack(following)).float()$moved
done = torch.tensor(done, dtype=torch.float32$dev).view(-1, 1)
--
states = torch.FloatTensor(np.array(states))$moved
actions = torch.LongTensor(actions).unsqueeze(1)$moved
rewards = torch.FloatTensor(rewards).unsqueeze(1)$moved
following = torch.FloatTensor(np.array(following))$moved
done = torch.FloatTensor(done).unsqueeze(1)$moved
--
states, following = (torch.tensor(np.array(s), dtype=torch.float$dev) for s in (states, following))
actions = torch.tensor(actions, dtype=torch.long$dev).reshape(-1, 1)
rewards, done = [torch.tensor(s, dtype=torch.float$dev).reshape(-1, 1) for s in (rewards, done)]
"""),
    "agentmoved": (".to(device)", ".to(self.device)", ".to(self.device)", ".cuda()", ""),
    "inithidden": forms("""
return (torch.zeros(self.layers, batch, self.hidden$dev),
        torch.zeros(self.layers, batch, self.hidden$dev))
--
weight = next(self.parameters())
return (weight.new_zeros(self.layers, batch, self.hidden),
        weight.new_zeros(self.layers, batch, self.hidden))
--
weight = next(self.parameters()).data
return (weight.new(self.layers, batch, self.hidden).zero_()$moved,
        weight.new(self.layers, batch, self.hidden).zero_()$moved)
--
return (Variable(torch.zeros(self.layers, batch, self.hidden))$moved,
        Variable(torch.zeros(self.layers, batch, self.hidden))$moved)
--
h = torch.zeros(self.layers, batch, self.hidden$modelparams)
return h, torch.zeros_like(h)
"""),
    "modelparams": (
        ", device=next(self.parameters()).device",
        ").to(self.fc.weight.device",
        "$here",
    ),
    "hiddenmove": forms("""
pass
--
pass
--
hidden = tuple(h.to(device) for h in hidden)
--
hidden = (hidden[0].to(device), hidden[1].to(device))
--
for h in hidden:
    h.to(device)
"""),
    "deviceparam": (", device", ", device=device"),
    "devicearg": (", device",),
    "seqwhere": (
        ").to(self.device",
        ").to(self.device",
        ", device=src.device",
        ").to(src.device",
        "$here",
    ),
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
