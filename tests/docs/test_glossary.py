"""The glossary has one line a term, in order, and says where each term is used."""

import re
from itertools import pairwise
from pathlib import Path

from tests.docs.test_links import anchors, links
from tests.tables import cases

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
_ROW = re.compile(r"^\| (?P<term>[^|]+) \| (?P<meaning>[^|]+) \| \[[^\]]+\]\((?P<link>[^)]+)\) \|$")
_HEADER = ("| Term | Means | See |", "|---|---|---|")


def groups() -> dict[str, list[str]]:
    """The rows of every group, by its heading."""
    found: dict[str, list[str]] = {}
    terms, _, _ = GLOSSARY.read_text(encoding="utf-8").partition("\n## Words that are not used\n")
    for section in terms.split("\n## ")[1:]:
        heading, *lines = section.splitlines()
        found[heading] = [line for line in lines if line.startswith("|") and line not in _HEADER]
    return found


GROUPS = groups()
ROWS = [row for rows in GROUPS.values() for row in rows]


def term_of(row: str) -> str:
    """The term of a row, as it is sorted."""
    return row.split("|")[1].strip().strip("`").lower()


@cases("row", *ROWS, ids=term_of)
def test_a_term_has_a_meaning_and_a_link_that_resolves(row: str) -> None:
    match = _ROW.match(row)
    assert match, "a row has a term, a meaning and one link"
    path, _, anchor = match["link"].partition("#")
    target = (GLOSSARY.parent / path).resolve()
    assert target.is_file()
    assert not anchor or anchor in anchors(target)


@cases("heading", *GROUPS)
def test_the_terms_of_a_group_are_in_alphabetical_order(heading: str) -> None:
    terms = [term_of(row) for row in GROUPS[heading]]
    assert all(first < second for first, second in pairwise(terms))


def test_a_term_is_explained_once() -> None:
    terms = [term_of(row) for row in ROWS]
    assert len(terms) == len(set(terms))


@cases("page", "README.md", "CONTRIBUTING.md", "docs/index.md")
def test_the_glossary_is_linked_from(page: str) -> None:
    assert any(link.endswith("glossary.md") for link in links(ROOT / page))
