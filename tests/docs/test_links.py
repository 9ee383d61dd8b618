"""Every link of the documentation leads somewhere."""

import re
from functools import cache
from pathlib import Path

from tests.tables import cases

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        ROOT / ".agents" / "AGENTS.md",
        *(ROOT / "docs").glob("**/*.md"),
        *(ROOT / "scenarios").glob("*.md"),
        *(ROOT / "examples").glob("*.md"),
        *(ROOT / "examples").glob("*/*.md"),
    ]
)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_OUTSIDE = ("https://keepachangelog.com/", "https://llmstxt.org/", "https://semver.org/")


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as they are made from their text."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@cache
def followed(folder: Path, path: str) -> Path | None:
    """The file that a path leads to from a folder, if there is one."""
    target = (folder / path).resolve()
    return target if target.exists() else None


def links(page: Path) -> list[str]:
    """Where a page's links lead; what is code is no link."""
    text = re.sub(
        r"^```.*?^```$|`[^`\n]*`", "`", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    return _LINK.findall(text)


@cases("page", *PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for link in links(page):
        if link.startswith("https://"):
            assert link.startswith(_OUTSIDE), f"{link} is outside the project"
            continue
        path, _, anchor = link.partition("#")
        target = followed(page.parent, path) if path else page
        assert target is not None, f"{link} leads nowhere"
        assert target.is_relative_to(ROOT)
        if anchor:
            assert anchor in anchors(target), f"{link}: there is no such heading"


@cases(
    "page",
    *[page for page in PAGES if page.name != "CHANGELOG.md"],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_every_heading_of_a_page_has_an_anchor_of_its_own(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    assert len(headings) == len(anchors(page)), f"headings occur twice: {sorted(headings)}"


def test_every_guide_and_page_is_linked_from_the_index() -> None:
    linked = set(links(ROOT / "docs" / "index.md"))
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").glob("**/*.md")}
    operations = {page for page in pages if page.startswith("reference/operations/")}
    assert pages - {"index.md"} - operations <= linked


def test_the_page_of_every_operation_is_linked_from_the_list() -> None:
    reference = ROOT / "docs" / "reference"
    linked = set(links(reference / "operations.md"))
    assert {f"operations/{page.name}" for page in (reference / "operations").iterdir()} <= linked
