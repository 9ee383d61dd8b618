"""What a comparison found, by operation and member, and which of it is known."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from mockserver.upstream.comparing import Compared
from mockserver.upstream.shapes import Drift

_ENTRY = frozenset({"operation", "member", "reason", "since"})


class KnownDrift(NamedTuple):
    """A deviation that is known: a line of the file."""

    operation: str
    member: str
    """As a report names it; `*` for all of the operation."""
    reason: str
    since: str


@dataclass(slots=True)
class Found:
    """A drift, and the exchanges that have it."""

    drift: Drift
    first: Compared
    count: int = 0


@dataclass(slots=True)
class Report:
    """What was compared."""

    known: tuple[KnownDrift, ...] = ()
    compared: int = 0
    drifts: dict[tuple[str, str, str], Found] = field(default_factory=dict)
    accepted: dict[KnownDrift, int] = field(default_factory=dict)
    skipped: list[Compared] = field(default_factory=list)

    def add(self, compared: Compared) -> None:
        """Add what came of an exchange."""
        if compared.skipped is not None:
            self.skipped.append(compared)
            return
        self.compared += 1
        for drift in compared.drifts:
            known = self._find_known(compared.operation, drift)
            if known is not None:
                self.accepted[known] = self.accepted.get(known, 0) + 1
                continue
            key = (compared.operation, drift.member, drift.kind)
            self.drifts.setdefault(key, Found(drift, compared)).count += 1

    def _find_known(self, operation: str, drift: Drift) -> KnownDrift | None:
        fits = (each for each in self.known if each.operation == operation)
        return next((each for each in fits if each.member in ("*", drift.member)), None)

    @property
    def outdated(self) -> list[KnownDrift]:
        """The known deviations that did not occur."""
        return [each for each in self.known if each not in self.accepted]

    def lines(self) -> Iterator[str]:
        """The report for people."""
        operation = None
        for (of, member, kind), found in sorted(self.drifts.items()):
            if of != operation:
                operation = of
                yield f"{of} ({found.first.title})"
            times = f", {found.count} times" if found.count > 1 else ""
            place = f"exchange {found.first.number}{times}"
            yield f"  {member or 'the answer'}: {kind}: {found.drift.told} ({place})"
        for known, count in self.accepted.items():
            told = f"{known.reason} (since {known.since}, {count} times)"
            yield f"known: {known.operation} {known.member}: {told}"
        for known in self.outdated:
            yield f"no longer: {known.operation} {known.member} is in the file, and did not occur"
        reasons: dict[str, list[int]] = {}
        for each in self.skipped:
            reasons.setdefault(each.skipped or "", []).append(each.number)
        for reason, numbers in reasons.items():
            shown = ", ".join(map(str, numbers[:5])) + (" and more" if len(numbers) > 5 else "")
            yield f"not compared: {len(numbers)} because {reason} (exchange {shown})"
        drifts = f"{len(self.drifts) or 'no'} drifts"
        yield f"{self.compared} answers compared, {drifts}, {len(self.skipped)} not compared"

    def to_json(self) -> dict[str, Any]:
        """The report for programs."""
        drifts: Iterable[Mapping[str, Any]] = [
            {
                "operation": operation,
                "member": member,
                "kind": kind,
                "told": found.drift.told,
                "exchange": found.first.number,
                "count": found.count,
            }
            for (operation, member, kind), found in sorted(self.drifts.items())
        ]
        return {
            "compared": self.compared,
            "drifts": drifts,
            "known": [known._asdict() | {"count": count} for known, count in self.accepted.items()],
            "outdated": [known._asdict() for known in self.outdated],
            "skipped": [{"exchange": each.number, "reason": each.skipped} for each in self.skipped],
        }


def read_known(file: Path) -> tuple[KnownDrift, ...]:
    """The deviations of a file: a list of `operation`, `member`, `reason`, `since`. ValueError."""
    try:
        read = yaml.safe_load(file.read_text(encoding="utf-8")) or []
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{file}: {error}") from None
    if not isinstance(read, list):
        raise ValueError(f"{file}: is to be a list")
    for number, entry in enumerate(read, 1):
        if not isinstance(entry, dict) or entry.keys() != _ENTRY or not all(entry.values()):
            raise ValueError(f"{file}: entry {number}: is to have {', '.join(sorted(_ENTRY))}")
    return tuple(KnownDrift(**{name: str(value) for name, value in entry.items()}) for entry in read)
