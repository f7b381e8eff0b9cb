"""Expressions: long chains, deep nesting, long lines."""

from tests.benchmark.shapes.registry import lines, listed, nested, shape


@nested(800)
def sum_of_many(n: int) -> str:
    return "x = torch.zeros(1)\ny = x" + lines(n, " + {i}") + "\ny.cuda()\n"


@nested(800)
def sum_of_tensors(n: int) -> str:
    return "x = torch.zeros(1).cuda()\ny = x" + lines(n, " + torch.zeros({i})") + "\n"


@nested(800)
def sum_of_lists(n: int) -> str:
    return "x = []" + lines(n, " + [torch.zeros({i})]") + "\n"


@nested(800)
def sum_of_strings(n: int) -> str:
    return "torch.zeros(1).cuda()\nx = ''" + lines(n, " + 'a{i}'") + "\n"


@shape
def many_conditions_in_one(n: int) -> str:
    return (
        "def f(a):\n    x = torch.zeros(1)\n    if a"
        + lines(n, " and a.b{i}")
        + (":\n        x = x.cuda()\n    return x\n")
    )


@shape
def disjunctions(n: int) -> str:
    return "def f(a):\n" + lines(
        n, "    x = a or torch.zeros({i}) or (a and x{i} or not (a or x{i}))\n"
    )


@shape
def comparison_chain(n: int) -> str:
    return "x = torch.zeros(1).cuda()\ny = 0" + lines(n, " < {i}") + "\n"


@nested(90)
def calls_nested(n: int) -> str:
    return "f = lambda a: a\nx = " + "f(" * n + "torch.zeros(1)" + ")" * n + "\n"


@nested(400)
def methods_chained(n: int) -> str:
    return "x = torch.zeros(1)" + lines(n, ".view({i}, -1)") + ".cuda()\n"


@nested(400)
def attributes_chained(n: int) -> str:
    return "def f(a):\n    x = a" + lines(n, ".b{i}") + "\n    return x + torch.zeros(1)\n"


@nested(400)
def subscripts_chained(n: int) -> str:
    return "def f(a):\n    x = a" + lines(n, "[{i}]") + "\n    return x + torch.zeros(1)\n"


@shape
def arguments_positional(n: int) -> str:
    return "def f(*a, **k):\n    return a[0]\nx = torch.zeros(1)\nf(" + listed(n, "x") + ")\n"


@shape
def arguments_starred(n: int) -> str:
    return "def f(*a, **k):\n    return a\nx = [torch.zeros(1)]\nf(" + listed(n, "*x") + ")\n"


@shape
def arguments_by_name(n: int) -> str:
    return "def f(**k):\n    return k\nf(" + listed(n, "a{i}=torch.zeros(1)") + ")\n"


@nested(80)
def comprehensions_nested(n: int) -> str:
    return "x = " + "[" * n + "torch.zeros(1)" + lines(n, " for a{i} in range(3)]") + "\n"


@shape
def comprehension_of_many_loops(n: int) -> str:
    return "x = [torch.zeros(1)" + lines(n, " for a{i} in range(3)") + "]\n"


@nested(80)
def conditionals_nested(n: int) -> str:
    return (
        "def f(a, x):\n    y = "
        + lines(n, "(x.cpu() if a.b{i} else ")
        + "torch.zeros(1)"
        + ")" * n
        + "\n    return y.cuda()\n"
    )


@shape
def conditionals_chained(n: int) -> str:
    return "def f(a):\n    x = torch.zeros(1)\n" + lines(n, "    x = x.cuda() if a.b{i} else x\n")


@nested(60)
def lambdas_nested(n: int) -> str:
    return "f = " + lines(n, "lambda a{i}: ") + "torch.zeros(1) + a0\nf(1)\n"


@shape
def lambdas_in_a_chain(n: int) -> str:
    return lines(n, "f{i} = lambda x: f{k}(x) + f{k}(x) + f{k}(x)\n") + (
        f"f{n} = lambda x: torch.zeros(1)\nf0(1)\n"
    )


@shape
def strings_formatted(n: int) -> str:
    return "x = torch.zeros(1)\n" + lines(n, "y = f\"{x} {f'{x:{i}}'} {x!r:>{x}}\"\n")


@shape
def one_long_string(n: int) -> str:
    return f"x = torch.zeros(1)\nx.cuda()\ny = '{'abcdefgh' * n}'\nif y == x: pass\n"


@shape
def one_long_number(n: int) -> str:
    return (
        f"x = torch.zeros(1)\nx.cuda()\ny = 0x{'abcdef12' * n}\nz = y + 1.0 + y\nif y:\n    x = y\n"
    )


@shape
def numbers_doubled(n: int) -> str:
    return "torch.zeros(1).cuda()\nx = 1\n" + lines(n, "x = x + x\n") + "f = print(x)\n"


@shape
def one_long_line(n: int) -> str:
    return lines(n, "x{i} = torch.zeros({i}); x{i}.cuda(); ") + "\n"


@shape
def walruses(n: int) -> str:
    return "def f(a):\n" + lines(
        n, "    if (b{i} := a.c{i}) and (d := b{i}) > 1: x = torch.zeros({i}) + d\n"
    )


@shape
def tuples_unpacked(n: int) -> str:
    return "a = b = torch.zeros(1)\n" + lines(n, "a, *b = b, a, *a\n")


@shape
def targets_chained(n: int) -> str:
    return lines(n, "x{i} = ") + "torch.zeros(1)\n"
