"""What grew too fast when what fixtures show stood many times in one file."""

from tests.benchmark.shapes.registry import lines, shape


@shape
def attributes_set_and_moved(n: int) -> str:
    return (
        "class T:\n    def __init__(self):\n        self.m = nn.Linear(1, 1).to('cuda')\n"
        "    def run(self):\n"
    ) + lines(
        n,
        "        self.a{i} = torch.zeros({k})\n        self.b = self.m(self.a{i})\n"
        "        self.a{i} = self.a{i}.to('cuda')\n        self.c = self.m(self.a{i})\n",
    )


@shape
def classes_that_set_by_name(n: int) -> str:
    return lines(
        n,
        "class C{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.t = torch.zeros(3)\n        for k in 'ab':\n"
        "            setattr(self, 'w_' + k, nn.Linear(3, 3))\n"
        "    def forward(self, x):\n        return self.w_a(x) + self.t\n",
    )


@shape
def classes_that_fill_lists(n: int) -> str:
    return lines(
        n,
        "class C{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.ts = []\n        for k in range(3):\n"
        "            self.ts.append(torch.zeros(3))\n"
        "    def forward(self, x):\n        return x + self.ts[0]\n",
    )


@shape
def classes_that_ask_for_gradients(n: int) -> str:
    return lines(
        n,
        "class C{i}:\n    def __init__(self):\n"
        "        self.w = torch.zeros(3, requires_grad=True).to('cuda')\n"
        "    def step(self):\n        return self.w.grad\n",
    )


@shape
def methods_that_look_up(n: int) -> str:
    return (
        "class S:\n    def __init__(self):\n        self.b = torch.linspace(0, 1, 9)\n"
        + lines(n, "    def f{i}(self, x, t):\n        return x * self.b[t].view(-1, 1)\n")
        + "t = torch.randint(0, 9, (4,), device='cuda')\nprint(S().f0(t, t))\n"
    )


@shape
def methods_that_load_one_attribute(n: int) -> str:
    return "class T:\n" + lines(
        n,
        "    def f{i}(self, x):\n        self.net = torch.load(self.path)\n"
        "        return self.net(x.cuda())\n",
    )


@shape
def parts_of_batches_joined(n: int) -> str:
    return (
        "def f(model, loader):\n    model.cuda()\n    for batch in loader:\n"
        "        x, y = batch\n        x = x.cuda()\n"
    ) + lines(n, "        z{i} = torch.cat([model(x), y])\n")


@shape
def moves_in_loops_over_children(n: int) -> str:
    return "m = nn.Sequential(nn.Linear(1, 1))\n" + lines(
        n, "for c in m.children():\n    c.to('cuda')\n    c.cpu()\n"
    )


@shape
def one_variable_behind_conditions(n: int) -> str:
    return "import sys\nx = torch.zeros(1)\n" + lines(
        n,
        "if sys.argv[{i}]:\n    x = torch.zeros({k})\nx.cuda()\n"
        "def f{i}():\n    return x + torch.ones(1).cuda()\n",
    )


@shape
def layers_that_are_looked_up(n: int) -> str:
    return (
        "class C(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        + lines(n, "        self.e{i} = nn.Embedding({k}, 4)\n")
        + "    def forward(self, x):\n"
        + lines(n, "        x = x + self.e{i}(torch.arange(3))\n")
        + "        return x\n"
    )


@shape
def methods_that_call_one_model(n: int) -> str:
    return (
        "class N(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.l = nn.Linear(1, 1)\n    def forward(self, x):\n        return self.l(x)\n"
        "class T(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.n = N()\n    def step(self, x):\n"
    ) + lines(n, "        y{i} = self.n(x)\n        z{i} = N()(x)\n")
