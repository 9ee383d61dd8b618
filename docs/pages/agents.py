"""What coding agents read first: of those who work on this code, and of those who use it.

Both are sections of other pages, so that nothing is written twice.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

from docs.pages.markdown import page
from mockserver.manual.pages import read_sections

ROOT = Path(__file__).resolve().parents[2]

_AGENTS = {
    "CONTRIBUTING.md": ("Set-up", "Limits", "Laws", "Where to look", "Adding an endpoint", "Adding an error"),
    "docs/architecture.md": ("Layers",),
}
_SKILL = {
    "docs/guides/quick-start.md": ("Any language, over HTTP", "A first test", "Your own code"),
    "docs/guides/command-line.md": ("A command against a server",),
    "docs/guides/pytest.md": ("Fixtures", "When a test fails"),
    "docs/guides/scenarios.md": ("Example: an outage", "Why did my rule not fire?"),
    "docs/guides/faults.md": ("The faults",),
}
_MORE = {"docs/guides/command-line.md": ("Documentation offline",)}
_LINK = re.compile(r"\]\((?P<path>[^)\s#]*)(?P<anchor>#[^)\s]*)?\)")


def agents_page(path: str) -> str:
    """The page for those who change this code; `path` is where it will be, below the root."""
    lines = [
        "# Working on mockserver",
        "",
        "These are sections of [contributing](CONTRIBUTING.md), which has more, and of",
        "[architecture](docs/architecture.md). Words have the meanings of the [glossary](docs/glossary.md).",
    ]
    return page([_move("\n".join(lines), "AGENTS.md", path), *_sections(_AGENTS, path)])


def skill_page(path: str) -> str:
    """The skill for those who use the package (agentskills.io); `path` is where it will be."""
    head = (
        "---",
        "name: mockserver",
        "description: Test code against mockserver, a double of a wallet, identity and gas-sponsorship API "
        "that runs here. Use it to start the server, get keys, write pytest fixtures, scenarios and faults, "
        "and to find out why a test failed.",
        "---",
        "",
    )
    lines = [
        "# Testing with mockserver",
        "",
        "Everything is in the memory of one server. No call leaves the machine, and no test waits: the clock",
        "of a test moves when the test moves it. `mockserver docs` has the whole documentation, offline: a",
        "link to `pytest.md#fixtures` is read by `mockserver docs pytest.md#fixtures`. In vitest, jest and",
        "Playwright Test the package for Node gives each test a project of its own: `mockserver docs node`.",
        "`mockserver export FILE --to pytest`, or `--to vitest`, writes the file of a",
        "[recording](../../guides/record-replay.md) as a test.",
    ]
    sections = (*_sections(_SKILL, path), *_sections(_MORE, path))
    return "\n".join(head) + page([*lines, *sections])


def _sections(chosen: Mapping[str, tuple[str, ...]], path: str) -> list[str]:
    """The sections of pages by their headings, in that order, with links as they are from another place."""
    found = []
    for source, headings in chosen.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        sections = {section.heading: text[section.start : section.end] for section in read_sections(text)}
        found += [f"\n{_move(sections[heading].rstrip(), source, path)}" for heading in headings]
    return found


def _move(text: str, source: str, path: str) -> str:
    """A text of one page for another: its links lead where they led."""

    def move(link: re.Match[str]) -> str:
        if "://" in link["path"]:
            return link[0]
        target = normpath(join(dirname(source), link["path"])) if link["path"] else source
        return f"]({relpath(target, dirname(path))}{link['anchor'] or ''})"

    return _LINK.sub(move, text)
