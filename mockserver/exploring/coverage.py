"""Error coverage: which unhappy paths of the operations that a consumer calls its tests have met."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from mockserver.exploring.paths import is_met, unhappy_paths

NotApplicable = Mapping[str, Mapping[str, str]]
"""By operation, or `*` for all: the paths that a consumer cannot meet, each with the reason."""


class ErrorCoverage:
    """What was met, by operation. That of several runs and workers adds up."""

    def __init__(self, not_applicable: NotApplicable | None = None) -> None:
        self._not_applicable = not_applicable or {}
        self._met: dict[str, set[str]] = {}

    def see(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Add what the entries of a journal show."""
        for entry in entries:
            operation = entry["operation"]
            if operation is not None and unhappy_paths(operation):
                met = self._met.setdefault(operation, set())
                met.update(path.id for path in unhappy_paths(operation) if is_met(path, entry))

    def add(self, met: Mapping[str, Iterable[str]]) -> None:
        """Add that of another run or worker, as `to_json` gives it."""
        for operation, paths in met.items():
            self._met.setdefault(operation, set()).update(paths)

    def merge_into(self, file: Path) -> None:
        """Add what a file has of earlier runs, and write all of it there. ValueError for another file."""
        with suppress(FileNotFoundError):
            try:
                self.add(json.loads(file.read_text(encoding="utf-8"))["met"])
            except (ValueError, KeyError, TypeError, AttributeError):
                raise ValueError(f"{file} is not what an earlier run has written") from None
        missing = {operation: self.missing(operation) for operation in sorted(self._met)}
        written = {"percent": round(self.percent, 1), "met": self.to_json(), "missing": missing}
        file.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")

    def to_json(self) -> dict[str, list[str]]:
        """What was met, by operation."""
        return {operation: sorted(self._met[operation]) for operation in sorted(self._met)}

    def missing(self, operation: str) -> list[str]:
        """The paths of an operation that were not met, most likely first."""
        met = self._met.get(operation, set())
        return [path for path in self._applicable(operation) if path not in met]

    @property
    def percent(self) -> float:
        """How much was met, of all that can be; 100 of nothing."""
        total = sum(len(self._applicable(operation)) for operation in self._met)
        missing = sum(len(self.missing(operation)) for operation in self._met)
        return 100 * (total - missing) / total if total else 100.0

    def lines(self) -> list[str]:
        """A table for a terminal: a line for each operation."""
        if not self._met:
            return ["no operation of the API was called"]
        width = max(map(len, self._met))
        found = [f"{'operation':{width}}   met  not met, most likely first"]
        for operation in sorted(self._met):
            total, missing = len(self._applicable(operation)), self.missing(operation)
            shown = ", ".join(missing[:6]) + (f" and {len(missing) - 6} more" if len(missing) > 6 else "")
            found.append(f"{operation:{width}} {total - len(missing):>2}/{total:<2}  {shown}".rstrip())
        return [*found, f"{self.percent:.0f} % of the errors that these operations can give were met"]

    def _applicable(self, operation: str) -> list[str]:
        left_out = {**self._not_applicable.get("*", {}), **self._not_applicable.get(operation, {})}
        return [path.id for path in unhappy_paths(operation) if path.id not in left_out]


def read_not_applicable(file: Path) -> NotApplicable:
    """The paths that a file leaves out. A ValueError says what is wrong with it."""
    try:
        read = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{file}: {error}") from None
    if not isinstance(read, dict):
        raise ValueError(f"{file}: is to map operations to paths")
    for operation, paths in read.items():
        if not isinstance(paths, dict) or not all(
            isinstance(reason, str) and reason for reason in paths.values()
        ):
            raise ValueError(f"{file}: {operation}: is to map paths to reasons")
        known = {path.id for path in unhappy_paths(operation)}
        unknown = paths.keys() - known if operation != "*" else set()
        if unknown:
            raise ValueError(
                f"{file}: {operation} has no path {min(unknown)!r}, but {', '.join(sorted(known))}"
            )
    return read
