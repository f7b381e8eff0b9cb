"""What the site makes of the pages, which are written to be read where the sources are, too."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import join, normpath
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
_LINK = re.compile(r"\]\((?!\w+:|#|/)([^)#\s]+)([^)]*)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name the page of each rule beside their list."""
    nav: list[dict[str, Any]] = config.nav or []
    rules = next(section["Rules"] for section in nav if "Rules" in section)
    folder = ROOT / "docs" / "rules"
    rules += [f"rules/{path.name}" for path in sorted(folder.glob("TDL*.md"))]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Take in the changelog, which lies at the root of the repository."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "changelog.md", content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links to what is no part of the site lead to the sources."""

    def linked(link: re.Match[str]) -> str:
        target = normpath(join("docs", page.file.src_uri, "..", link[1]))
        on_the_site = files.get_file_from_path(target.removeprefix("docs/"))
        if (on_the_site and on_the_site.inclusion.is_included()) or not (ROOT / target).exists():
            return link[0]  # what leads nowhere is for `--strict` to complain of
        return f"]({config.repo_url}/blob/main/{target}{link[2]})"

    return _LINK.sub(linked, markdown)
