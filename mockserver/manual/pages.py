"""The pages of the documentation, and the sections of a page."""

import re
from functools import cache
from typing import NamedTuple

from mockserver.kernel.spelling import say_unknown
from mockserver.manual.sources import load_sources

_HEADING = re.compile(r"(?P<marks>#{1,6}) (?P<text>.+)")
_GENERATED = re.compile(r"\A<!--.*?-->\n+", re.DOTALL)
_ROW_OF_INDEX = re.compile(r"^\| \[[^\]]+\]\((?P<path>[^)]+)\.md\) \| (?P<summary>.+) \|$", re.MULTILINE)
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?:[^)\s:#]*/)?(?P<page>[\w-]+)\.md(?P<anchor>#[^)\s]*)?\)")
_NO_PROSE = ("#", "`", "|", "<", "-", "*", "!", ">")
_OPERATIONS = "reference/operations/"


class Page(NamedTuple):
    """A page, without its text."""

    name: str
    """Its path below `docs`, without the ending: `guides/faults`."""
    title: str
    summary: str
    """One line: what it answers, or its first sentence."""

    @property
    def is_operation(self) -> bool:
        """Whether it is the page of one operation, of which there are some two hundred."""
        return self.name.startswith(_OPERATIONS)


class Section(NamedTuple):
    """A heading and what follows until the next heading, whatever its level."""

    level: int
    heading: str
    anchor: str
    start: int
    """Where its heading begins in the text of the page."""
    end: int


def pages() -> list[Page]:
    """Every page: those that the index lists, in its order, then others, those of operations last."""
    return list(_pages().values())


def read_page(name: str) -> str:
    """The Markdown of a page, or of one section: `faults`, `guides/faults.md`, `errors#rate_limited`.

    The directory and the ending may be left out. The links to other pages have names as this takes
    them. LookupError names the nearest page or section when there is none of that name.
    """
    wanted, _, anchor = name.partition("#")
    page = find_page(wanted)
    if page is None:
        last = wanted.rpartition("/")[2]
        raise LookupError(say_unknown("a page of the documentation", last, _by_last_part()))
    text = _LINK.sub(_shorten_link, _GENERATED.sub("", load_sources()[page.name]))
    if not anchor:
        return text
    sections = read_sections(text)
    for number, section in enumerate(sections):
        if section.anchor == anchor:
            # With its subsections.
            ends = (other.start for other in sections[number + 1 :] if other.level <= section.level)
            own = text[section.start : next(ends, len(text))].rstrip() + "\n"
            return own.replace("](#", f"]({page.name.rpartition('/')[2]}.md#")
    anchors = [section.anchor for section in sections]
    raise LookupError(say_unknown(f"a section of {page.name}", anchor, anchors))


def find_page(name: str) -> Page | None:
    """A page by what `read_page` takes; None when there is none."""
    wanted = name.removesuffix(".md").strip("/")
    short = _by_last_part()
    return _pages().get(wanted) or _pages().get(short.get(wanted) or short.get(wanted.lower(), ""))


def read_sections(text: str) -> list[Section]:
    """The sections of a page, in order. What is before the first heading is in none."""
    headings: list[tuple[int, re.Match[str]]] = []
    position, is_fenced = 0, False
    for line in text.splitlines(keepends=True):
        if line.startswith("```"):
            is_fenced = not is_fenced
        elif line.startswith("#") and not is_fenced and (heading := _HEADING.match(line)):
            headings.append((position, heading))
        position += len(line)
    ends = [start for start, _ in headings[1:]] + [len(text)]
    return [
        Section(len(heading["marks"]), heading["text"], anchor_of(heading["text"]), start, end)
        for (start, heading), end in zip(headings, ends, strict=True)
    ]


def anchor_of(heading: str) -> str:
    """The anchor of a heading, as code hosts and the site make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def first_sentence(text: str) -> str:
    """The first sentence of a page's prose, in one line and without links."""
    prose = next((part for part in text.split("\n\n") if not part.startswith(_NO_PROSE)), "")
    sentence = re.split(r"(?<=[.?])\s", prose, maxsplit=1)[0]
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", sentence).replace("\n", " ")


@cache
def _pages() -> dict[str, Page]:
    sources = load_sources()
    told = {row["path"]: row["summary"] for row in _ROW_OF_INDEX.finditer(sources["index"])}
    found = []
    for name, text in sources.items():
        title = text[text.index("# ") + 2 :].partition("\n")[0].replace("`", "")
        found.append(Page(name, title, told.get(name) or first_sentence(text)))
    order = {name: number for number, name in enumerate(told)}
    found.sort(key=lambda page: (page.is_operation, order.get(page.name, len(order)), page.name))
    return {page.name: page for page in found}


@cache
def _by_last_part() -> dict[str, str]:
    """The pages by the last part of their names, and by that in lower case where it is no other page's."""
    exact = {name.rpartition("/")[2]: name for name in _pages()}
    return {short.lower(): name for short, name in reversed(exact.items())} | exact


def _shorten_link(link: re.Match[str]) -> str:
    """A link to a page as `read_page` takes it; of one to a page that is in the checkout only, the text."""
    if link["page"] not in _by_last_part():
        return link["text"]
    return f"[{link['text']}]({link['page']}.md{link['anchor'] or ''})"
