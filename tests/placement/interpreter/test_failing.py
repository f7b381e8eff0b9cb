"""What raises on every machine ends its path, and no other one."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

MEETING = "nn.Linear(4, 2).cuda()(torch.zeros(3, 4))"
FOUND = [f"TDL005 {MEETING}"]


@pytest.mark.parametrize(
    "statement",
    [
        "torch.istft(w)",
        "wave = torch.istft(w, hop_length=4).squeeze()",
        "wave, length = torch.istft(w), 4",
        "wave: object = torch.istft(input=w)",
        "wave = torch.istft(w) if input() else None; torch.stack(torch.istft(w), [])",
        "waves = torch.istft(w) and [1]",
        "for w in sys.argv: torch.istft(w)",
        "with torch.no_grad(): torch.istft(w)",
        "nn.Linear(4)",
        "nn.LSTM(4, 4)(w, torch.zeros(1, 2, 4))",
        "nn.LSTM(4, 4)(w, hx=torch.zeros(1, 2, 4))",
        "torch.tensor([1], [2])",
        "print(torch.as_tensor(w, w))",
        "import torchvision; torchvision.transforms.ToTensor()(torch.zeros(3, 4, 4))",
        "kept(w, w)",
        "kept()",
        "kept(w, second=w)",
        "print(theirs)",
        "print(nobodys)",
        "if nobodys is not None: print(w)",
        "if nobodys: pass\n    else: w = 1",
        "nn.Linear(theirs, 2)(w)",
        "torch.sqrt(2)",
        "torch.sqrt(input=len(w))",
        "root = nn.functional.relu(torch.ones(2).size(0) - 1.5)",
        "torch.ones(2).masked_fill(not w, 0)",
        "torch.ones(2).mm(3)",
        "(w, 3).backward()",
        "size = input.shape",
        "if not input.is_leaf: pass",
        "for w in sys.argv: [torch.ones(2), 3].item()",
        "torch.cat([torch.ones(2), 3])",
        "torch.stack(tensors=(w, np.ones(2)))",
        "told(w)[0]",
        "told(w).shape",
        "first, second = told(w)",
        "w = torch.ones(2) + told(w)",
        "nothing = told(w)\n    w = nothing * 2",
        "nothing = None\n    nothing.train()",
        "first, second = w, w, w",
        "(first, second), third = (w, w, w), w",
        "first, second = 3",
        "second = later + 1\n    later = 2",
        "count = 3\n    count(w)",
        "weights = torch.ones(2)\n    weights(w)",
        "Pair(w)",
        "pair = Pair(w, w, third=w)",
        "pair = Pair(w, w)\n    pair.kept(w)",
        "nn.Linear(4, 4)(w, w)",
        "nn.Sequential(nn.ReLU())(w, *sys.argv, w)",
        "import torchvision; torchvision.models.resnet18()(w, w)",
        "half = np.ones(4)[len(w) / 2:]",
        "half = len(w) / 2 + 1\n    torch.ones(4)[:, :-half]",
        "halves = np.ones(4)\n    halves[:len(w) / 2] = 0",
        "half = [w, w][2 / 2]",
        "for i in range(len(w) / 2): pass",
    ],
)
def test_nothing_is_said_behind_it(statement: str) -> None:
    assert findings(program(statement)) == []


@pytest.mark.parametrize(
    "statement",
    [
        "torch.istft(w, 512)",
        "torch.istft(w, n_fft=512)",
        "torch.istft(*sys.argv)",
        "torch.istft(w, **vars(sys))",
        "torch.sum(w)",
        "torch.sqrt(torch.tensor(2))",
        "torch.sqrt(2 if input() else w)",
        "torch.sqrt(w.count)",
        "torch.full(2, 3)",
        "torch.ones(2).mul(3)",
        "(w, 3).count(3)",
        "input.__name__",
        "w.shape",
        "hasattr(input, 'shape') and input.shape",
        "[w, 3].copy()",
        "(torch.ones(2) if input() else (w, 3)).sum()",
        "input() or torch.istft(w)",
        "wave = torch.istft(w) if input() else None",
        "waves = [torch.istft(w) for w in sys.argv]",
        "later = lambda: torch.istft(w)",
        "if input(): torch.istft(w)",
        "if input(): torch.istft(w)\n    else: w = 1",
        "with contextlib.suppress(TypeError): torch.istft(w)",
        "with pytest.raises(TypeError): torch.istft(w)",
        "import pytest; pytest.raises(TypeError, torch.istft, w)",
        "if w and nobodys: pass",
        "try: torch.istft(w)\n    except TypeError: pass",
        "(torch.istft if input() else print)(w)",
        "nn.LSTM(4, 4)(w, (w, w))",
        "nn.GRU(4, 4)(w, w)",
        "torch.tensor([[1], [2]])",
        "torch.tensor([1], dtype=w)",
        "torch.tensor(*w)",
        "import torchvision; torchvision.transforms.ToTensor()(w)",
        "kept(w)",
        "kept(*w)",
        "kept = print; kept(w, w)",
        "print(__file__, xrange, __builtins__)",
        "print(ExceptionGroup, WindowsError, exit)",
        "later = lambda: theirs",
        "print(ours)",
        "print(w if input() else theirs)",
        "torch.cat([torch.ones(2), torch.ones(2)])",
        "torch.cat([torch.ones(2), 3 if input() else torch.ones(2)])",
        "torch.stack([torch.from_numpy(np.ones(2)), torch.ones(2)])",
        "told(w)",
        "print(told(w) == 3, told(w) is None)",
        "w.nothing = None\n    w.nothing.train()",
        "nothing = told(w) if input() else w\n    nothing.train()",
        "nothing = None\n    for nothing in w: pass\n    nothing.train()",
        "first, *second = w, w, w",
        "first, second = w",
        "first, second = (w, w, w) if input() else (w, w)",
        "for n in range(9):\n        if input(): print(later)\n        later = 2",
        "if input(): later = 2\n    print(later)",
        "w(w)",
        "count = 3 if input() else print\n    count(w)",
        "Pair(w, w)",
        "Pair(*w)",
        "Pair(w, second=w)",
        "pair = Pair(w, w)\n    pair.kept()",
        "nn.Linear(4, 4)(*w)",
        "nn.ConvTranspose2d(4, 4, 3)(w, w)",
        "layer = nn.ReLU()\n    layer.forward = print\n    layer(w, w)",
        "import torchvision; torchvision.models.get_model('raft_large')(w, w)",
        "half = np.ones(4)[len(w) // 2:]",
        "half = np.ones(4)[int(len(w) / 2):round(len(w) / 2)]",
        "half = np.ones(4)[np.array(len(w) / 2, dtype=int):]",
        "half = np.ones(4)[w / 2:]",
        "half = w[len(w) / 2:]",
        "half = {2.0: w}[4 / 2]",
        "half = len(w) / 2 if input() else 2\n    np.ones(4)[half:]",
        "for i in range(len(w)): print(i / 2)",
        "import torchvision; torchvision.models.detection.fcos_resnet50_fpn()(w, w)",
    ],
)
def test_where_it_need_not_come_to_that(statement: str) -> None:
    assert findings(program(statement)) == FOUND


def program(statement: str) -> str:
    return f"""
def kept(theirs):
    global ours
    ours = theirs
    return theirs

def told(theirs):
    print(theirs)

class Pair:
    def __init__(self, first, second):
        self.both = first, second

    def kept(self):
        return self.both

def run(w):
    {statement}
    {MEETING}
"""


@pytest.mark.parametrize("beside", ["from os.path import *", "exec(input())", "theirs = 1"])
def test_what_nobody_may_know_holds_something(beside: str) -> None:
    assert findings(beside + program("print(theirs)")) == FOUND


def test_what_is_given_what_raises_is_not_called() -> None:
    """A layer that `forward` would build anew, of a size that only the constructor knows."""
    code = """
    class Net(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.layer = nn.Linear(width, 2)

        def forward(self, x):
            return self.layer(nn.Linear({width}, 4)(x))
    """
    assert findings(code.format(width="width")) == []
    built = "return self.layer(nn.Linear(4, 4)(x))"
    assert findings(code.format(width="4")) == [f"TDL003 {built}"]


CALLER = f"""
def spectrum(w, most):
    if most > 1:
        raise ValueError(most)
    torch.istft(w)

def shortened(w, most=None):
    if most is None:
        return w
    return spectrum(w, most)

def shortened_by_one(w):
    return shortened(w, 1)

def spectra(w):
    torch.istft(w)
    yield w

class Sound:
    def shortened(self, w, most=None):
        if most is not None:
            w = spectrum(w, most)
        return w

    def run(self, w, most):
        {{call}}
        {MEETING}
"""


@pytest.mark.parametrize(
    "call",
    [
        "spectrum(w, most)",
        "w = print(spectrum(w, most))",
        "shortened(w, 1)",
        "self.shortened(w, most=1)",
        "w = [self.shortened(w), self.shortened(w, 1)]",
    ],
)
def test_a_function_that_fails_on_all_its_paths_ends_those_of_its_callers(call: str) -> None:
    assert findings(CALLER.format(call=call)) == []
    told_again = f"""
class Again(Sound):
    def run(self, w, most):
        {call}
        {MEETING}
"""
    assert findings(CALLER.format(call=call) + told_again) == []


@pytest.mark.parametrize(
    "call",
    [
        "w = w and spectrum(w, most)",
        "if most: spectrum(w, most)",
        "later = lambda: spectrum(w, most)",
        "later = map(shortened_by_one, w)",
        "later = spectra(w)",
        "shortened(w)",
        "shortened(w, most)",
        "self.shortened(w)",
    ],
)
def test_a_call_that_may_not_be_made_or_may_come_back(call: str) -> None:
    assert findings(CALLER.format(call=call)) == FOUND


def test_what_stands_behind_needs_no_cuda() -> None:
    """TDL102 goes by the text: of a loop that fails it is what follows in it."""
    code = """
    device = torch.device("cuda" if sys.argv[1:] else "cpu")
    {pair}
    for data, target in sys.stdin:
        with torch.no_grad():
            {moved}
        print(nn.functional.mse_loss(pair[0], target.cuda()))
    model = nn.Linear(2, 2).to(device)
    """
    last = "TDL102 print(nn.functional.mse_loss(pair[0], target.cuda()))"
    pair = "pair = torch.rand(3).to(device), torch.rand(3).to(device)"
    assert findings(code.format(pair=pair, moved="print(data.to(device))")) == [last]
    found = findings(code.format(pair=pair, moved='pair = pair.to("cuda")'))
    assert found == ['TDL010 pair = pair.to("cuda")']


LACKING = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        words = open("words.txt").read().split()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        self.words.index("a")
        return self.layer(torch.zeros(3, 4))
"""


def test_what_no_object_of_a_class_has_is_not_read() -> None:
    assert findings(LACKING) == []


@pytest.mark.parametrize(
    "instead",
    [
        ("words = open", "self.words = open"),
        ("self.layer = nn", "self.register_buffer('words', None); self.layer = nn"),
        ("self.layer = nn", "self.add_module(words[0], None); self.layer = nn"),
        ("self.layer = nn", "setattr(self, words[0], 1); self.layer = nn"),
        ("self.layer = nn", "self.__dict__.update(words=words); self.layer = nn"),
        ("(nn.Module):", "(nn.Module):\n    words: list\n"),
        ("(nn.Module):", "(nn.Module):\n    def __getattr__(self, name):\n        return []\n"),
        ("(nn.Module):", "(nn.Module, Mixin):"),
        ("class Net", "@filled\nclass Net"),
        ("self.words.index", "getattr(self, 'words').index"),
        ("self.words.index", "input() and self.words.index"),
        ("self.words.index", "self._words.index"),
        ("self.words.index", "self.dump_patches.index"),
    ],
)
def test_what_an_object_may_have_is_read(instead: tuple[str, str]) -> None:
    assert findings(LACKING.replace(*instead)) == ["TDL002 return self.layer(torch.zeros(3, 4))"]


@pytest.mark.parametrize("way", ["model.words = []", "setattr(model, 'words', [])"])
def test_others_may_give_an_object_what_it_reads(way: str) -> None:
    program = f"{LACKING}\ndef use(model):\n    {way}\n    return model\n"
    assert findings(program) == ["TDL002 return self.layer(torch.zeros(3, 4))"]


TRAINER = """
class Trainer:
    def __init__(self, name, model):
        self.device = torch.device("cuda")
        if name == "adam":
            self.optimizer = torch.optim.Adam(model.parameters())
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 2)
        self.model = model

    def train(self):
        self.model = self.model.to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters())

Trainer(input(), {given}).train()
"""


def test_a_constructor_that_fails_leaves_no_object() -> None:
    """No path has set the attribute by the time that the constructor reads it."""
    assert findings(TRAINER.format(given="(nn.Linear(4, 2), 4)")) == []


BROKEN = """
from torch.nn import Linear as Dense

class Linear:
    def __init__(self, width):
        self.width = width

class Part(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

class Net(nn.Module):
    def __init__(self):
        {first}
        {second}
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        return self.layer(x) + torch.zeros(2)
"""


@pytest.mark.parametrize(
    ("first", "second", "is_broken"),
    [
        ("super().__init__()", "self.part = Part(3)", False),
        ("super().__init__()", "self.part = Part(*[3])", False),
        ("super().__init__()", "self.part = Part()", True),
        ("super().__init__()", "self.part = Part(3, depth=2)", True),
        ("super().__init__()", "self.part = Part() if input() else None", False),
        ("super().__init__()", "width, depth = 1, 2, 3", True),
        ("nn.Module.__init__(self)", "pass", False),
        ("self.width = 3", "super().__init__()", False),
        ("part = nn.Linear(3, 3)", "super().__init__()", False),
        ("self.part = nn.Linear(3, 3)", "super().__init__()", True),
        ("self.part = torch.nn.Linear(3, 3)", "super().__init__()", True),
        ("self.part = Dense(3, 3)", "super().__init__()", True),
        ("self.part = Linear(3)", "super().__init__()", False),
        ("pass", "pass", True),
    ],
)
def test_a_module_that_can_not_be_built_is_not_called(
    first: str, second: str, is_broken: bool
) -> None:
    found = [] if is_broken else ["TDL002 return self.layer(x) + torch.zeros(2)"]
    assert findings(BROKEN.format(first=first, second=second)) == found


CALLED_IN_THE_MODULE = """
class Part(nn.Module):
    def forward(self, x):
        return x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()

    def forward(self, x):
        {call}
        return x + torch.zeros(2)

    def shortened(self, x):
        return x
"""


@pytest.mark.parametrize(
    ("call", "is_refused"),
    [
        ("x = self.part(x, x)", True),
        ("x = self.part(inputs=x)", True),
        ("x = self.part(x)", False),
        ("self.shortened(x, x)", False),  # an heir's may take that
    ],
)
def test_a_part_takes_what_is_written_and_an_heir_may_have_other_methods(
    call: str, is_refused: bool
) -> None:
    found = [] if is_refused else ["TDL002 return x + torch.zeros(2)"]
    assert findings(CALLED_IN_THE_MODULE.format(call=call)) == found


DEFINING = """
class Net(nn.Module):
    def forward(self, x):
        return x + torch.zeros(2)

{statement}
"""


@pytest.mark.parametrize(
    ("statement", "is_there"),
    [
        ("torch.istft(2)", False),
        ("for n in range(3): torch.istft(n)", False),
        ("if __name__ == '__main__': torch.istft(2)", True),
        ("try: torch.istft(2)\nexcept TypeError: pass", True),
        ("sys.exit()", True),
    ],
)
def test_of_a_module_that_raises_nothing_is_ever_run(statement: str, is_there: bool) -> None:
    found = ["TDL002 return x + torch.zeros(2)"] if is_there else []
    assert findings(DEFINING.format(statement=statement)) == found


JOINED = """
def wrapped(code: torch.Tensor):
    return torch.cat((torch.tensor([1]), code, {last}))
"""


@pytest.mark.parametrize(
    ("last", "found"),
    [("np.array([2])", []), ("code", ["TDL016 return torch.cat((torch.tensor([1]), code, code))"])],
)
def test_a_join_that_raises_lets_nothing_meet(last: str, found: list[str]) -> None:
    assert findings(JOINED.format(last=last)) == found


@pytest.mark.parametrize(
    "set_up",
    ["set_up(self, width)", "Base.__init__(self, width)", "set_up(width, module=self)"],
)
def test_a_constructor_may_have_others_set_its_attributes(set_up: str) -> None:
    program = f"""
        from elsewhere import Base, set_up

        class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                {set_up}
                self.layer = nn.Linear(self.width, 2)
                start = torch.ones(3)
                start.to("cuda")
                print(start)

            def forward(self, x):
                return self.layer(x)
    """
    assert findings(program) == ['TDL001 start.to("cuda")']
