"""Error coverage of several runs: files with what earlier ones have met, and with what cannot be met."""

import json
from contextlib import suppress
from pathlib import Path

import yaml

from mockserver.server.assembly import ROUTES
from mockserver.server.control.history.coverage import ErrorCoverage, NotApplicable
from mockserver.server.control.history.unhappy_paths import unhappy_paths


def merge_into(file: Path, coverage: ErrorCoverage) -> None:
    """Add what a file has of earlier runs, and write all of it there. ValueError for another file."""
    with suppress(FileNotFoundError):
        try:
            coverage.add(json.loads(file.read_text(encoding="utf-8"))["met"])
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ValueError(f"{file} is not what an earlier run has written") from None
    file.write_text(json.dumps(coverage.answer(), indent=2) + "\n", encoding="utf-8")


def read_not_applicable(file: Path) -> NotApplicable:
    """The paths that a file leaves out. A ValueError says what is wrong with it."""
    try:
        read = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    if not isinstance(read, dict):
        raise ValueError(f"{file}: is to map operations to paths")
    for operation, paths in read.items():
        if not isinstance(paths, dict) or not all(
            isinstance(reason, str) and reason for reason in paths.values()
        ):
            raise ValueError(f"{file}: {operation}: is to map paths to reasons")
        known = {path.id for path in unhappy_paths(ROUTES.by_operation.get(operation))}
        unknown = paths.keys() - known if operation != "*" else set()
        if unknown:
            raise ValueError(
                f"{file}: {operation} has no path {min(unknown)!r}, but {', '.join(sorted(known))}"
            )
    return read
