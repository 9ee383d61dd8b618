"""What is wrong with a scenario, and where."""

from collections.abc import Iterable
from typing import NamedTuple, NoReturn

from mockserver.kernel.spelling import MOST_EXPLAINED, describe_unknown, did_you_mean, quote

MAX_FINDINGS = 100
"""More than this many are not listed: the first ones are to be fixed first."""


class Place(NamedTuple):
    """Where something stands in a text. Lines and columns count from 1."""

    line: int
    column: int


class Finding(NamedTuple):
    """One thing that is wrong, and the nearest valid name when a name is unknown."""

    source: str
    line: int
    column: int
    message: str
    nearest: str | None = None

    def __str__(self) -> str:
        hint = did_you_mean(self.nearest)
        return f"{self.source}:{self.line}:{self.column}: {self.message}{hint}"


class ScenarioError(ValueError):
    """A scenario is rejected as a whole. There is at least one finding; they are in the order of the text."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = list(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings))


def decode(content: bytes, source: str) -> str:
    """The text of a scenario. ScenarioError with its place when it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ScenarioError([Finding(source, line, 1, "is not UTF-8")]) from None


class Findings:
    """Collects what is wrong with one source."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._found: list[Finding] = []
        self._described: dict[tuple[str, str, tuple[str, ...]], tuple[str, str | None]] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    @property
    def are_many(self) -> bool:
        """Whether no more are noted."""
        return len(self._found) >= MAX_FINDINGS

    def add(self, place: Place, message: str, nearest: str | None = None) -> None:
        """Note what is wrong at a place."""
        finding = Finding(self.source, place.line, place.column, message, nearest)
        if not self.are_many and finding not in self._found:
            self._found.append(finding)

    def add_unknown(self, place: Place, what: str, name: str, valid: Iterable[str]) -> None:
        """Note that a name means nothing: what it should be, and the nearest name that it could be.

        The nearest is looked for once for a name, and only for the first names.
        """
        if self.are_many:
            return
        names = tuple(valid)
        described = self._described.get((what, name, names))
        if described is None and len(self._described) < MOST_EXPLAINED:
            described = self._described[what, name, names] = describe_unknown(what, name, names)
        self.add(place, *(described or (f"{quote(name)} is not {what}",)))

    def reject(self, place: Place, message: str) -> NoReturn:
        """Note what is wrong at a place, and reject the source."""
        self.add(place, message)
        raise self.error()

    def error(self) -> ScenarioError:
        """The error with all findings, in the order of the text."""
        return ScenarioError(sorted(self._found, key=lambda finding: (finding.line, finding.column)))

    def stop_if_any(self) -> None:
        """Reject the source if anything is wrong with it."""
        if self._found:
            raise self.error()
