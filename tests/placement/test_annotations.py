"""What parameters are annotated with."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings


@pytest.mark.parametrize(
    "annotation",
    ["Tuple[()]", "tuple[()]", "Union[Tuple[str], Tuple[()]]", "List[()]", "Dict[()]", "Union[()]"],
)
def test_a_type_of_nothing_says_nothing(annotation: str) -> None:
    assert findings(f"""
        class Net(nn.Module):
            def __init__(self, names: {annotation} = ()):
                super().__init__()
                self.layer = nn.Linear(2, 2)
                self.names = names

            def forward(self, x, sizes: {annotation} = ()):
                return self.layer(x) + torch.ones(2)


        net = Net()
        """) == ["TDL002 return self.layer(x) + torch.ones(2)"]
