"""Whole programs: a model, a loss, and where the loop stands."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

SCRIPTS = {
    "script": forms("""
$definitions


$loader
$place
model_device = next(model.parameters()).device
$loss
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
$state
$way
$evaluate
--
$definitions


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
$definitions


$loader
$place
$loss
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
$state
$loop
$evaluate
--
$definitions


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
$definitions


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
$definitions


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
$definitions
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
    "definitions": forms("""
$dataset


$model


$device
$helpers
"""),
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
    "modelto": (".to(device)", ".to(self.device)", ".cuda()"),
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
}
