"""Programs in the form of projects: settings, builders, and classes that run all of it."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

PROJECTS = {
    "projects": forms("""
$dataset


$model


MODELS = {"net": Net, "linear": lambda **kwargs: nn.Linear(4, 2)}


def get_args():
    parser = argparse.ArgumentParser(description="train")
    parser.add_argument("--model", type=str, default="net", choices=list(MODELS))
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--gpu", type=int, default=0)
    parser.add_argument("--device", type=str, default="cuda")
    return parser.parse_args([])


def build_model(args):
    model = MODELS[args.model]($hiddenkw)
    $buildmove
    return model


def build_loaders(args):
    train = DataLoader(Points(6), batch_size=2)
    test = DataLoader(Points(4), batch_size=2)
    return $loaders


def train_one_epoch(model, loader, criterion, optimizer, device, args):
    model.train()
    meter = Meter()
    for i, (x, y) in enumerate(loader):
        x = x$to
        y = y$tolong
        out = model(x)
        loss = criterion(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.update(loss.item(), x.size(0))
    return meter.avg


@torch.no_grad()
def validate(model, loader, criterion, device):
    model.eval()
    outputs, targets = [], []
    for x, y in loader:
        x = x$to
        outputs.append(model(x)$collected)
        targets.append(y$collectedtoo)
    outputs = torch.cat(outputs)
    targets = torch.cat(targets)
    return (outputs.argmax(1) == targets).float().mean().item()


class Meter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.sum = self.count = 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)


def main(args):
    device = torch.device(args.device)
    model = build_model(args)
    loaders = build_loaders(args)
    train, test = $unloaded
    $crit
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    best = 0.0
    for epoch in range(args.epochs):
        train_one_epoch(model, train, criterion, optimizer, device, args)
        best = max(best, validate(model, test, criterion, device))
    return best


if __name__ == "__main__":
    main(get_args())
--
$dataset


$model


class Config(dict):
    def __getattr__(self, name):
        return self[name]


config = $settings


class Solver(object):
    def __init__(self, config):
        self.config = config
        self.device = $solverdevice
        self.build()

    def build(self):
        self.net = Net()
        self.head = nn.Linear(2, 2)
        self.optimizer = torch.optim.Adam(
            list(self.net.parameters()) + list(self.head.parameters()), lr=0.1
        )
        $solvermove
        $solverloss

    def to_var(self, x):
        $tovar

    def reset_grad(self):
        self.optimizer.zero_grad()

    def train(self, loader):
        history = []
        for step, (x, y) in enumerate(loader):
            x, y = self.to_var(x), self.to_var(y)
            out = self.head(self.net(x))
            loss = self.criterion(out, y)
            self.reset_grad()
            loss.backward()
            self.optimizer.step()
            history.append($lossitem)
        return history

    def test(self, loader):
        correct = $counter
        with torch.no_grad():
            for x, y in loader:
                x = self.to_var(x)
                out = self.head(self.net(x))
                correct += (out.argmax(1)$testside == y$tolongs).sum()
        return float(correct)


solver = Solver(config)
history = solver.train(DataLoader(Points(6), batch_size=2))
print(len(history), solver.test(DataLoader(Points(4), batch_size=2)) >= 0)
$history
"""),
    "hiddenkw": ("hidden=4", "hidden=4", "**{'hidden': 4}"),
    "buildmove": forms("""
model = model.to(args.device)
--
model.to(torch.device(args.device))
--
if torch.cuda.is_available():
    torch.cuda.set_device(args.gpu)
    model = model.cuda(args.gpu)
--
model = torch.nn.DataParallel(model).cuda()
"""),
    "loaders": ("train, test", "{'train': train, 'test': test}"),
    "unloaded": (
        "loaders if isinstance(loaders, tuple) else (loaders['train'], loaders['test'])",
        "loaders.values() if isinstance(loaders, dict) else loaders",
    ),
    "collected": ("", ".cpu()", ".detach()"),
    "collectedtoo": ("", ".to(device)", ".cuda()", ""),
    "crit": forms("""
criterion = nn.CrossEntropyLoss()
--
criterion = nn.CrossEntropyLoss().cuda(args.gpu)
--
weights = torch.FloatTensor([1.0, 2.0])
criterion = nn.CrossEntropyLoss(weight=weights$crito)
"""),
    "crito": (".to(device)", ".cuda()", ""),
    "settings": (
        "Config(device='cuda', lr=0.1)",
        "SimpleNamespace(**{'device': 'cuda', 'lr': 0.1})",
        "argparse.Namespace(device='cuda', lr=0.1)",
    ),
    "solverdevice": (
        "torch.device(config.device)",
        "torch.device('cuda' if torch.cuda.is_available() else 'cpu')",
        "config.device",
    ),
    "solvermove": forms("""
self.net.to(self.device)
self.head.to(self.device)
--
self.net, self.head = self.net.to(self.device), self.head.to(self.device)
--
if torch.cuda.is_available():
    self.net.cuda()
    self.head.cuda()
--
for part in (self.net, self.head):
    part.to(self.device)
--
self.net = self.net.to(self.device)
"""),
    "solverloss": forms("""
self.criterion = nn.CrossEntropyLoss()
--
self.criterion = nn.CrossEntropyLoss(weight=torch.ones(2))
--
self.criterion = nn.CrossEntropyLoss(weight=torch.ones(2)).to(self.device)
--
self.criterion = F.cross_entropy
"""),
    "tovar": forms("""
return x.to(self.device)
--
if torch.cuda.is_available():
    x = x.cuda()
return Variable(x)
--
return Variable(x, requires_grad=False)
--
x.to(self.device)
return x
"""),
    "lossitem": (
        "loss.item()",
        "loss.detach()",
        "loss.data.cpu().numpy()",
        "loss.detach().numpy()",
    ),
    "counter": ("0", "0", "torch.zeros(1)", "torch.tensor(0.0)"),
    "testside": ("", ".cpu()", ""),
    "tolongs": ("", ".to(self.device)", ".cuda()"),
    "history": forms("""
pass
--
print(float(sum(history)) >= 0)
--
print(len(np.array([float(v) for v in history])))
"""),
}
