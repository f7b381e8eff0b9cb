"""Programs that learn sequences: text, mostly."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

SEQUENCES = {
    "sequences": forms("""
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
"""),
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
}
