"""Programs about what is likely: priors and posteriors, flows, policies, intervals."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

LIKELY = {
    "likely": forms("""
import torch.distributions as D
from torch.distributions import Independent, Normal, kl_divergence

$device


class VAE(nn.Module):
    def __init__(self, latent=2):
        super().__init__()
        self.encoder = nn.Linear(4, 2 * latent)
        self.decoder = nn.Linear(latent, 4)
        self.latent = latent
        $priorkept

    def forward(self, x):
        mean, width = self.encoder(x).chunk(2, dim=-1)
        posterior = Normal(mean, F.softplus(width) + 1e-3)
        z = posterior.rsample()
        $priorread
        return self.decoder(z), distance.sum(-1)


model = VAE()$moved
optimizer = torch.optim.Adam(model.parameters())
loader = DataLoader(TensorDataset(torch.randn(6, 4)), batch_size=3)
for epoch in range(2):
    for (x,) in loader:
        x = x$to
        rebuilt, distance = model(x)
        loss = F.mse_loss(rebuilt, x) + distance.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(rebuilt.max(dim=1).values.detach()$tohost.shape)
--
from torch.distributions import Categorical, MultivariateNormal

$device


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 4))
        self.flip = flip

    def forward(self, pair):
        x, logdet = pair
        a, b = x.chunk(2, dim=1)
        if self.flip:
            a, b = b, a
        scale, shift = self.net(a).chunk(2, dim=1)
        b = b * torch.exp(torch.tanh(scale)) + shift
        logdet = logdet + torch.tanh(scale).sum(1)
        return torch.cat([b, a] if self.flip else [a, b], dim=1), logdet


class Flow(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(Coupling(False), Coupling(True))

    def forward(self, x):
        return self.layers((x, torch.zeros(x.size(0)$where)))


flow = Flow()$moved
base = MultivariateNormal(torch.zeros(4$dev), torch.eye(4$dev))
optimizer = torch.optim.Adam(flow.parameters())
for (x,) in DataLoader(TensorDataset(torch.randn(6, 4)), batch_size=3):
    x = x$to
    z, logdet = flow(x)
    loss = -(base.log_prob(z) + logdet).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(base.sample((3,)).shape, base.mean$tohost.shape)
--
from torch.distributions import Categorical, Normal

$device


class Quantiles(nn.Module):
    def __init__(self, levels=(0.1, 0.5, 0.9)):
        super().__init__()
        self.net = nn.Linear(4, len(levels))
        self.levels = torch.tensor(levels)$levelsmoved

    def forward(self, x):
        return self.net(x)

    def loss(self, predicted, wanted):
        error = wanted.unsqueeze(1) - predicted
        return torch.max(self.levels * error, (self.levels - 1) * error).mean()


def coverage(predicted, wanted):
    x = predicted
    low, middle, high = predicted.unbind(dim=1)
    inside = (low <= wanted) & (wanted <= high)
    weights = torch.ones(wanted.size(0)$where)
    spread = torch.quantile(predicted, torch.tensor([0.25, 0.75]$where), dim=0)
    return (inside.float() * weights).mean(), torch.einsum("ij,ij->i", spread, spread)


model = Quantiles()$moved
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x, y in DataLoader(TensorDataset(torch.randn(6, 4), torch.randn(6)), batch_size=3):
    x, y = x$to, y$to
    predicted = model(x)
    loss = model.loss(predicted, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    share, spread = coverage(predicted.detach(), y)
print(share.item(), spread$tohost.numpy().shape)
"""),
    "priorkept": forms("""
self.prior = Normal(torch.zeros(latent$dev), torch.ones(latent$dev))
--
self.prior = None
--
self.register_buffer("loc", torch.zeros(latent))
self.register_buffer("scale", torch.ones(latent))
self.prior = None
--
self.prior = Normal(0.0, 1.0)
--
self.prior = Normal(torch.zeros(latent), torch.ones(latent))
"""),
    "priorread": forms("""
prior = Normal(torch.zeros(self.latent$where), torch.ones(self.latent$where))
distance = kl_divergence(posterior, self.prior or prior)
--
distance = D.kl_divergence(posterior, self.prior or Normal(torch.zeros_like(mean), 1.0))
--
prior = self.prior if self.prior is not None else Normal(torch.zeros(self.latent$where), 1.0)
distance = posterior.log_prob(z) - prior.log_prob(z)
--
prior = Normal(torch.zeros(self.latent$where), torch.ones(self.latent$where))
distance = kl_divergence(posterior, prior)
"""),
    "levelsmoved": forms("""

--
.to(device)
--
.clone()
"""),
    "tohost": forms("""
.cpu()
--
.cpu()
--
.clone()
"""),
}
"""Forms of such programs, and of what stands in their holes."""
