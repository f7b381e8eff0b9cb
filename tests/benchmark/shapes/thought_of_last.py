"""Shapes that were thought of last: items, matches, strings, decorators, what is star-shaped."""

from tests.benchmark.shapes.registry import lines, listed, shape


@shape
def items_of_a_dict_set(n: int) -> str:
    return "def f():\n    d = {}\n" + lines(n, "    d['k{i}'] = torch.zeros({i})\n")


@shape
def items_of_a_list_set(n: int) -> str:
    return f"x = [0] * {n}\n" + lines(n, "x[{i}] = torch.zeros({i})\n")


@shape
def matches_in_a_row(n: int) -> str:
    return "def f(x):\n    match x:\n" + lines(
        n, "        case {'k{i}': y, **z}:\n            return y + torch.zeros({i})\n"
    )


@shape
def walruses_in_tests(n: int) -> str:
    return "def f(x: torch.Tensor):\n" + lines(
        n, "    if (y{i} := x + torch.zeros({i})) is not None:\n        x = y{i}\n"
    )


@shape
def expressions_in_f_strings(n: int) -> str:
    return "def f(x: torch.Tensor):\n" + lines(n, "    s = f'{x + torch.zeros({i})} {x!r:>{n}}'\n")


@shape
def functions_decorated_in_the_file(n: int) -> str:
    return "def d(f):\n    def g(x):\n        return f(x)\n    return g\n" + lines(
        n, "@d\ndef f{i}(x):\n    return x + torch.zeros({i})\n"
    )


@shape
def decorators_of_one_function(n: int) -> str:
    return (
        "def d(n):\n    return lambda f: f\n"
        + lines(n, "@d({i})\n")
        + "def f(x: torch.Tensor):\n    return x + torch.zeros(1)\n"
    )


@shape
def arguments_with_a_star(n: int) -> str:
    return "def f(*a, **k):\n    return a[0] + torch.zeros(1)\ndef g(x: torch.Tensor):\n" + lines(
        n, "    x = f(*[x], *[x], **{'k{i}': x})\n"
    )


@shape
def handlers_of_one_try(n: int) -> str:
    return "def f(x: torch.Tensor):\n    try:\n        x = x + torch.zeros(1)\n" + lines(
        n, "    except E{i} as e:\n        x = x.cuda() + torch.zeros({i})\n"
    )


@shape
def managers_of_one_with(n: int) -> str:
    managers = listed(n, "torch.device(x.device) as d{i}")
    return f"def f(x: torch.Tensor):\n    with ({managers}):\n        return x + torch.zeros(1)\n"


@shape
def names_deleted(n: int) -> str:
    return "def f(x: torch.Tensor):\n" + lines(
        n, "    y{i} = x + torch.zeros({i})\n    del x\n    x = y{i}\n"
    )


@shape
def properties_that_use_each_other(n: int) -> str:
    return "class C(nn.Module):\n    def forward(self, x):\n        return x + self.p0\n" + lines(
        n, "    @property\n    def p{i}(self):\n        return torch.zeros({i}) + self.p{j}\n"
    )


@shape
def annotations_of_variables(n: int) -> str:
    return "def f(x: torch.Tensor):\n" + lines(
        n, "    y{i}: 'torch.Tensor | None' = torch.zeros({i})\n    x = x + y{i}\n"
    )


@shape
def generators_of_one_comprehension(n: int) -> str:
    return f"def f(x):\n    return [x + torch.zeros(1) {lines(n, ' for a{i} in x')}]\n"


@shape
def coroutines_that_await(n: int) -> str:
    return lines(
        n,
        "async def f{i}(x: torch.Tensor):\n    return x + await f{j}(torch.zeros({i}))\n",
    )


@shape
def buffers_registered(n: int) -> str:
    return (
        "class C(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        + lines(n, "        self.register_buffer('b{i}', torch.zeros({i}))\n")
        + "    def forward(self, x):\n"
        + lines(n, "        x = x + self.b{i} + torch.zeros({i})\n")
    )


@shape
def augmented_assignments(n: int) -> str:
    return "def f(x: torch.Tensor):\n    y = []\n" + lines(
        n, "    y += [torch.zeros({i})]\n    x += y[-1]\n"
    )


@shape
def settings_of_the_default(n: int) -> str:
    return "def f(x: torch.Tensor):\n" + lines(
        n, "    with torch.device(d{i}):\n        x = x + torch.zeros({i})\n"
    )


@shape
def lengths_taken_from_lengths(n: int) -> str:
    return (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.x = nn.Linear(3, 3)\n    def forward(self, x):\n        n = self.x(x)\n"
        + lines(n, "        n = n[1:]\n        a{i} = n\n        n = a{i}\n")
        + "        return nn.utils.rnn.pack_padded_sequence(self.x(x), n)\nA().cuda()\n"
    )


@shape
def sequences_packed(n: int) -> str:
    return (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.x = nn.Linear(3, 3)\n    def forward(self, x):\n        n = self.x(x)\n"
        + lines(n, "        y = nn.utils.rnn.pack_padded_sequence(self.x(x), n)\n")
        + "        return y\nA().cuda()\n"
    )
