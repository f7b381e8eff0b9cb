"""What a call gave is remembered only for where it would give the same."""

from __future__ import annotations

from tests.placement.linting import findings


def test_a_global_that_has_changed_since() -> None:
    program = """
    model = nn.Linear(4, 2).cuda()
    x = torch.zeros(3, 4)

    def current():
        return x

    print(current().shape)
    x = x.cuda()
    print(model(current()))
    """
    assert findings(program) == []


def test_a_global_that_a_called_function_reads() -> None:
    program = """
    model = nn.Linear(4, 2).cuda()
    x = torch.zeros(3, 4, device="cuda")

    def inner():
        return x

    def outer():
        return inner()

    outer()
    x = torch.zeros(3, 4)
    model(outer())
    """
    assert findings(program) == ["TDL005 x = torch.zeros(3, 4)"]


def test_arguments_that_are_equal_but_of_another_type() -> None:
    program = """
    model = nn.Linear(4, 2).cuda()

    def make(flag):
        if flag is True:
            return torch.zeros(3, 4)
        return torch.zeros(3, 4, device="cuda")

    make(True)
    model(make(1))
    """
    assert findings(program) == []


def test_an_attribute_that_has_changed_since() -> None:
    program = """
    class Holder:
        def __init__(self):
            self.x = torch.zeros(3, 4)

        def get(self):
            return self.x

    model = nn.Linear(4, 2).cuda()
    holder = Holder()
    holder.get()
    holder.x = holder.x.cuda()
    model(holder.get())
    """
    assert findings(program) == []


def test_what_a_remembered_call_changes() -> None:
    program = """
    class Holder:
        def __init__(self):
            self.x = torch.zeros(3, 4)

        def move(self):
            self.x = self.x.cuda()

    model = nn.Linear(4, 2).cuda()
    first, second, third = Holder(), Holder(), Holder()
    first.move()
    second.move()
    model(first.x)
    model(second.x)
    model(third.x)
    """
    assert findings(program) == ["TDL005 model(third.x)"]


def test_objects_of_a_remembered_constructor_are_not_one() -> None:
    program = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 2)

        def forward(self, x):
            return self.fc(x)

    first = Net()
    second = Net()
    first.cuda()
    second(torch.zeros(3, 4))
    first(torch.ones(3, 4))
    """
    assert findings(program) == ["TDL005 first(torch.ones(3, 4))"]


def test_a_recursive_call_is_not_taken_for_the_whole() -> None:
    program = """
    model = nn.Linear(4, 2).cuda()

    def make(n):
        if n:
            return make(n - 1)
        return torch.zeros(3, 4)

    def start(n):
        return make(n)

    start(len(sys.argv))
    model(make(0))
    """
    assert findings(program) == ["TDL005 model(make(0))"]


def test_the_default_device_that_a_call_sets() -> None:
    program = """
    def setup():
        torch.set_default_device("cuda")

    setup()
    model = nn.Linear(4, 2)
    model(torch.zeros(3, 4))
    """
    assert findings(program) == []
