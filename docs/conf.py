"""How Sphinx renders the documentation as a site; `.ci/site` builds it.

The pages are the markdown that a code host shows. The navigation is what `docs/index.md` links, in its order.
Each page is there as Markdown as well, and `llms.txt` and `llms-full.txt` are as llmstxt.org has them.
"""

from __future__ import annotations

import re
import runpy
import shutil
import sys
from pathlib import Path
from posixpath import normpath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from mockserver.manual.pages import first_sentence  # noqa: E402

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

OUTSIDE = ("examples/", "clients/", "docs/reference/operations/")
_NAVIGATIONS: dict[tuple[object, ...], str] = {}
"""By folder and options: that of the pages that are not in it."""

_SECTION = re.compile(r"^## (?P<heading>.+)\n(?P<text>(?:(?!## ).*\n?)*)", re.MULTILINE)
_LINK = re.compile(
    r"\[(?P<title>[^\]]+)\]\((?P<path>[^)#:]+)\.md[^)]*\)(?: \| (?P<summary>.+) \|$)?", re.MULTILINE
)
_MERMAID = re.compile(r"^```mermaid\n.*?^```\n", re.MULTILINE | re.DOTALL)


def setup(app: Sphinx) -> None:
    """Have pages changed while they are read, and written as Markdown in the end."""
    app.connect("source-read", prepare)
    app.connect("html-page-context", share_navigation, priority=400)
    app.connect("html-page-context", link_markdown)
    app.connect("build-finished", write_markdown)


def prepare(_app: Sphinx | None, document: str, source: list[str]) -> None:
    """Change the text of a page, `source[0]`, to what the site shows."""
    if document == root_doc:
        source[0] += navigation(source[0])
    if document.startswith(OUTSIDE):
        # Pages link to them; they have no place in the navigation, which each page has whole.
        source[0] = f"---\norphan: true\n---\n{source[0]}"
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


def share_navigation(
    _app: Sphinx, document: str, _template: str, context: dict[str, Any], _tree: object
) -> None:
    """Make the navigation once for all pages of a folder that are not in it: theirs is the same."""
    folder = str(Path(document).parent)
    make: Any = context.get("toctree")

    def make_once(**options: object) -> str:
        key = (folder, *options.items())
        if key not in _NAVIGATIONS:
            _NAVIGATIONS[key] = make(**options)
        return _NAVIGATIONS[key]

    if document.startswith(OUTSIDE) and make is not None:
        context["toctree"] = make_once


def link_markdown(
    _app: Sphinx | None, document: str, _template: str, context: dict[str, Any], _tree: object
) -> None:
    """Say in the head of a page where it is as Markdown."""
    if (ROOT / f"{document}.md").is_file():
        place = f"{Path(document).name}.md"
        context["metatags"] += f'<link rel="alternate" type="text/markdown" href="{place}" />'


def write_markdown(app: Sphinx, failed: Exception | None) -> None:
    """Put the Markdown of each page beside its HTML, so that its links lead to Markdown; and `llms_files`."""
    site = Path(app.outdir)
    for document in () if failed else app.env.found_docs:
        shutil.copyfile(ROOT / f"{document}.md", site / f"{document}.md")
    for name, text in llms_files((ROOT / f"{root_doc}.md").read_text(encoding="utf-8")).items():
        (site / name).write_text(text, encoding="utf-8")


def llms_files(index: str) -> dict[str, str]:
    """`llms.txt`, which lists what the index links, and `llms-full.txt`, which has those pages.

    The last section of the index is the one that may be left out, and is left out of the second file.
    """
    summary = first_sentence(index)
    lines, full = [f"# {project}", "", f"> {summary}"], []
    sections = list(_SECTION.finditer(index))
    for section in sections:
        is_optional = section is sections[-1]
        lines += ["", f"## {'Optional' if is_optional else section['heading']}", ""]
        for link in {link["path"]: link for link in _LINK.finditer(section["text"])}.values():
            path = normpath(f"docs/{link['path']}.md")
            text = (ROOT / path).read_text(encoding="utf-8")
            lines.append(f"- [{link['title']}]({path}): {link['summary'] or first_sentence(text)}")
            if not is_optional:
                full.append(f"<!-- {path} -->\n\n{text}")
    return {"llms.txt": "\n".join(lines) + "\n", "llms-full.txt": "\n".join(full)}
