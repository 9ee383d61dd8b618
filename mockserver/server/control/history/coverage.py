"""Error coverage: which unhappy paths of the operations that were called their clients have met."""

from collections.abc import Iterable, Mapping

from typing_extensions import TypedDict

from mockserver.api.call import Reply
from mockserver.api.endpoint import Endpoint
from mockserver.api.values import read_json
from mockserver.api.waiting import show_rows
from mockserver.errors import is_error
from mockserver.responses.pages import html_headers, table_page
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.answering.envelopes import find_code
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.history.effects import shown_tables
from mockserver.server.control.history.journal import weigh
from mockserver.server.control.history.unhappy_paths import Met, UnhappyPath, is_met, unhappy_paths
from mockserver.state.history.event import LOSE_ANSWER, Event
from mockserver.state.project import Project

coverage = ControlGroup("Error coverage")

NotApplicable = Mapping[str, Mapping[str, str]]
"""By operation, or `*` for all: the paths that a client cannot meet, each with the reason."""
_SHOWN = 6


class ErrorCoverageAnswer(TypedDict):
    """Which unhappy paths were met, by operation: errors, faults, fates, what expires."""

    percent: float
    """How much was met, of all that can be; 100 of nothing."""
    met: dict[str, list[str]]
    """Has every operation that was called."""
    missing: dict[str, list[str]]
    """Those that were not met, the most likely first."""


class ErrorCoverage:
    """What was met, by operation. That of several projects, runs and workers adds up."""

    def __init__(
        self, operations: Mapping[str, Endpoint], not_applicable: NotApplicable | None = None
    ) -> None:
        self._operations = operations
        self._not_applicable = not_applicable or {}
        self._paths: dict[str, tuple[UnhappyPath, ...]] = {}
        self._met: dict[str, set[str]] = {}

    def see(self, project: Project, event: Event) -> None:
        """Add what a call shows."""
        operation = event.operation or ""
        paths = self._paths_of(operation)
        if paths:
            self.note(operation, _read(project, event, has_outcomes=any(path.outcome for path in paths)))

    def note(self, operation: str, call: Met) -> None:
        """Add what is known of a call, which need be none of a project."""
        paths = self._paths_of(operation)
        if paths:
            met = self._met.setdefault(operation, set())
            met.update(path.id for path in paths if is_met(path, call))

    def add(self, met: Mapping[str, Iterable[str]]) -> None:
        """Add that of another project, run or worker, as the answer has it."""
        for operation, paths in met.items():
            self._met.setdefault(operation, set()).update(paths)

    def answer(self) -> ErrorCoverageAnswer:
        """All of it."""
        operations = sorted(self._met)
        met = {operation: sorted(self._met[operation]) for operation in operations}
        missing = {operation: self.missing(operation) for operation in operations}
        return {"percent": round(self.percent, 1), "met": met, "missing": missing}

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
            more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
            shown = ", ".join(missing[:_SHOWN]) + more
            found.append(f"{operation:{width}} {total - len(missing):>2}/{total:<2}  {shown}".rstrip())
        return [*found, f"{self.percent:.0f} % of the errors that these operations can give were met"]

    def page(self) -> str:
        """The same as an HTML page, with all that was met and was not."""
        rows = []
        for operation in sorted(self._met):
            total, missing = len(self._applicable(operation)), self.missing(operation)
            met = sorted(self._met[operation])
            count = f"{total - len(missing)} of {total}"
            rows.append((operation, count, ", ".join(met), ", ".join(missing)))
        heads = "Operation", "Count", "Met", "Not met, most likely first"
        return table_page("mockserver error coverage", self.lines()[-1], heads, rows)

    def _paths_of(self, operation: str) -> tuple[UnhappyPath, ...]:
        if operation not in self._paths:
            self._paths[operation] = unhappy_paths(self._operations.get(operation))
        return self._paths[operation]

    def _applicable(self, operation: str) -> list[str]:
        left_out = {**self._not_applicable.get("*", {}), **self._not_applicable.get(operation, {})}
        return [path.id for path in self._paths_of(operation) if path.id not in left_out]


@coverage.operation("GET /error-coverage", "GetErrorCoverage", writes=("text/plain", "text/html"))
def get_error_coverage(call: ControlCall) -> ErrorCoverageAnswer | Reply:
    """Say which errors the calls of a project have met, and which not; as a table with `Accept: text/plain`.

    With `Accept: text/html` it is a page. What the journal has dropped is not in it.
    """
    project, seen = call.project, ErrorCoverage(call.routes.by_operation)

    def answer(_: object) -> ErrorCoverageAnswer | Reply:
        accept = call.request.headers.get("accept", "")
        if "text/html" in accept:
            return Reply(seen.page().encode(), headers=html_headers(style_src="'unsafe-inline'"))
        if "text/plain" in accept:
            lines = "".join(f"{line}\n" for line in seen.lines())
            return Reply(lines.encode(), headers=(("content-type", "text/plain; charset=utf-8"),))
        return seen.answer()

    return show_rows(project.history.answered_since(0), lambda event: seen.see(project, event), answer, weigh)


def _read(project: Project, event: Event, *, has_outcomes: bool) -> Met:
    """What of a call shows what was met. Only what can show it is parsed."""
    status = event.known_status
    is_read = event.fault is None and (has_outcomes or is_error(status))
    body = read_json(event.response_body) if is_read else None
    tables = shown_tables(project) if event.fault is not None else {}
    parts = project.history.parts_of(event) if tables else []
    changed = (change.table for part in parts for change in project.changes_of(part).rows)
    return Met(
        status,
        event.fault,
        is_lost=event.fault in LOSE_ANSWER,
        is_done=any(table in tables for table in changed),
        code=find_code(body),
        outcome=body.get("status") if isinstance(body, dict) else None,
    )
