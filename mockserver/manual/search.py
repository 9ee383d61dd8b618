"""A search in the documentation: which sections have the words, those in headings first."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice
from math import log
from operator import mul
from typing import NamedTuple

from mockserver.kernel.spelling import nearest
from mockserver.manual.pages import pages, read_page, read_sections

_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"(?:ies|(?<![aeiou])y|s)$")
_NOT_SEARCHED = ("CHANGELOG", "index", "skills/mockserver/SKILL")
"""What has only lines and sections of other pages, and what is past."""
_MOST_WORDS = 20
_MOST_OF_A_PAGE = 2
"""So many findings of one page: others are on the page, too."""
_SHORT = 3
"""Words of so many letters are found whole only: others begin with `do`, and mean something else."""
_IS_NAMED = 100
_EXCERPT = 160


class Finding(NamedTuple):
    """A section that has words that were searched for."""

    page: str
    """Its name, as `read_page` takes it; with `#` and the anchor that gives the section."""
    heading: str
    anchor: str
    excerpt: str
    """The line with most of the words, shortened."""


class _Entry(NamedTuple):
    """A section as it is searched."""

    page: str
    heading: str
    anchor: str
    name: str
    """The last part of the page's name, and its title."""
    title: str
    """The heading, as it is and with the words of its names apart."""
    text: str
    everything: str
    """All of that in lower case."""

    @property
    def short_name(self) -> str:
        """The last part of the page's name."""
        return self.page.rpartition("/")[2]


def search(words: str, limit: int = 10) -> list[Finding]:
    """The sections that are most about the words, the best first; none when no section has any of them.

    A word that few sections have counts more, and so does one in a heading or in the name of the page.
    """
    entries = _entries()
    wanted = [_Word(word) for word in list(dict.fromkeys(_WORD.findall(words.lower())))[:_MOST_WORDS]]
    rates = [[word.rate(entry) for entry in entries] for word in wanted]
    rarities = [log(len(entries) / (1 + sum(map(bool, rate)))) for rate in rates]
    points = [sum(map(mul, of_words, rarities)) for of_words in zip(*rates, strict=True)]
    whole = words.strip()
    for number, entry in enumerate(entries):
        is_operation = f"\n`{whole}`. " in entry.text
        if whole.lower() in (entry.anchor, entry.short_name.lower()) or is_operation:
            points[number] += _IS_NAMED
    taken: Counter[str] = Counter()
    found: list[Finding] = []
    for number in sorted(range(len(points)), key=points.__getitem__, reverse=True):
        entry = entries[number]
        taken[entry.page] += 1
        if points[number] > 0 and taken[entry.page] <= _MOST_OF_A_PAGE and len(found) < limit:
            found.append(Finding(entry.page, entry.heading, entry.anchor, _excerpt(entry.text, wanted)))
    return found


def suggest(words: str) -> str | None:
    """The nearest page, operation, error or word of a heading to words that were not found; or None."""
    known: dict[str, str] = {}
    for entry in _entries():
        for word in (entry.short_name, entry.anchor, *entry.anchor.split("-")):
            known.setdefault(word.lower(), word)
    near = (nearest(word, known.values()) for word in (words.strip(), *_WORD.findall(words)))
    return next(filter(None, near), None)


@cache
def _entries() -> tuple[_Entry, ...]:
    return tuple(_read_entries())


def _read_entries() -> Iterator[_Entry]:
    for page in pages():
        if page.name in _NOT_SEARCHED:
            continue
        name = f"{page.name.rpartition('/')[2]} {_apart(page.title)}".lower()
        text = read_page(page.name)
        sections = read_sections(text)
        # What an operation is for is said first; the rest is alike on the pages of all operations.
        for section in sections[:1] if page.is_operation else sections:
            heading = section.heading.replace("`", "")
            title = f"{heading} {_apart(heading)}"
            own = text[section.start : section.end]
            everything = f"{name}\n{title}\n{own}".lower()
            yield _Entry(page.name, heading, section.anchor, name, title.lower(), own, everything)


def _apart(name: str) -> str:
    """`create contract` of `CreateContract`, `rate limited` of `rate_limited`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", name)


class _Word:
    """A word that is searched for: in the singular and in the plural, and as the beginning of longer ones."""

    def __init__(self, word: str) -> None:
        is_short = len(word) <= _SHORT
        self._stem = word if is_short else _ENDING.sub("", word)
        self._pattern = re.compile(rf"\b{re.escape(self._stem)}" + (r"s?\b" if is_short else ""))

    def is_in(self, text: str) -> bool:
        """Whether a text in lower case has it."""
        # Most texts do not: to see that takes a fiftieth of the time of the pattern.
        return self._stem in text and self._pattern.search(text) is not None

    def rate(self, entry: _Entry) -> int:
        """How much a section is about it; 0 when it does not have it."""
        if not self.is_in(entry.everything):
            return 0
        times = sum(1 for _ in islice(self._pattern.finditer(entry.everything), 4))
        return times + 6 * self.is_in(entry.title) + 3 * self.is_in(entry.name)


def _excerpt(text: str, words: list[_Word]) -> str:
    """The first line with most of the words, shortened."""
    lines = [line.strip() for line in text.splitlines()[1:] if line.strip("|`- ")]
    best = max(lines, key=lambda line: sum(word.is_in(line.lower()) for word in words), default="")
    return best if len(best) <= _EXCERPT else f"{best[: _EXCERPT - 1]}…"
