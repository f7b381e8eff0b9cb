"""Programs that learn to make pictures, or noise out of them."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

GENERATIVE = {
    "generative": forms("""
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

    $noising


model = nn.Sequential(nn.Linear(4, 4), nn.SiLU(), nn.Linear(4, 4))$moved
diffusion = Diffusion()$moved
$denoising
--
$device
class Diffusion:
    def __init__(self, steps=5):
        self.steps = steps
        betas = torch.linspace(1e-4, 0.02, steps)
        alphas = torch.cumprod(1.0 - betas, dim=0)
        $schedule

    $noising


model = nn.Sequential(nn.Linear(4, 4), nn.SiLU(), nn.Linear(4, 4))$moved
diffusion = Diffusion()
$denoising
"""),
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
    "noising": forms("""
def q_sample(self, x, t, noise):
    a = $extract
    a = a.view(-1, 1)
    return a.sqrt() * x + (1 - a).sqrt() * noise
"""),
    "denoising": forms("""
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
"""),
}
