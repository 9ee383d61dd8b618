"""A project as plain JSON values, line by line, and back: for recordings, exports and digests.

The first line of a project says what it is; then come its history, its snapshots and its current state,
each state as one line with all that is small, and one line for each row.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from mockserver.kernel.clock import Anchors, Reading
from mockserver.kernel.codec import Codec, Malformed, codec_of, decode_member, optional, record_codec
from mockserver.kernel.secrecy import Source, Token
from mockserver.kernel.table import TableHead
from mockserver.kernel.timers import Timer
from mockserver.state.api_keys import KeyKind
from mockserver.state.history.changes import Changes, RowChange
from mockserver.state.history.event import Circumstances, Event
from mockserver.state.history.history import Histories, HistoryHead
from mockserver.state.project import SCHEMAS, Project, ProjectState
from mockserver.state.requests import LoadedScenario
from mockserver.state.settings import Settings

_WATCHED = 64
"""How many lines are watched together."""

Line = dict[str, Any]
"""A line: an object with one member that names its kind, and others that go with it."""


class ScenarioRow(NamedTuple):
    """A loaded scenario without its compiled rules, which follow from the text and what was captured."""

    id: str
    name: str
    source: str
    text: Source
    captured: Mapping[str, Any]
    loaded_ms: int


Compile = Callable[[Project, ScenarioRow], LoadedScenario]
"""Compiles the rules of a scenario again; ValueError when its text is not valid."""


class DeclaredKey(NamedTuple):
    """A key of a project."""

    text: Token
    kind: KeyKind
    scopes: frozenset[str] = frozenset()
    """What a secret key may do; empty means everything."""


class StartUpText(NamedTuple):
    """A scenario that a reset loads."""

    source: str
    text: Source


class ProjectHead(NamedTuple):
    """What a project is, apart from its state."""

    id: str
    name: str
    livemode: bool
    created_as: tuple[Reading, Settings, str]
    """The clock, the settings and the seed that a reset goes back to."""
    keys: tuple[DeclaredKey, ...]
    """In the order in which they were declared."""
    is_declared: bool
    """Whether it was made on purpose, and not by the first use of a key."""
    dropped_snapshots: int
    """How many snapshots were dropped for others."""
    anchors: Anchors | None = None
    """Which real time a ticking clock began to follow, and what it showed then."""
    start_up: tuple[StartUpText, ...] | None = None
    """What a reset loads; None for a project that begins empty."""
    history: HistoryHead = HistoryHead()
    """What its history is, apart from its events."""


class StateHead(NamedTuple):
    """A state of a project, apart from its rows."""

    draws: Mapping[str, int]
    """How often each stream of random values was drawn from."""
    timers: tuple[Timer, ...]
    """Soonest first."""
    settings: Settings
    """Those that do not have their default."""
    circumstances: Circumstances
    """Its clock and what else is in no row."""
    tables: Mapping[str, TableHead]
    """The next number and the dropped rows of each table that has had rows."""


@cache
def row_codecs() -> Mapping[str, Codec]:
    """The codec of the rows of each table, by the table's name."""
    row_classes: dict[str, Any] = {name: schema.row_class for name, schema in SCHEMAS.items()}
    row_classes["scenarios"] = ScenarioRow
    return {name: codec_of(row_class) for name, row_class in row_classes.items()}


@cache
def event_codec() -> Codec:
    """The codec of events whose changes were read."""
    changes = record_codec(Changes, rows=Codec(_encode_row_changes, _decode_row_changes))
    return record_codec(Event, changes=optional(changes))


def _encode_row_changes(changes: tuple[RowChange, ...]) -> list[Any]:
    codecs = {change.table: optional(row_codecs()[change.table]).encode for change in changes}
    return [
        [table, row_id, codecs[table](before), codecs[table](after), number]
        for table, row_id, before, after, number in changes
    ]


def _decode_row_changes(value: Any) -> tuple[RowChange, ...]:
    if not isinstance(value, list):
        raise Malformed("is to be a list")
    return tuple(map(_decode_row_change, value))


def _decode_row_change(value: Any) -> RowChange:
    is_whole = (
        isinstance(value, list) and len(value) == 5 and all(isinstance(name, str) for name in value[:2])
    )
    if not is_whole or value[0] not in row_codecs() or type(value[4]) is not int:
        raise Malformed("is to be a table, an id, the row before and after, and its number")
    decode = optional(row_codecs()[value[0]]).decode
    return RowChange(value[0], value[1], decode(value[2]), decode(value[3]), value[4])


def encode_row(table: str, row: Any) -> Any:
    """A row as a JSON object; of a loaded scenario what its rules follow from."""
    if table == "scenarios":
        row = ScenarioRow(row.id, row.name, row.source, row.text, row.captured, row.loaded_ms)
    return row_codecs()[table].encode(row)


# --- writing ---------------------------------------------------------------------------------------------


def project_lines(
    project: Project,
    head: ProjectHead,
    show: Callable[[Event], Event] = lambda event: event,
    watch: Callable[[list[Line]], None] | None = None,
) -> Iterator[Line]:
    """A project that is not put away: all that another one needs to go on from here, its events as shown.

    What changes after the first line was read is in no other. `watch` is given those of the current state.
    """
    events, snapshots, now = project.read_history(), [*project.snapshots.items()], project.snapshot()
    yield {"project": codec_of(ProjectHead).encode(head)}
    for event in events:
        yield {"event": event_codec().encode(show(event))}
    for name, state in snapshots:
        yield from state_lines(state, {"snapshot": name})
    lines = state_lines(now, {})
    while block := [*islice(lines, _WATCHED)]:
        if watch is not None:
            watch(block)
        yield from block


def state_lines(state: ProjectState, said: Line) -> Iterator[Line]:
    """A state, and each of its rows."""
    tables = dict(zip(SCHEMAS, state.tables, strict=True))
    head = StateHead(
        draws=state.draws,
        timers=state.timers,
        settings=state.settings,
        circumstances=state.circumstances,
        tables={
            name: TableHead(table.next_number, table.dropped)
            for name, table in tables.items()
            if table.next_number or table.dropped
        },
    )
    yield {**said, "state": codec_of(StateHead).encode(head)}
    for name, table in tables.items():
        for number, row in table.numbered():
            yield {"row": [name, number, encode_row(name, row)]}


# --- reading ---------------------------------------------------------------------------------------------


def read_head(line: Line) -> ProjectHead:
    """The head of a project; Malformed for any other line."""
    head: ProjectHead = decode_member("project", line.get("project"), codec_of(ProjectHead).decode)
    return head


def empty_project(like: ProjectHead | Project, histories: Histories) -> Project:
    """A new project that is as a head says, or as another one is, and has no rows."""
    clock, settings, seed = like.created_as
    project = Project(
        project_id=like.id,
        name=like.name,
        livemode=like.livemode,
        seed=seed,
        clock=clock,
        settings=settings,
        histories=histories,
    )
    project.is_declared = like.is_declared
    project.dropped_snapshots = like.dropped_snapshots
    return project


class ProjectReader:
    """Fills an empty project from its lines, which come after its head."""

    def __init__(self, project: Project, head: ProjectHead, compile_rules: Compile) -> None:
        self._project = project
        self._head = head
        self._compile = compile_rules
        self._state: StateHead | None = None
        self._snapshot: str | None = None
        self._rows: dict[str, list[tuple[int, Any]]] = {}

    def read(self, line: Line) -> None:
        """Take a line; Malformed if it cannot be the next one."""
        if "row" in line:
            self._read_row(line["row"])
        elif "state" in line:
            self._finish_state()
            self._begin_state(line)
        elif "event" in line:
            self._read_event(decode_member("event", line["event"], event_codec().decode))
        else:
            raise Malformed("is no line of a project")

    @property
    def settings(self) -> Settings:
        """The settings of the state that was begun last."""
        assert self._state is not None
        return self._state.settings

    def finish(self) -> None:
        """Complete the project after its last line."""
        self._finish_state()
        if self._state is None or self._snapshot is not None:
            raise Malformed("the project has no current state")
        project, head = self._project, self._head
        if project.history.last_number not in (0, head.history.last_number):
            raise Malformed("is not the number of the last event", "project.history.last_number")
        project.clock.restore(self._state.circumstances.clock, lambda: 0)
        if head.anchors is not None:
            project.clock.anchors = head.anchors
        project.begin_history()
        project.history.fill(head.history)

    def _read_event(self, event: Event) -> None:
        history = self._project.history
        if history.last_number not in (0, event.number - 1):
            raise Malformed(f"is to be {history.last_number + 1}", "event.number")
        history.add(event)

    def _begin_state(self, line: Line) -> None:
        self._state = decode_member("state", line["state"], codec_of(StateHead).decode)
        name = line.get("snapshot")
        if not (name is None or isinstance(name, str)):
            raise Malformed("is to be a text", "snapshot")
        for table in self._state.tables:
            if table not in SCHEMAS:
                raise Malformed("is no table", f"state.tables.{table}")
        self._snapshot = name
        self._rows = {table: [] for table in SCHEMAS}

    def _read_row(self, given: Any) -> None:
        if not isinstance(given, list) or len(given) != 3 or type(given[1]) is not int:
            raise Malformed("is to be a table, a number and a row", "row")
        table, number, value = given
        if not isinstance(table, str) or table not in self._rows:
            raise Malformed("is no table of a state", "row[0]")
        row = decode_member(f"row[2] of {table}", value, row_codecs()[table].decode)
        if table == "scenarios":
            try:
                row = self._compile(self._project, row)
            except ValueError as error:
                raise Malformed(f"is no scenario: {error}", "row[2].text") from None
        self._rows[table].append((number, row))

    def _finish_state(self) -> None:
        """Load the state whose rows are complete; keep it under its name if it is a snapshot."""
        state, project = self._state, self._project
        if state is None:
            return
        try:
            for name, table in project.named_tables():
                head = state.tables.get(name, TableHead())
                table.fill(self._rows[name], head.next_number, head.dropped)
        except (ValueError, TypeError) as error:
            raise Malformed(str(error)) from None
        for rule in (rule for _, loaded in self._rows["scenarios"] for rule in loaded.rules):
            if rule.id not in project.requests.rule_states:
                raise Malformed(f"lack {rule.id}", "the rows of requests.rule_states")
        circumstances = state.circumstances
        project.reseed(circumstances.seed)
        project.entropy.restore(state.draws)
        project.timers.restore(tuple(sorted(state.timers)), circumstances.next_timer)
        project.settings = state.settings
        project.scenario_state = circumstances.scenario_state
        if self._snapshot is not None:
            kept = project.snapshot()._replace(circumstances=circumstances)
            project.snapshots[self._snapshot] = kept
