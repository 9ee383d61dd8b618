"""How Sphinx renders the documentation as a site; `.ci/site` builds it.

The pages are the markdown that a code host shows. The navigation is what `docs/index.md` links, in its order.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]

project = "mockserver"
release = runpy.run_path(str(ROOT / "mockserver" / "version.py"))["__version__"]
html_title = project

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "docs/index"
# Of the checkout the documents; what is not theirs is not walked either.
include_patterns = [
    "*.md",
    "docs/*.md",
    "docs/**/*.md",
    "scenarios/*.md",
    "bench/*.md",
    "examples/**.md",
    "clients/**.md",
]
exclude_patterns = [".*", "**/node_modules", "build", "dist", "mockserver", "site", "tests"]

# Anchors as a code host makes them. A link to a heading that is not there is a warning, and so an error.
myst_heading_anchors = 6
# JSON in the documents may leave out what does not matter (…).
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_show_sourcelink = False
html_show_copyright = False
html_copy_source = False
html_use_index = False
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_additional_pages = {"index": "landing.html"}
templates_path = ["templates"]

_SECTION = re.compile(r"^## (?P<heading>.+)\n(?P<text>(?:(?!## ).*\n?)*)", re.MULTILINE)
_LINK = re.compile(r"\]\((?P<path>[^)#:]+)\.md[^)]*\)")
_MERMAID = re.compile(r"^```mermaid\n.*?^```\n", re.MULTILINE | re.DOTALL)


def setup(app: Sphinx) -> None:
    """Have pages changed while they are read."""
    app.connect("source-read", prepare)


def prepare(_app: Sphinx | None, document: str, source: list[str]) -> None:
    """Change the text of a page, `source[0]`, to what the site shows.

    Below a page are those of the directory that has its name.
    """
    if document == root_doc:
        source[0] += navigation(source[0])
    if document.startswith(("examples/", "clients/")):
        # Pages link to them; they have no place in the navigation.
        source[0] = f"---\norphan: true\n---\n{source[0]}"
    if (ROOT / document).is_dir():
        source[0] += f"\n```{{toctree}}\n:hidden:\n:glob:\n\n{Path(document).name}/*\n```\n"
    # The script that draws them would have to come from elsewhere; the tables below them say the same.
    source[0] = _MERMAID.sub("", source[0])


def navigation(index: str) -> str:
    """A hidden table of contents for each section of the index: the pages that it links, in order."""
    trees = []
    for section in _SECTION.finditer(index):
        pages = dict.fromkeys(link["path"] for link in _LINK.finditer(section["text"]))
        entries = "\n".join(pages)
        trees.append(f"\n```{{toctree}}\n:hidden:\n:caption: {section['heading']}\n\n{entries}\n```\n")
    return "".join(trees)
