"""Globs: texts with wildcards. Matching takes time linear in the text, whatever the pattern."""

import re
from typing import NamedTuple

_STAR = re.compile(r"\*")


class Glob(NamedTuple):
    """A text in which wildcards stand for any characters."""

    start: str
    """What comes before the first wildcard."""
    rest: tuple[tuple[int, str], ...] = ()
    """For each wildcard the fewest characters that it stands for, and what comes after it."""

    def matches(self, text: str) -> bool:
        """Whether the whole text is of this form."""
        if not text.startswith(self.start):
            return False
        end = len(self.start)
        if not self.rest:
            return end == len(text)
        # The first place will do: what comes later has the more room.
        for fewest, literal in self.rest[:-1]:
            place = text.find(literal, end + fewest)
            if place < 0:
                return False
            end = place + len(literal)
        fewest, literal = self.rest[-1]
        return len(text) - len(literal) >= end + fewest and text.endswith(literal)


def read_glob(pattern: str, wildcards: re.Pattern[str] = _STAR) -> Glob:
    """The glob that a pattern spells: `*` stands for any text, other wildcards for at least one character."""
    start, *literals = wildcards.split(pattern)
    fewest = (0 if found == "*" else 1 for found in wildcards.findall(pattern))
    return Glob(start, tuple(zip(fewest, literals, strict=True)))
