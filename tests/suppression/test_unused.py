"""TDL900: comments that silence nothing, and what is left without them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.conftest import Lint, lint
from tests.config.projects import write

__all__ = ["lint"]

HEAD = "import torch\nx = torch.ones(3)\nprint(x)\n"
USED = 'x.to("cuda")'
IDLE = "y = x + 1"

CASES = {
    f"{IDLE}  # noqa: TDL001": IDLE,
    f"{IDLE}  # noqa: TDL001 it is moved above": IDLE,
    f"{IDLE}  # noqa: TDL001,TDL002": IDLE,
    f"{IDLE}  # noqa: E501,TDL001": f"{IDLE}  # noqa: E501",
    f"{IDLE}  # noqa: TDL001, E501 why": f"{IDLE}  # noqa: E501 why",
    f"{IDLE}  # type: ignore  # noqa: TDL001": f"{IDLE}  # type: ignore",
    f"{IDLE}  # noqa: TDL001  # type: ignore": f"{IDLE}  # type: ignore",
    f"{USED}  # noqa: TDL001,TDL002": f"{USED}  # noqa: TDL001",
    f"{USED}  # torchdev-lint: ignore[TDL002, discarded-move]": (
        f"{USED}  # torchdev-lint: ignore[discarded-move]"
    ),
    f"{IDLE}  # torchdev-lint: ignore[TDL001] because": IDLE,
    f"{IDLE}  # torchdev-lint: ignore": IDLE,
    f"{IDLE}  # ruff: ignore[TDL001, F401]": f"{IDLE}  # ruff: ignore[F401]",
    f"# torchdev-lint: ignore[TDL001]\n{IDLE}": IDLE,
    f"# torchdev-lint: ignore-file[TDL001]\n{IDLE}": IDLE,
    f"x = (\n    1  # noqa: TDL001\n)\n{IDLE}": f"x = (\n    1\n)\n{IDLE}",
    f"x = (\n    1\n    # torchdev-lint: ignore\n)\n{IDLE}": f"x = (\n    1\n)\n{IDLE}",
}
"""What stands behind the head, and what `--fix` makes of it."""

USEFUL = [
    f"{USED}  # noqa: TDL001",
    f"{USED}  # noqa: TDL0",
    f"{USED}  # noqa",
    f"{IDLE}  # noqa",
    f"{IDLE}  # noqa: E501",
    f"{IDLE}  # noqa: TDL900",
    f"{IDLE}  # noqa: TDL001,TDL900",
    f"{IDLE}  # ruff: ignore[F401]",
    f"{IDLE}  # torchdev-lint: ignore[TDL001, TDL900]",
    f"{USED}  # torchdev-lint: ignore",
    f"# torchdev-lint: ignore[discarded-move]\n{USED}",
    f"# torchdev-lint: ignore-file\n{USED}",
    f"# flake8: noqa\n{IDLE}  # noqa: TDL001",
    'x.to(\n    "cuda"\n)  # noqa: TDL001',
    'x.to("""cuda\n""".strip())  # noqa: TDL001',
    f'y = "# noqa: TDL001"\n{IDLE}',
]


@pytest.mark.parametrize("ending", ["\n", "\r\n", ""])
@pytest.mark.parametrize("text", CASES)
def test_it_is_found_and_removed(lint: Lint, tmp_path: Path, text: str, ending: str) -> None:
    newline = ending or "\n"
    path = tmp_path / "a.py"
    path.write_bytes((HEAD + text).replace("\n", newline).encode() + ending.encode())
    result = lint("--select", "TDL900", "a.py")
    assert result.out.count("TDL900 [*] this comment silences nothing") == 1, result.out
    assert lint("--extend-select", "TDL900", "--fix", "a.py").code == 0
    fixed = (HEAD + CASES[text]).replace("\n", newline).encode() + ending.encode()
    assert path.read_bytes() == fixed
    assert lint("-q", "--extend-select", "unused-suppression", "a.py").out == ""


@pytest.mark.parametrize("text", USEFUL)
def test_it_is_of_use(lint: Lint, tmp_path: Path, text: str) -> None:
    write(tmp_path, {"a.py": f"{HEAD}{text}\n"})
    for selected in ("--select", "--extend-select"):
        result = lint("-q", selected, "TDL9", "a.py")
        assert (result.code, result.out, result.err) == (0, "", "")


def test_it_is_off_by_default(lint: Lint, tmp_path: Path) -> None:
    write(tmp_path, {"a.py": f"{HEAD}{IDLE}  # noqa: TDL001\n"})
    assert lint("a.py").code == lint("--select", "TDL", "a.py").code == 0
    assert lint("--select", "ALL", "a.py").code == 1


def test_what_was_not_looked_at_may_be_of_use(
    lint: Lint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a.py": f"{HEAD}{IDLE}  # noqa: TDL001\n"})
    monkeypatch.setattr("torchdev_lint.linter.skipped_in", lambda facts: ("too much",))
    assert lint("--select", "TDL900", "a.py").code == 0
