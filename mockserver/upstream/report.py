"""What a comparison found, by operation and member, and which of it is known."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mockserver.fidelity.ledger import read_ledger
from mockserver.kernel.spelling import list_some
from mockserver.server.assembly import ROUTES
from mockserver.upstream.comparing import Compared
from mockserver.upstream.known import KnownDrifts
from mockserver.upstream.shapes import Drift


def contradicted_ids(operation: str, member: str) -> list[str]:
    """The lines of the ledger that a deviation of an operation contradicts, by their ids."""
    endpoint = ROUTES.by_operation.get(operation)
    lines = [] if endpoint is None else read_ledger().contradicted(operation, endpoint.tag, member)
    return [each.id for each in lines]


def contradicted(operation: str, member: str) -> str:
    """The same for the end of what is said about it."""
    ids = contradicted_ids(operation, member)
    return f"; the ledger says otherwise: {', '.join(ids)}" if ids else ""


@dataclass(slots=True)
class Report:
    """What was compared."""

    known: KnownDrifts = field(default_factory=KnownDrifts)
    compared: int = 0
    drifts: dict[tuple[str, str, str], list[tuple[Compared, Drift]]] = field(default_factory=dict)
    """By operation, member and kind, with the exchanges that have it."""
    skipped: list[Compared] = field(default_factory=list)

    def add(self, compared: Compared) -> None:
        """Add what came of an exchange."""
        if compared.skipped is not None:
            self.skipped.append(compared)
            return
        self.compared += 1
        for drift in compared.drifts:
            if self.known.accepts({compared.operation}, drift.member):
                continue
            key = (compared.operation, drift.member, drift.kind)
            self.drifts.setdefault(key, []).append((compared, drift))

    def lines(self) -> Iterator[str]:
        """The report for people."""
        operation = None
        for (of, member, kind), ((first, drift), *others) in sorted(self.drifts.items()):
            if of != operation:
                operation = of
                yield f"{of} ({first.title})"
            times = f", {len(others) + 1} times" if others else ""
            place = f"exchange {first.number}{times}{contradicted(of, member)}"
            yield f"  {member or 'the answer'}: {kind}: {drift.told} ({place})"
        yield from self.known.lines()
        reasons: dict[str | None, list[int]] = {}
        for each in self.skipped:
            reasons.setdefault(each.skipped, []).append(each.number)
        for reason, numbers in reasons.items():
            yield f"not compared: {len(numbers)} because {reason} (exchange {list_some(numbers)})"
        drifts = f"{len(self.drifts) or 'no'} drifts"
        yield f"{self.compared} answers compared, {drifts}, {len(self.skipped)} not compared"

    def to_json(self) -> dict[str, Any]:
        """The report for programs."""
        drifts: Iterable[Mapping[str, Any]] = [
            {
                "operation": operation,
                "member": member,
                "kind": kind,
                "told": drift.told,
                "exchange": first.number,
                "count": len(others) + 1,
                "contradicts": contradicted_ids(operation, member),
            }
            for (operation, member, kind), ((first, drift), *others) in sorted(self.drifts.items())
        ]
        return {
            "compared": self.compared,
            "drifts": drifts,
            **self.known.to_json(),
            "skipped": [{"exchange": each.number, "reason": each.skipped} for each in self.skipped],
        }
