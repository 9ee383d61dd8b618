"""Reads the ledger: statements about operations and settings, and what operations were last shown against.

The files of `ledger/` are the sections of `docs/fidelity.md`, in the order of their names. A test holds them
against the code, and the lists of `evidence.yaml` against what clients and published documents call.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from mockserver.yaml_files import read_yaml_file

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Statement:
    """What is said about the mock beside the real service."""

    id: str
    kind: str
    """`imitated`, `simplified`, `absent`, `accepted`, `without effect` or `decided`."""
    says: str
    """Markdown; links are relative to the folder `docs`."""
    source: str
    """What it follows: a section of the specification, a standard, a published document, a client's code, or
    a decision of the project."""
    setup: str = ""
    """The page that says how a test sets it up, in the folder `docs`."""
    operations: tuple[str, ...] = ()
    """What it is about: ids of operations, or `@` and a resource; `*` stands for any characters. Without any
    it is about all. So are the others."""
    settings: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    lifecycles: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    """Ids of the evidence for it."""

    def names(self, kind: str, name: str) -> bool:
        """Whether it names one of the `settings`, `faults`, `errors`, `lifecycles` or `members`."""
        return any(fnmatchcase(name, pattern) for pattern in getattr(self, kind))


@dataclass(frozen=True, slots=True)
class Section:
    """A file of the ledger."""

    title: str
    statements: tuple[Statement, ...]
    part: str = ""
    """The heading that it is below, if any."""
    part_introduction: str = ""
    introduction: str = ""
    layout: str = "list"
    """How its page shows it: `list`, or the table of `members` or `operations`."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the mock was last shown to agree with."""

    id: str
    what: str
    version: str
    date: str
    """When it was, as ISO 8601 has it."""
    by: str
    """The tests or the command that show it."""
    operations: tuple[str, ...] = ()
    """Those that it has shown."""

    def __str__(self) -> str:
        return f"{self.what} {self.version} ({self.date})"


class Ledger:
    """All sections, and the evidence."""

    def __init__(self, sections: Sequence[Section], evidence: Sequence[Evidence]) -> None:
        self.sections = sections
        self.evidence = evidence
        by_rank = sorted(sections, key=lambda section: section.layout != "operations")
        self._ranked = [each for section in by_rank for each in section.statements]
        # Nearly all patterns are names as they are, which are found at once.
        self._named: dict[str, set[int]] = defaultdict(set)
        self._globs: list[tuple[str, int]] = []
        for rank, each in enumerate(self._ranked):
            for pattern in each.operations:
                if "*" in pattern:
                    self._globs.append((pattern, rank))
                else:
                    self._named[pattern].add(rank)

    @property
    def statements(self) -> Iterator[Statement]:
        """Every statement, in the order of the sections."""
        return (each for section in self.sections for each in section.statements)

    def about(self, operation: str, tag: str) -> list[Statement]:
        """The statements about an operation or its resource, that of the table of operations first.

        Those that are about all are not among them.
        """
        names = (operation, f"@{tag}")
        ranks = {rank for name in names for rank in self._named.get(name, ())}
        ranks |= {rank for glob, rank in self._globs if any(fnmatchcase(name, glob) for name in names)}
        return [self._ranked[rank] for rank in sorted(ranks)]

    def contradicted(self, operation: str, tag: str, member: str) -> list[Statement]:
        """The statements that a deviation of a member contradicts: those that name it, or else the first.

        The member is a path as reports write it, such as `body /calls/*/functionName`.
        """
        word = member.rpartition("/")[2].rpartition(" ")[2]
        about = self.about(operation, tag)
        named = [each for each in about if word and (f"`{word}`" in each.says or word in each.members)]
        return named or about[:1]

    def shown(self, operation: str) -> list[Evidence]:
        """What an operation was last shown against."""
        return [each for each in self.evidence if operation in each.operations]

    def to_json(self, operation: str, tag: str) -> dict[str, Any]:
        """What is known about an operation: the extension `x-mockserver-fidelity` of the OpenAPI document.

        It is empty for an operation that is in no table.
        """
        statements = self.about(operation, tag)
        if not statements:
            return {}
        main = statements[0]
        return {
            "kind": main.kind,
            "source": main.source,
            "setup": f"docs/{main.setup}",
            "shown": [
                {"what": each.what, "version": each.version, "date": each.date}
                for each in self.shown(operation)
            ],
            "statements": [each.id for each in statements],
        }


@cache
def read_ledger() -> Ledger:
    """The ledger of this version."""
    sections = [_section(read_yaml_file(file)) for file in sorted((_FOLDER / "ledger").glob("*.yaml"))]
    evidence = [Evidence(**_frozen(entry)) for entry in read_yaml_file(_FOLDER / "evidence.yaml")]
    return Ledger(tuple(sections), tuple(evidence))


def _section(read: dict[str, Any]) -> Section:
    shared = {field.name: read.pop(field.name) for field in fields(Statement) if field.name in read}
    statements = [Statement(**_frozen({**shared, **entry})) for entry in read.pop("statements")]
    return Section(statements=tuple(statements), **read)


def _frozen(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
