"""Programs that run experiments: by settings, with checkpoints and a registry of models."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

EXPERIMENTS = {
    "experiments": forms("""
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
