"""One tenant in one mode: a small deterministic world of its own."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from mockserver import errors
from mockserver.errors import ApiError
from mockserver.kernel.clock import Clock, Reading
from mockserver.kernel.entropy import Entropy
from mockserver.kernel.table import Schema, Table, TableState
from mockserver.kernel.timers import Fired, Timer, Timers
from mockserver.kernel.undo import Change, Undo, Undoable, size_of
from mockserver.leniencies import Leniency
from mockserver.state.api_keys import ApiKey
from mockserver.state.chains import Chains
from mockserver.state.guardrails import Guardrails
from mockserver.state.identity import Identity
from mockserver.state.journal import (
    Cause,
    ChangeEntry,
    ChangeLog,
    Journal,
    LogRoom,
)
from mockserver.state.moment import Moment
from mockserver.state.onchain import Onchain
from mockserver.state.outbox import OUTBOX
from mockserver.state.requests import Requests
from mockserver.state.row_changes import ChangeNotes
from mockserver.state.session_keys import SessionKeys
from mockserver.state.settings import Settings
from mockserver.state.wallets import Wallets

TAG_LENGTH = 6
"""How many characters of a token tell the project that issued it."""


class LoadedScenario(NamedTuple):
    """A loaded scenario: its name, its text, its compiled rules, and the answers it captured."""

    id: str
    name: str
    source: str
    """What the text is called, such as the path of its file."""
    text: str
    captured: Mapping[str, Any]
    loaded_ms: int
    """When it was loaded, on the project's clock."""
    rules: tuple[Any, ...]
    index: Any
    """Finds the rules that may be about a call."""


SCENARIOS = Schema(LoadedScenario, internal=True)


class ProjectState(NamedTuple):
    """The content of a snapshot of a project."""

    tables: tuple[TableState, ...]
    clock: Reading
    seed: str
    draws: Mapping[str, int]
    timers: tuple[tuple[Timer, ...], int]
    settings: Settings
    scenario_state: str


class Project:
    """A project's keys, rows, clock, entropy, timers, journal, outbox and place in its scenario.

    No two projects share mutable state.
    """

    def __init__(
        self,
        *,
        project_id: str,
        name: str,
        livemode: bool,
        seed: str,
        clock: Reading,
        settings: Settings,
        log_room: LogRoom,
    ) -> None:
        self.id = project_id
        self.token_tag = Entropy(project_id).text("token_tag", TAG_LENGTH)
        """How the project's tokens begin, by which the world finds it for a request without a key."""
        self.name = name
        self.livemode = livemode
        self.created_as = (clock, settings, seed)
        self.seed_project: Callable[[Project], None] = _leave_empty
        """Seeds the project, such as with start-up scenarios; a reset calls it again."""
        self.snapshots: dict[str, ProjectState] = {}
        self.dropped_snapshots = 0
        self._log_room = log_room
        self.journal = Journal(room=log_room)
        self.change_log = ChangeLog(room=log_room)
        self.logs_changes = True
        """Whether changes are logged call by call; what several calls change meanwhile becomes one entry."""
        self.fired: list[Fired] = []
        """The timers that fired since the last entry of the log."""
        self.generation = 0
        """Grows when rows are replaced as a whole, which interrupts the calls that wait for one of them."""
        self.keys_in_use: dict[str, bytes] = {}
        """The idempotency keys of the calls that wait, with what tells one request from another."""
        self.version = 0
        """Grows with each call that changes rows or timers, so that a change can be told at once."""
        self.listeners = 0
        """How many clients listen to its events."""
        self.waiting = 0
        """How many calls wait for something in this project."""
        self.is_declared = True
        """Whether a scenario, an option or the control API made it, and not the first use of a key."""
        self.is_deleted = False
        self._beginning: tuple[object, ...] | None = None
        self._packed: bytes | None = None
        self._calls = 0
        self.clock = Clock(clock.now_ms)
        self.undo = Undo()
        self.hints: tuple[Leniency, ...] = ()
        """What the call that is being answered relied on so far."""
        self._build()

    def _build(self) -> None:
        _, self.settings, self.seed = self.created_as
        self.entropy = Entropy(self.seed, self.undo)
        self.timers = Timers(self.undo)
        self.identity = Identity(self.undo)
        self.wallets = Wallets(self.undo)
        self.onchain = Onchain(self.undo)
        self.chains = Chains(self.undo)
        self.session_keys = SessionKeys(self.undo)
        self.guardrails = Guardrails(self.undo)
        self.requests = Requests(self.undo)
        self.outbox = Table(self.undo, OUTBOX)
        self.scenarios = Table(self.undo, SCENARIOS)
        self.scenario_state = "start"
        groups = [vars(getattr(self, group)).values() for group in _GROUPS]
        self.tables: tuple[Table[Any], ...] = (*chain.from_iterable(groups), self.outbox, self.scenarios)
        """Every table, always in the same order."""
        self._names: dict[Undoable, str] = dict(zip(self.tables, SCHEMAS, strict=True))
        # A loaded scenario is no data but code, and loading it is a call itself.
        del self._names[self.scenarios]
        self._names |= {self.timers: "timers", self.entropy: "draws"}

    def reseed(self, seed: str) -> None:
        """Begin all entropy anew from another seed."""
        self.seed = seed
        self.entropy.reseed(seed)

    def begin_history(self) -> None:
        """Take the state as it is for the one before the next entry of the log."""
        self.undo.mark()
        self.undo.collect()

    def reset(self, real_ms: int) -> None:
        """Reset the project to its keys, seed, settings and seeded rows."""
        clock, _, _ = self.created_as
        self.clock.restore(clock, real_ms)
        self.leave_log_room()
        self.journal = Journal(last_number=self.journal.last_number, room=self._log_room)
        self.change_log = ChangeLog(last_number=self.change_log.last_number, room=self._log_room)
        self.interrupt_waits()
        self.snapshots.clear()
        self.dropped_snapshots = 0
        self._build()
        self.seed_project(self)
        self.undo.mark()
        if self._beginning is not None:
            self.note_beginning()

    def note_beginning(self) -> None:
        """Take the state as it is for the one that the server began with."""
        self._beginning = self._marks()

    @property
    def is_as_begun(self) -> bool:
        """Whether nothing has changed since the server began, or since a reset."""
        return not self.is_put_away and self._beginning == self._marks()

    def _marks(self) -> tuple[object, ...]:
        """What is another one after each change; where a ticking clock has come to is none."""
        reading = self.clock.read()
        shown = reading if reading.mode == "frozen" else reading._replace(now_ms=0)
        return (
            self.journal.last_number,
            self.version,
            self.generation,
            self.settings,
            self.scenario_state,
            tuple(self.snapshots),
            shown,
        )

    def commit(self) -> None:
        """Make what the call changed permanent, and drop the rows for which that leaves no room."""
        changes = self.undo.take()
        if changes:
            self.version += 1
            self._make_room(changes)

    def roll_back(self) -> None:
        """Take back what the call changed, except what stays spent, for which room is made, too."""
        spent = self.undo.roll_back()
        if spent:
            self.version += 1
            self._make_room(spent)

    def moment(self) -> Moment | None:
        """What, with the log of changes, leads back to this state; None while changes are not logged."""
        return self._moment_after(self.change_log.last_number) if self.logs_changes else None

    def _moment_after(self, change: int) -> Moment:
        clock = self.clock
        return Moment(
            change,
            clock.now_ms,
            clock.mode,
            clock.rate,
            self.seed,
            self.settings,
            self.scenario_state,
            self.timers.next_number,
            tuple(scenario.id for scenario in self.scenarios) if len(self.scenarios) else (),
        )

    def log_changes(
        self, cause: Cause, operation: str | None = None, exchange: int | None = None
    ) -> ChangeEntry | None:
        """Log what was changed for good since the last entry, and return the entry; None for nothing."""
        if not (self.undo.permanent or self.fired) or not self.logs_changes:
            return None
        notes = self.undo.collect()
        if cause == "control":
            # Only such a call loads scenarios, and replaces tables: neither is to be held on to.
            notes = [note for note in notes if note[0] in self._names]
            if not (notes or self.fired):
                return None
        fired: Sequence[Fired] = ()
        if self.fired:
            fired, self.fired = self.fired, []
        number = self.change_log.last_number + 1
        moment = self._moment_after(number)
        changes = ChangeNotes(notes, self._names, fired, size_of(notes))
        entry = ChangeEntry(number, moment.now_ms, cause, operation, exchange, changes, moment)
        self.change_log.add(entry)
        return entry

    def _make_room(self, changes: Iterable[Change]) -> None:
        dropped = False
        for holder, _, _, after in changes:
            if type(holder) is not Table or holder.retention is None:
                continue
            surplus = holder.find_surplus(after, self._kept, self._forgotten_ms)
            if surplus and (ids := [row_id for row_id in surplus if not self.guardrails.is_in_use(row_id)]):
                holder.drop(ids)
                for row_id in ids:
                    self.guardrails.remove_parts(row_id)
                    self.onchain.remove_parts(row_id)
                dropped = True
        if dropped:
            self.undo.mark()

    def _kept(self, setting: str) -> int:
        kept: int = getattr(self.settings, setting)
        return kept

    def _forgotten_ms(self) -> int:
        """What expired before this time is dropped."""
        return self.clock.now_ms - self.settings.expired_kept_ms

    def interrupt_waits(self) -> None:
        """Let no call that waits find what it waited for."""
        self.generation += 1
        self.keys_in_use.clear()

    @property
    def mode(self) -> str:
        """`test` or `live`, as in the project's keys."""
        return "live" if self.livemode else "test"

    @property
    def secret_key(self) -> str:
        """The key of the project's own name."""
        return ApiKey("sk", self.livemode, self.name).text

    @property
    def publishable_key(self) -> str:
        """The key of the project's own name."""
        return ApiKey("pk", self.livemode, self.name).text

    def accept_leniently(self, leniency: Leniency, param: str | None = None) -> None:
        """Accept what the specification does not grant, with a hint.

        The setting `strict` refuses it, with 400 for the member `param`.
        """
        if self.settings.strict:
            raise ApiError(errors.NOT_IN_SPECIFICATION, param=param, finding=leniency.message)
        if leniency not in self.hints:
            self.hints = (*self.hints, leniency)

    def take_hints(self) -> tuple[Leniency, ...]:
        """The hints of the call that is being answered; the next call begins without any."""
        hints, self.hints = self.hints, ()
        return hints

    def new_token(self, stream: str, length: int) -> str:
        """A fresh opaque token over letters and digits, which begins with the project's tag."""
        return self.token_tag + self.entropy.text(stream, length - TAG_LENGTH)

    def new_id(self, prefix: str) -> str:
        """A fresh id such as `acc_` and a UUID."""
        return f"{prefix}_{self.entropy.uuid(prefix)}"

    def named_tables(self) -> Iterator[tuple[str, Table[Any]]]:
        """Every table with its name, such as `identity.users`, always in the same order."""
        return zip(SCHEMAS, self.tables, strict=True)

    def snapshot(self) -> ProjectState:
        """Take a snapshot. Tables are copied only when they are next written to."""
        return ProjectState(
            tables=tuple(table.snapshot() for table in self.tables),
            clock=self.clock.read(),
            seed=self.seed,
            draws=self.entropy.draws(),
            timers=self.timers.snapshot(),
            settings=self.settings,
            scenario_state=self.scenario_state,
        )

    def take_snapshot(self, name: str) -> None:
        """Keep a snapshot under a name, and drop the oldest if there are too many."""
        self.snapshots[name] = self.snapshot()
        while len(self.snapshots) > self.settings.snapshots_kept:
            del self.snapshots[next(iter(self.snapshots))]
            self.dropped_snapshots += 1

    def restore(self, state: ProjectState, real_ms: int) -> None:
        """Restore a snapshot, any number of times. What that changes is logged as the changes of a call."""
        for table, table_state in zip(self.tables, state.tables, strict=True):
            # A loaded scenario is no data: two that were compiled from one text are not equal.
            if table is not self.scenarios:
                table.note_differences(table_state)
        self.entropy.note_differences(state.draws)
        self.timers.note_differences(state.timers[0])
        self.load(state)
        self.clock.restore(state.clock, real_ms)
        self.interrupt_waits()
        self.undo.mark()
        self.fired.clear()

    def load(self, state: ProjectState) -> None:
        """Restore everything of a snapshot but the clock."""
        for table, table_state in zip(self.tables, state.tables, strict=True):
            table.restore(table_state)
        if state.seed != self.seed:
            self.reseed(state.seed)
        self.entropy.restore(state.draws)
        self.timers.restore(state.timers)
        self.settings = state.settings
        self.scenario_state = state.scenario_state

    # --- putting away ----------------------------------------------------------------------------

    @property
    def is_put_away(self) -> bool:
        """Whether the project has neither rows nor a journal until it is taken out."""
        return self._packed is not None

    @property
    def packed_size(self) -> int:
        """How many bytes the state of a project takes that is put away; 0 of another one."""
        return len(self._packed or b"")

    @property
    def can_be_put_away(self) -> bool:
        """Whether no call waits, no client listens, and it has no scenarios, whose rules are not data."""
        return not (self.waiting or self.listeners or self.keys_in_use or len(self.scenarios))

    @property
    def calls(self) -> int:
        """How many calls it has answered, those that the journal has dropped included."""
        return self._calls if self.is_put_away else self.journal.last_number

    def leave_log_room(self) -> None:
        """Take no more of what all logs of the server share, before the logs are replaced or packed."""
        self.journal.leave_room()
        self.change_log.leave_room()

    def put_away(self) -> None:
        """Pack the state of the project between two calls. The clock stays: it takes no room."""
        # Imported on first use: pickle takes some milliseconds to import, and few servers put projects away.
        from mockserver.state.packing import pack

        self._calls = self.journal.last_number
        self.leave_log_room()
        self._packed = pack((self.snapshot(), self.snapshots, self.journal, self.change_log))
        for name in _PACKED:
            delattr(self, name)

    def take_out(self, *, shares_room: bool = True) -> None:
        """Be again exactly what was put away. Only to be looked at, it need not share the room of logs."""
        from mockserver.state.packing import unpack

        assert self._packed is not None
        state, self.snapshots, self.journal, self.change_log = unpack(self._packed)
        self._packed = None
        if shares_room:
            self.journal.enter_room(self._log_room)
            self.change_log.enter_room(self._log_room)
        self._build()
        self.load(state)
        self.begin_history()


_GROUPS: Mapping[str, Callable[[Undo], object]] = {
    "identity": Identity,
    "wallets": Wallets,
    "onchain": Onchain,
    "chains": Chains,
    "session_keys": SessionKeys,
    "guardrails": Guardrails,
    "requests": Requests,
}
"""The members of a project that hold its tables."""

SCHEMAS: Mapping[str, Schema[Any]] = {
    **{
        f"{group}.{name}": table.schema
        for group, make in _GROUPS.items()
        for name, table in vars(make(Undo())).items()
    },
    "outbox": OUTBOX,
    "scenarios": SCENARIOS,
}
"""What a project knows of the rows of each of its tables, by the table's name."""

_PACKED = (
    *_GROUPS,
    *("outbox", "scenarios", "tables", "_names"),
    *("timers", "entropy", "journal", "change_log", "snapshots"),
)
"""What goes when a project is put away: its rows, and what is packed. The other members are small."""


def _leave_empty(project: Project) -> None:
    """Seed a project with nothing."""
