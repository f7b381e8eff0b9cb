"""The pages: links lead somewhere, examples are what comes out, and all together make a site."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from tests.command import ROOT, lint
from tests.fixtures import FLAGGED
from torchdev_lint.rules import EVERY_RULE

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
LINK = re.compile(r"(?<!!)\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
_TOLD = ("RuntimeError", "ValueError")
"""Errors that PyTorch raises itself."""
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def prose(page: Path) -> str:
    """A page without its code."""
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """What links may name in a page, as GitHub makes it of headings."""
    titles = (re.sub(r"\]\([^)]*\)", "", title) for title in HEADING.findall(prose(page)))
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_links_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        for path, anchor in LINK.findall(prose(page)):
            target = (page.parent / path).resolve() if path else page
            named = target.suffix == ".md" and target.exists() and anchor
            if not target.exists() or (named and anchor not in anchors(target)):
                broken.append(f"{page.relative_to(ROOT)}: {path}#{anchor}")
    assert not broken


def test_lists_in_lists_are_told_from_their_indentation() -> None:
    """GitHub takes two columns for a list in a list, the site four."""
    flat = re.compile(r"^ {1,3}(?:[-*]|\d+\.) ", re.MULTILINE)
    assert not [page for page in PAGES if flat.search(prose(page))]


def test_the_example_is_what_comes_out(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "how-it-thinks.md").read_text(encoding="utf-8")
    (code,) = re.findall(r'^```python title="(?:.+?)".*?\n(.*?)^```$', text, re.M | re.S)
    (tmp_path / "embedder.py").write_text(code)
    shown = re.findall(r"^```console\n\$ torchdev-lint (.*?)\n(.*?)^```$", text, re.M | re.S)
    assert len(shown) == 2
    for command, output in shown:
        assert lint(*command.split(), cwd=tmp_path).out == output


def test_the_page_of_errors_has_those_of_the_fixtures() -> None:
    page = prose(ROOT / "docs" / "errors.md")
    declared = {fixture.declaration for fixture in FLAGGED}
    assert not [each for each in declared if each.type in _TOLD and each.text not in page]


def _mixes_two_accelerators() -> None:
    with FakeTensorMode():
        torch.empty(3, device="cuda:0") + torch.empty(3, device="cuda:1")


SAID = (_mixes_two_accelerators, lambda: torch.ones(1, 1) @ torch.ones(1, 1).double())
"""What raises the errors on the page that no program of the record raises."""


def test_errors_on_the_page_are_what_pytorch_says() -> None:
    """As the record has them that the runtime suite keeps, or the installed PyTorch."""
    quoted = re.findall(r"^> (.+)$", prose(ROOT / "docs" / "errors.md"), re.MULTILINE)
    record = (ROOT / "docs" / "evidence.json").read_text(encoding="utf-8")
    said = []
    for fails in SAID:
        with pytest.raises(RuntimeError) as raised:
            fails()
        said.append(str(raised.value))
    assert len(quoted) > 10
    assert not [each for each in quoted if not any(each in text for text in (record, *said))]


def test_each_rule_has_an_error() -> None:
    """Or is among those that nothing tells of; all but those about comments."""
    linked = set(LINK.findall(prose(ROOT / "docs" / "errors.md")))
    assert {f"rules/{code}.md" for code in EVERY_RULE.rules} <= {path for path, _ in linked}


def test_links_can_be_read() -> None:
    """Links and headers are in one colour: on white, or white on it. WCAG asks for 4.5."""
    style = (ROOT / "docs" / "_site" / "extra.css").read_text(encoding="utf-8")
    (colour,) = re.findall(r"--md-primary-fg-color: #(\w{6});", style)
    parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    light = sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    assert 1.05 / (light + 0.05) >= 4.5


@pytest.mark.slow
def test_the_site_can_be_built(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason='it takes `pip install -e ".[docs]"`')
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = sorted(tmp_path.rglob("*.html"))
    rules = [page.parent.name for page in pages if page.parent.parent.name == "rules"]
    assert rules == sorted(path.stem for path in (ROOT / "docs/rules").glob("TDL*.md"))
    assert all(page.stat().st_size < 400_000 for page in pages)
    whole = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert not re.findall(r'(?:src|href)="https?://[^"]+\.(?:js|css|woff2?)"', whole)
