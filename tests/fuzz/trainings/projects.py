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
--
$dataset


$model


def load_checkpoint(path, model, optimizer=None, device=None):
    path.seek(0)
    state = torch.load(path$maplocation)
    model.load_state_dict(state["model"])
    if optimizer is not None:
        optimizer.load_state_dict(state["optimizer"])
    return state["epoch"], state["running"]


def save_checkpoint(path, **states):
    path.seek(0)
    torch.save(states, path)


class EarlyStopping:
    def __init__(self, patience=2):
        self.patience = patience
        self.best = None

    def __call__(self, value):
        if self.best is None or value < self.best:
            self.best = value
            return False
        self.patience -= 1
        return self.patience < 0


def run(cfg):
    device = torch.device(cfg["device"])
    model = Net()$there
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.get("lr", 0.1))
    criteria = {"ce": nn.CrossEntropyLoss(), "mse": nn.MSELoss()}
    running = torch.zeros(2$dev)
    path = io.BytesIO()
    stopping = EarlyStopping()
    phases = {
        "train": DataLoader(Points(6), batch_size=2),
        "val": DataLoader(Points(4), batch_size=2),
    }
    for epoch in range(cfg["epochs"]):
        for phase in ["train", "val"]:
            model.train(phase == "train")
            epoch_loss, corrects = 0.0, 0
            for inputs, labels in phases[phase]:
                inputs = inputs$to
                labels = labels$tolong
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    _, preds = torch.max(outputs, 1)
                    loss = criteria["ce"](outputs, labels)
                    hot = torch.eye(2)[labels.cpu()]
                    loss = loss + criteria["mse"](torch.softmax(outputs, 1), hot$hotto)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                epoch_loss += loss.item() * inputs.size(0)
                corrects += torch.sum(preds == labels.data)
                running = 0.9 * running + 0.1 * outputs.detach().mean(0)$runningside
            if phase == "val" and stopping(epoch_loss):
                break
        save_checkpoint(
            path, model=model.state_dict(), optimizer=optimizer.state_dict(),
            epoch=epoch, running=running,
        )
        epoch, running = load_checkpoint(path, model, optimizer, device)
    return running


run({"device": "cuda", "epochs": 2})
--
$dataset


$model


class Experiment:
    registry = {}

    @classmethod
    def register(cls, name):
        def wrap(function):
            cls.registry[name] = function
            return function
        return wrap

    def __init__(self, name, device="cuda", **kwargs):
        self.device = torch.device(device if torch.cuda.is_available() else "cpu")
        self.kwargs = kwargs
        self.model = self.registry[name](**kwargs)$selfmove
        self.criterion = self.make_criterion()
        self.optimizer = self.make_optimizer()
        self.history = defaultdict(list)

    def make_criterion(self):
        $makecriterion

    def make_optimizer(self):
        return torch.optim.SGD(self.model.parameters(), lr=self.kwargs.get("lr", 0.1))

    def prepare(self, batch):
        $prepare

    def step(self, batch, training=True):
        x, y = self.prepare(batch)
        with torch.set_grad_enabled(training):
            logits = self.model(x)
            loss = self.criterion(logits, y)
        if training:
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return {"loss": loss.detach(), "logits": logits.detach(), "y": y}

    def fit(self, loader):
        for batch in loader:
            for name, value in self.step(batch).items():
                self.history[name].append(value$historyside)
        return self

    def report(self):
        logits = torch.cat(self.history["logits"])
        $report
        return logits


@Experiment.register("net")
def make(lr=0.1):
    return Net()


Experiment("net", lr=0.05).fit(DataLoader(Points(6), batch_size=2)).report()
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
    "lossitem": ("loss.item()", "loss.detach()", "loss.data.cpu().numpy()", "loss.detach().numpy()"),
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
    "maplocation": ("", ", map_location=device", ", map_location='cpu'"),
    "hotto": ("", ".to(device)", ".to(outputs.device)", ".cuda()"),
    "runningside": ("", "", ".to(running.device)", ".cpu()"),
    "selfmove": (".to(self.device)", ".to(self.device)", ".cuda()"),
    "makecriterion": forms("""
return nn.CrossEntropyLoss()
--
return nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))
--
return nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0], device=self.device))
--
weight = torch.tensor([1.0, 2.0])
return lambda out, y: F.cross_entropy(out, y, weight=weight.to(out.device))
"""),
    "prepare": forms("""
x, y = batch
return x.to(self.device), y.to(self.device)
--
return [part.to(self.device) for part in batch]
--
return tuple(part.to(self.device) if torch.is_tensor(part) else part for part in batch)
--
x, y = batch
x = x.to(self.device)
return x, y
--
return batch
"""),
    "historyside": ("", "", ".cpu()"),
    "report": forms("""
print(logits.argmax(1).tolist())
--
print(logits.numpy().shape)
--
print(logits.cpu().numpy().shape)
--
labels = torch.cat(self.history["y"])
print((logits.argmax(1) == labels).float().mean().item() >= 0)
"""),
}
