"""What a published OpenAPI document says that the mock does not, and the other way around."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mockserver.upstream.described import Member, Operation, Operations
from mockserver.upstream.known import KnownDrift, KnownDrifts
from mockserver.upstream.report import contradicted, contradicted_ids
from mockserver.upstream.shapes import Drift


@dataclass(slots=True)
class DocumentReport:
    """What differs, and which of it is known."""

    known: KnownDrifts
    compared: int
    drifts: dict[Drift, list[Operation]] = field(default_factory=dict)
    """Each with the operations that have it."""

    def lines(self) -> Iterator[str]:
        """The report for people."""
        for drift, (operation, *others) in self.drifts.items():
            more = f" and {len(others)} more" if others else ""
            lines = contradicted(operation.operation_id, drift.member)
            yield f"{_name(operation)}{more}: {drift.member or 'the answer'}: {drift.told}{lines}"
        yield from self.known.lines()
        yield f"{self.compared} operations compared, {len(self.drifts) or 'no'} drifts"

    def to_json(self) -> dict[str, Any]:
        """The report for programs."""
        drifts = [
            drift._asdict()
            | {
                "operations": [_name(each) for each in operations],
                "contradicts": contradicted_ids(operations[0].operation_id, drift.member),
            }
            for drift, operations in self.drifts.items()
        ]
        return {"compared": self.compared, "drifts": drifts, **self.known.to_json()}


def compare_documents(
    published: Operations, served: Operations, known: tuple[KnownDrift, ...] = ()
) -> DocumentReport:
    """What differs of the operations of a document; what is known of others is left out."""
    # A document of one part of the API says nothing about the others.
    families = {_family(path) for _, path in published}
    compared = published | {key: each for key, each in served.items() if _family(key[1]) in families}
    names = {name for operation in compared.values() for name in _names(operation)}
    report = DocumentReport(KnownDrifts(tuple(each for each in known if each.is_about(names))), len(compared))
    for key, operation in compared.items():
        for drift in _compare(published.get(key), served.get(key)):
            if not report.known.accepts(_names(operation), drift.member):
                report.drifts.setdefault(drift, []).append(operation)
    return report


def _names(operation: Operation) -> Collection[str]:
    return (operation.operation_id, operation.title)


def _name(operation: Operation) -> str:
    return f"{operation.title} ({operation.operation_id})" if operation.operation_id else operation.title


def _family(path: str) -> str:
    """The first parts of a path, up to the resource."""
    parts = path.split("/")
    return "/".join(parts[: 4 if parts[1] == "iam" else 3])


def _compare(published: Operation | None, served: Operation | None) -> Iterator[Drift]:
    if published is None:
        yield Drift("added", "operation", "served, and not in the document")
        return
    if served is None:
        summary = f": {published.summary}" if published.summary else ""
        yield Drift("missing", "operation", f"new in the document, and not served{summary}")
        return
    if published.is_deprecated and not served.is_deprecated:
        yield Drift("deprecated", "operation", "deprecated in the document, and not here")
    if published.statuses and not published.statuses & served.statuses:
        there, here = _listed(published.statuses), _listed(served.statuses)
        yield Drift("status", "status", f"the document has {there}, the mock {here}")
    yield from _compare_members("", published.parameters, served.parameters)
    yield from _compare_members("body", published.body, served.body)
    yield from _compare_members("answer", published.answer, served.answer)


def _compare_members(place: str, there: Mapping[str, Member], here: Mapping[str, Member]) -> Iterator[Drift]:
    for name in dict.fromkeys((*there, *here)):
        if _is_below(name, there) or _is_below(name, here):
            continue
        yield from _compare_member(f"{place} {name}".strip(), place, there.get(name), here.get(name))


def _is_below(name: str, members: Mapping[str, Member]) -> bool:
    """Whether a member is in one that is missing, open, or described elsewhere: it says nothing more."""
    while name.startswith("/"):
        name = name.rpartition("/")[0]
        member = members.get(name)
        if member is None or member.is_open or (member.is_row and name not in ("", "/data/*")):
            return True
    return False


def _compare_member(title: str, place: str, there: Member | None, here: Member | None) -> Iterator[Drift]:
    if there is None:
        if here is not None:
            yield Drift("added", title, f"not in the document ({_kind(here)})")
        return
    if here is None:
        required = ", required" if there.is_required and place != "answer" else ""
        yield Drift("missing", title, f"new in the document ({_kind(there)}{required})")
        return
    if there.types and here.types and not there.types & here.types:
        yield Drift("type", title, f"{_listed(there.types)} in the document, {_listed(here.types)} here")
    if there.values and here.values and there.values - here.values:
        yield Drift("enum", title, f"{_listed(there.values - here.values)} only in the document")
    if there.values and here.values and here.values - there.values:
        yield Drift("enum", title, f"{_listed(here.values - there.values)} only here")
    if place != "answer" and there.is_required != here.is_required:
        sides = ("in the document", "here") if there.is_required else ("here", "in the document")
        yield Drift("required", title, f"required {sides[0]}, and not {sides[1]}")
    if there.is_deprecated and not here.is_deprecated:
        yield Drift("deprecated", title, "deprecated in the document, and not here")


def _kind(member: Member) -> str:
    return _listed(member.values) or _listed(member.types) or "any type"


def _listed(texts: Collection[str]) -> str:
    return ", ".join(sorted(texts))
