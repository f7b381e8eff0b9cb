"""Control flow: branches, loops, handlers, conditions that are asked again."""

from tests.benchmark.shapes.registry import lines, nested, shape

_INDENT = "    "


def _stairs(n: int, step: str, inside: str, first: int = 1) -> str:
    """Statements with blocks, each in the block of the one before."""
    heads = "".join(_INDENT * (first + i) + step.replace("{i}", str(i)) + "\n" for i in range(n))
    return heads + _INDENT * (first + n) + inside + "\n"


@nested(400)
def else_ifs(n: int) -> str:
    return (
        "def f(a):\n    x = torch.zeros(1)\n    if a == 'x':\n        pass\n"
        + lines(n, "    elif a == 'b{i}':\n        x = torch.zeros({i}).cuda()\n")
        + "    return x\n"
    )


@shape
def ifs_in_a_row(n: int) -> str:
    return "def f(a):\n" + lines(
        n, "    if a.b{i}:\n        x{i} = torch.zeros({i})\n    else:\n        x{i} = a\n"
    )


@shape
def ifs_at_the_top(n: int) -> str:
    return "import sys\n" + lines(
        n, "if sys.x{i}:\n    x{i} = torch.zeros({i})\nelse:\n    x{i} = sys\n"
    )


@nested(90)
def ifs_nested(n: int) -> str:
    return "def f(a):\n    x = torch.zeros(1)\n" + _stairs(n, "if a.b{i}:", "x = x.cuda()")


@shape
def conditions_asked_again(n: int) -> str:
    return "def f(a):\n    x = torch.zeros(1)\n" + lines(
        n,
        "    if a == 'b{i}':\n        x = torch.zeros({i})\n"
        "    if a == 'b{j}':\n        x = x.cuda()\n",
    )


@shape
def one_thing_compared_with_many(n: int) -> str:
    return "def f(a, x):\n    y = torch.zeros(1)\n" + lines(
        n, "    if a == 'b{i}':\n        return x + y\n"
    )


@shape
def calls_behind_conditions(n: int) -> str:
    return (
        "def g(a, x):\n    return x if a > 3 else x + 1\n\n\ndef f(a):\n    x = torch.zeros(1)\n"
        + lines(n, "    if a == {i}:\n        return x\n    x = g(a, x)\n")
    )


@shape
def one_function_behind_many_conditions(n: int) -> str:
    return (
        "def g(a, x):\n    return x if a == 'b' else x + 1\n\n\ndef f(a):\n    x = torch.zeros(1)\n"
        + lines(n, "    if a == 'b{i}':\n        return g(a, x)\n")
    )


@shape
def one_condition_alternates(n: int) -> str:
    return "def f(a):\n    x = torch.zeros(1)\n" + lines(
        n,
        "    if a:\n        x = x.cuda()\n    else:\n        x = torch.zeros({i})\n    x = x + 1\n",
    )


@shape
def cases(n: int) -> str:
    return (
        "def f(a):\n    x = torch.zeros(1)\n    match a:\n"
        + lines(n, "        case ['b{i}', {'k': y{i}}, *z]:\n            x = torch.zeros({i})\n")
        + "    return x.cuda()\n"
    )


@shape
def tries_in_a_row(n: int) -> str:
    return "def f(a):\n" + lines(
        n,
        "    try:\n        x{i} = torch.zeros({i})\n    except ValueError as e:\n"
        "        x{i} = a\n    finally:\n        y = x{i}\n",
    )


@nested(18)
def tries_nested(n: int) -> str:
    stairs = _stairs(n, "try:", "x = torch.zeros(1)")
    ends = "".join(
        _INDENT * (n - i) + "except ValueError:\n" + _INDENT * (n - i + 1) + f"x = a.b{i}\n"
        for i in range(n)
    )
    return "def f(a):\n" + stairs + ends


@shape
def handlers(n: int) -> str:
    return (
        "def f(a):\n    try:\n        x = torch.zeros(1)\n"
        + lines(n, "    except a.E{i} as e{i}:\n        x = torch.zeros({i}).cuda()\n")
        + "    return x\n"
    )


@nested(18)
def withs_nested(n: int) -> str:
    return "def f(a):\n" + _stairs(n, "with a.b{i} as c{i}:", "x = torch.zeros(1)")


@shape
def loops_in_a_row(n: int) -> str:
    return "def f(a):\n    x = torch.zeros(1)\n" + lines(
        n, "    for b{i} in a:\n        x = x.cuda() + torch.zeros({i})\n"
    )


@nested(18)
def loops_nested(n: int) -> str:
    return "def f(a):\n    x = torch.zeros(1)\n" + _stairs(
        n, "for b{i} in a.c{i}:", "x = x.cuda() + b0"
    )


@nested(90)
def loops_nested_deep(n: int) -> str:
    return "def f(a):\n    x = torch.zeros(1)\n" + _stairs(n, "while a.c{i}:", "x = [x, x]")


@shape
def loop_with_much_in_it(n: int) -> str:
    return "def f(a):\n    for b in a:\n" + lines(
        n, "        x{i} = torch.zeros({i})\n        x{k} = x{i}.cuda()\n"
    )


@shape
def loop_with_breaks(n: int) -> str:
    return "def f(a):\n    while True:\n        x = torch.zeros(1)\n" + lines(
        n, "        if a.b{i}: break\n        if a.c{i}:\n            x = a\n            continue\n"
    )


@shape
def returns(n: int) -> str:
    return "def f(a, m):\n" + lines(n, "    m.x{i} = a\n    if a.b{i}: return torch.zeros({i})\n")


@shape
def asserts(n: int) -> str:
    return "def f(a):\n    x = torch.zeros(1)\n" + lines(
        n, "    assert a.b{i} is not None and a.c{i}\n"
    )


@shape
def narrowed_paths(n: int) -> str:
    return "def f(x):\n" + lines(n, "    x.a{i} = torch.zeros(3)\n    if x.b{i}: x.a{i} = x.c\n")


@shape
def deletions(n: int) -> str:
    return "def f(a):\n" + lines(n, "    x{i} = torch.zeros({i})\n    del x{j}\n")
