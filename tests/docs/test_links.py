"""Every link of the documentation leads somewhere, and every command that it names is there."""

import re
from functools import cache
from pathlib import Path

from mockserver.cli import COMMANDS, load_command
from mockserver.cli.parser import Parser

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
_COMMAND = re.compile(r"`mockserver ([a-z][a-z-]*)([^`\n]*)")
"""A command within a sentence: its name and what follows."""
_OPTION = re.compile(r"(?<= )--[a-z][a-z-]*")
_OUTSIDE = ("https://keepachangelog.com/", "https://llmstxt.org/", "https://semver.org/")


@cache
def headings(page: Path) -> list[str]:
    """The headings of a page."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^#+ (.+)$", text, re.MULTILINE)


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as they are made from their text."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings(page)}


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


def is_broken(page: Path, link: str) -> bool:
    """Whether a link of a page leads nowhere, or out of the project."""
    if link.startswith("https://"):
        return not link.startswith(_OUTSIDE)
    path, _, anchor = link.partition("#")
    target = followed(page.parent, path) if path else page
    if target is None or not target.is_relative_to(ROOT):
        return True
    return bool(anchor) and anchor not in anchors(target)


def test_every_link_of_every_page_leads_somewhere() -> None:
    found = [
        f"{page.relative_to(ROOT)}: {link}" for page in PAGES for link in links(page) if is_broken(page, link)
    ]
    assert found == []


def test_every_heading_of_a_page_has_an_anchor_of_its_own() -> None:
    for page in PAGES:
        found = headings(page)
        assert page.name == "CHANGELOG.md" or len(found) == len(anchors(page)), f"{page}: {sorted(found)}"


def test_every_guide_and_page_is_linked_from_the_index() -> None:
    linked = set(links(ROOT / "docs" / "index.md"))
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").glob("**/*.md")}
    operations = {page for page in pages if page.startswith("reference/operations/")}
    assert pages - {"index.md"} - operations <= linked


def test_the_page_of_every_operation_is_linked_from_the_list() -> None:
    reference = ROOT / "docs" / "reference"
    linked = set(links(reference / "operations.md"))
    assert {f"operations/{page.name}" for page in (reference / "operations").iterdir()} <= linked


def test_every_command_of_every_page_is_there() -> None:
    options: dict[str, list[str]] = {}
    for name in COMMANDS:
        parser = Parser()
        load_command(name).add_arguments(parser)
        options[name] = parser.option_names()
    for page in PAGES:
        # A table that begins with such names is about the sections of a report.
        text = re.sub(r"^\| `mockserver.*", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for name, rest in _COMMAND.findall(text):
            assert name in options, (page, name)
            assert {*_OPTION.findall(rest.split(" -- ")[0])} <= {*options[name]}, (page, name, rest)
