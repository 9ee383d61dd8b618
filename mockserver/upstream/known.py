"""Deviations that are known, with the reasons for them."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import yaml

PUBLISHED = Path(__file__).parent / "published.yaml"
"""Where this version differs from the published OpenAPI documents."""
_ENTRY = frozenset({"operation", "member", "reason", "since"})


class KnownDrift(NamedTuple):
    """A deviation that is known: an entry of the file."""

    operation: str
    """Its id, or method and path; `*` stands for any characters, here and in the member."""
    member: str
    """As a report names it."""
    reason: str
    since: str

    def is_about(self, names: Collection[str]) -> bool:
        """Whether the entry is about an operation with these names."""
        return any(fnmatchcase(name, self.operation) for name in names)


@dataclass(slots=True)
class KnownDrifts:
    """The entries, and how often each occurred."""

    entries: tuple[KnownDrift, ...] = ()
    counts: dict[KnownDrift, int] = field(default_factory=dict)

    def accepts(self, names: Collection[str], member: str) -> bool:
        """Count a deviation of an operation, which may have several names, if it is known."""
        for each in self.entries:
            if fnmatchcase(member, each.member) and each.is_about(names):
                self.counts[each] = self.counts.get(each, 0) + 1
                return True
        return False

    @property
    def outdated(self) -> list[KnownDrift]:
        """The entries that did not occur."""
        return [each for each in self.entries if each not in self.counts]

    def lines(self) -> Iterator[str]:
        """What occurred of them, and what did not, for people."""
        for known, count in self.counts.items():
            times = f"{count} times" if count > 1 else "once"
            yield f"known: {known.operation} {known.member}: {known.reason} (since {known.since}, {times})"
        for known in self.outdated:
            yield f"no longer: {known.operation} {known.member} is in the file, and did not occur"

    def to_json(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "known": [known._asdict() | {"count": count} for known, count in self.counts.items()],
            "outdated": [known._asdict() for known in self.outdated],
        }


def read_known(file: Path) -> tuple[KnownDrift, ...]:
    """The deviations of a file: a list of `operation`, `member`, `reason`, `since`. ValueError."""
    try:
        read = yaml.safe_load(file.read_text(encoding="utf-8")) or []
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    if not isinstance(read, list):
        raise ValueError(f"{file}: is to be a list")
    for number, entry in enumerate(read, 1):
        if not isinstance(entry, dict) or entry.keys() != _ENTRY or not all(entry.values()):
            raise ValueError(f"{file}: entry {number}: is to have {', '.join(sorted(_ENTRY))}")
    return tuple(KnownDrift(**{name: str(value) for name, value in entry.items()}) for entry in read)
