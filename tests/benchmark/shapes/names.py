"""Names: many variables, imports, globals, attributes, paths."""

from tests.benchmark.shapes.registry import lines, listed, shape


@shape
def variables(n: int) -> str:
    return "def f():\n" + lines(n, "    x{i} = torch.zeros({i})\n")


@shape
def variables_of_the_module(n: int) -> str:
    return lines(n, "x{i} = torch.zeros({i})\n") + "def f():\n    return x0.cuda() + x1\n"


@shape
def variables_read_by_functions(n: int) -> str:
    return lines(n, "x{i} = {i}\n") + lines(
        n, "def f{i}():\n    return torch.zeros(x{i}) + f{j}()\n"
    )


@shape
def globals_by_function(n: int) -> str:
    return lines(n, "def f{i}():\n    global g{i}\n    g{i} = torch.zeros({i})\n    return g{j}\n")


@shape
def one_global_by_functions(n: int) -> str:
    return lines(n, "def f{i}():\n    global g\n    g = torch.zeros({i})\n    f{j}()\n")


@shape
def globals_in_one_statement(n: int) -> str:
    return f"def f():\n    global g{lines(n, ', g{i}')}\n" + lines(n, "    g{i} = torch.zeros(1)\n")


@shape
def nonlocals(n: int) -> str:
    return (
        "def f():\n"
        + lines(n, "    x{i} = torch.zeros({i})\n")
        + "    def g():\n"
        + lines(n, "        nonlocal x{i}\n        x{i} = x{j}\n")
        + "    g()\n"
    )


@shape
def imports(n: int) -> str:
    return lines(n, "import a{i}.b.c as d{i}\n") + "x = torch.zeros(1).cuda()\n"


@shape
def imports_of_everything(n: int) -> str:
    return lines(n, "from a{i} import *\n") + "x = y(z(w(torch.zeros(1).cuda())))\n"


@shape
def names_from_star_imports(n: int) -> str:
    return lines(n, "from a{i} import *\nx = y{i}(torch.zeros(1))\n")


@shape
def aliases(n: int) -> str:
    return f"from torch import zeros as z{lines(n, ', zeros as z{i}')}\n" + lines(
        n, "z{i}({i}).cuda()\n"
    )


@shape
def attributes_of_an_object(n: int) -> str:
    return (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        + lines(n, "        self.x{i} = torch.zeros({i})\n")
        + "    def forward(self, x):\n        return x + self.x0\n"
    )


@shape
def attributes_used_in_forward(n: int) -> str:
    return (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        + lines(n, "        self.x{i} = nn.Linear({i}, 1)\n")
        + "    def forward(self, x):\n"
        + lines(n, "        x = self.x{i}(x) + torch.zeros(1)\n")
    )


@shape
def attributes_of_anything(n: int) -> str:
    return "def f(a):\n" + lines(n, "    a.x{i} = torch.zeros({i})\n    a.y = a.x{j}\n")


@shape
def paths(n: int) -> str:
    return "def f(a):\n" + lines(n, "    a.b{i}.c['d'] = torch.zeros({i})\n    a.b{i} = a.b{j}\n")


@shape
def paths_forgotten(n: int) -> str:
    return "def f(a, b):\n" + lines(
        n, "    a{i} = b\n    a{i}['k'] = torch.zeros({i})\n    a{i}.c = b\n    b = a{i}\n"
    )


@shape
def objects(n: int) -> str:
    return "class A:\n    def __init__(self, x):\n        self.x = x\n" + lines(
        n, "a{i} = A(torch.zeros({i}))\n"
    )


@shape
def parameters(n: int) -> str:
    return f"def f({listed(n, 'a{i}: torch.Tensor = None')}):\n    x = torch.zeros(1)\n" + lines(
        n, "    x = x + torch.zeros(1, device=a{i})\n"
    )


@shape
def words_that_mention_torch(n: int) -> str:
    return lines(n, "# torch cuda device noqa_{i}\n") + "x = torch.zeros(1)\nx.cuda()\n"
