"""Containers and literals: nested, doubled, grown, long."""

from tests.benchmark.shapes.registry import lines, listed, nested, shape


@shape
def tuples_doubled(n: int) -> str:
    return "def f(a):\n    return a\nx = (torch.zeros(1),)\n" + lines(n, "x = (x, x)\n") + "f(x)\n"


@shape
def lists_doubled(n: int) -> str:
    return "x = [torch.zeros(1)]\n" + lines(n, "x = [x, x]\n") + "f = lambda a: a\nf(x)\n"


@shape
def dicts_doubled(n: int) -> str:
    return "x = {'a': torch.zeros(1)}\n" + lines(n, "x = {'a': x, 'b': x}\n")


@shape
def tuples_deepened(n: int) -> str:
    return "x = torch.zeros(1)\n" + lines(n, "x = (x,)\n") + "y = x[0]\n"


@shape
def containers_mixed(n: int) -> str:
    return "x = torch.zeros(1)\n" + lines(n, "x = [{'a': (x, x)}, {{x}, x}]\n")


@nested(80)
def literals_nested(n: int) -> str:
    return "x = " + "[" * n + "torch.zeros(1)" + "]" * n + "\n"


@nested(60)
def dicts_nested(n: int) -> str:
    return "x = " + "{'a': " * n + "torch.zeros(1)" + "}" * n + "\n"


@shape
def strings_listed(n: int) -> str:
    words = listed(n, "'word{i}'")
    return f"VOCABULARY = [{words}]\nfor word in VOCABULARY:\n    print(word, torch.zeros(1))\n"


@shape
def numbers_in_tensor(n: int) -> str:
    return f"x = torch.tensor([{listed(n, '{i}.5')}])\nx.to('cuda')\n"


@shape
def numbers_in_set(n: int) -> str:
    return f"x = {{{listed(n, '{i}')}}}\nt = torch.tensor(list(x))\n"


@shape
def dictionary_walked(n: int) -> str:
    return (
        f"words = {{{listed(n, repr('w{i}') + ': {i}')}}}\n"
        "for word, number in words.items():\n    t = torch.tensor(number)\n"
        "for number in words.values():\n    t = torch.tensor(number)\n"
        "for word in words.keys():\n    words[word] = torch.zeros(1)\n"
    )


@shape
def dictionary_of_keys_known_and_not(n: int) -> str:
    return f"import sys\nwords = {{{listed(n, repr('w{i}') + ': {i}, sys.argv[{i}]: {i}')}}}\n"


@shape
def dictionary_filled(n: int) -> str:
    return "d = {}\n" + lines(n, "d['k{i}'] = torch.zeros({i})\n") + "for k in d: d[k].cuda()\n"


@shape
def dictionaries_in_loops(n: int) -> str:
    return "d = {}\n" + lines(
        n, "for k in range(3):\n    d[k] = {}\n    for j in d:\n        d[k][j] = {'a{i}': d}\n"
    )


@shape
def list_appended(n: int) -> str:
    return "x = []\n" + lines(n, "x.append(torch.zeros({i}))\n") + "torch.cat(x).cuda()\n"


@shape
def list_contains_itself(n: int) -> str:
    return "x = []\n" + lines(n, "x.append([x, (x, x)])\n") + "torch.zeros(1) + x[0]\n"


@shape
def table_of_rows(n: int) -> str:
    return (
        "rows = [\n"
        + lines(n, "    [{i}, 'a{i}', [0.1, 0.2], {'k': {i}}],\n")
        + ("]\nfor number, name, pair, extra in rows:\n    torch.tensor(pair).cuda()\n")
    )


@shape
def partials_nested(n: int) -> str:
    return (
        "from functools import partial\nx = print\n"
        + lines(n, "x = partial(x, x)\n")
        + ("x(torch.zeros(1))\n")
    )


@shape
def parts_of_parts(n: int) -> str:
    return (
        "from torch.utils.data import DataLoader\ndef f(m):\n"
        "    m = nn.Linear(1, 1).cuda()\n"
        "    for x in DataLoader(m):\n" + lines(n, "        x = x[0]['k{i}']\n") + "        m(x)\n"
    )


@shape
def data_sets_nested(n: int) -> str:
    return "from torch.utils.data import DataLoader\nx = [torch.zeros(1)]\n" + lines(
        n, "x = DataLoader(x)\n"
    )
