"""One tenant in one mode: a small deterministic world of its own."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from mockserver.kernel.clock import Clock, Reading, no_time
from mockserver.kernel.effort import Ahead
from mockserver.kernel.entropy import USUAL_SIZE, Entropy
from mockserver.kernel.schema import Schema
from mockserver.kernel.table import Table, TableState
from mockserver.kernel.timers import Fired, Timer, Timers
from mockserver.kernel.undo import Change, Undo, Undoable
from mockserver.state.api_keys import ApiKey, tag_of_tokens
from mockserver.state.chains import Chains
from mockserver.state.funding import Funding
from mockserver.state.guardrails import Guardrails
from mockserver.state.history.changes import SETTINGS, Changes, read_changes
from mockserver.state.history.event import Cause, Circumstances, Event
from mockserver.state.history.history import Follower, Histories, History, HistoryHead, size_of_changes
from mockserver.state.identity import Identity
from mockserver.state.onchain import Onchain
from mockserver.state.outbox import OUTBOX, Webhooks
from mockserver.state.requests import SCENARIOS, Requests
from mockserver.state.session_keys import SessionKeys
from mockserver.state.settings import Settings
from mockserver.state.tables import Tables
from mockserver.state.wallets import Wallets


class ProjectState(NamedTuple):
    """The state of a project: of a snapshot, of one that is put away, of an earlier time."""

    tables: tuple[TableState, ...]
    draws: Mapping[str, int]
    """How often each stream of random values was drawn from."""
    timers: tuple[Timer, ...]
    """Soonest first."""
    settings: Settings
    circumstances: Circumstances


class Project:
    """A project's keys, rows, clock, entropy, timers, history, outbox and place in its scenario.

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
        histories: Histories,
    ) -> None:
        self.id = project_id
        self.token_tag = tag_of_tokens(project_id, name)
        """How the project's tokens begin, by which a world, and a fleet, find it without a key."""
        self.name = name
        self.livemode = livemode
        self.created_as = (clock, settings, seed)
        self.seed_project: Callable[[Project], None] = lambda project: None
        """Seeds the project, such as with start-up scenarios; a reset calls it again."""
        self.snapshots: dict[str, ProjectState] = {}
        self.dropped_snapshots = 0
        self._histories = histories
        self.history = History(histories)
        self.fired: list[Fired] = []
        """The timers that fired since the last event."""
        self.generation = 0
        """Grows when rows are replaced as a whole, which interrupts the calls that wait for one of them."""
        self.keys_in_use: dict[str, bytes] = {}
        """The idempotency keys of the calls that wait, with what tells one request from another."""
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
        self.clock, self.undo = Clock(clock.now_ms), Undo()
        self.ahead = Ahead(self.undo)
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
        self.webhooks = Webhooks(self.undo)
        self.funding = Funding(self.undo)
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
        """Take the state as it is for the one before the next event."""
        self.undo.mark()
        self._collect()
        self.fired.clear()
        self.history.after = self.circumstances()

    def reset(self, real_ms: Callable[[], int] = no_time) -> None:
        """Reset the project to its keys, seed, settings and seeded rows."""
        clock, _, _ = self.created_as
        self.clock.restore(clock, real_ms)
        before = self.history
        before.leave()
        self.history = History(self._histories)
        self.history.fill(HistoryHead(before.last_number, before.last_change, before.calls))
        self.interrupt_waits()
        self.snapshots.clear()
        self.dropped_snapshots = 0
        self._build()
        self.seed_project(self)
        self.begin_history()
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
        return self.history.last_number, self.generation, tuple(self.snapshots), self.clock.mode

    def commit(self) -> None:
        """Make what the call changed permanent, and drop the rows for which that leaves no room."""
        # What follows changes may change something itself.
        while changes := self.undo.take():
            self._make_room(changes)
            # Most projects have no subscriptions: they pay for this look.
            if self.follower is None or not (len(self.webhooks.triggers) or len(self.webhooks.deliveries)):
                return
            self.follower.on_commit(self, changes)

    @property
    def follower(self) -> Follower | None:
        """Is told what became permanent, at once and before it is an event."""
        return self._histories.follower

    @property
    def timer_handlers(self) -> Mapping[str, Callable[[Any, Timer], tuple[str, str] | None]]:
        """What handles the timers of kinds that no module of the domain has."""
        return self._histories.timer_handlers

    def roll_back(self) -> None:
        """Take back what the call changed, except what stays spent, for which room is made, too."""
        spent = self.undo.roll_back()
        if spent:
            self._make_room(spent)

    def circumstances(self) -> Circumstances:
        """What of the state is not undone change by change; those of the last event, if they are equal."""
        clock = self.clock
        now = (
            clock.now_ms,
            clock.mode,
            clock.rate,
            self.seed,
            self.scenario_state,
            self.timers.next_number,
            tuple(scenario.id for scenario in self.scenarios) if len(self.scenarios) else (),
        )
        before = self.history.after
        return before if before == now else Circumstances(*now)

    def record(self, cause: Cause, operation: str | None = None) -> None:
        """Record what is no call of the API as an event, if it has changed anything for good."""
        before, after = self.history.after, self.circumstances()
        changes, fired = self.take_changes()
        # Loading a scenario replaces tables, and its rules are no data: neither is to be held on to.
        changes = [change for change in changes or () if change[0] in self._names or change[1] == SETTINGS]
        if changes or fired or not after.is_like(before):
            number = self.history.last_number + 1
            event = Event(number, after.now_ms, cause, operation, after, changes or None, fired)
            self.history.add(event)

    def take_changes(self) -> tuple[Sequence[Change] | None, tuple[Fired, ...]]:
        """What was changed for good since the last event, and the timers that fired, for the next one."""
        changes = (self._collect() or None) if self.undo.permanent else None
        fired = tuple(self.fired)
        if fired:
            self.fired.clear()
        return changes, fired

    def _collect(self) -> Sequence[Change]:
        """What became permanent since this was last called, told to the one who follows the world."""
        changes = self.undo.collect()
        if self._histories.on_changes is not None and changes:
            self._histories.on_changes(self, changes)
        return changes

    def changes_of(self, event: Event) -> Changes:
        """What an event of this project changed."""
        if isinstance(event.changes, Changes):
            return event.changes
        return read_changes(event.changes or (), self._names, size_of_changes(event.changes))

    def read_history(self) -> Iterator[Event]:
        """The events that there are now with their changes as data, oldest first."""
        events, read = [*self.history], self.changes_of
        return (each if each.changes is None else each._replace(changes=read(each)) for each in events)

    def change_settings(self, settings: Settings) -> None:
        """Change the settings; a rollback of the call reverts this."""
        self.undo.note(self, SETTINGS, (self.settings,), (settings,))
        self.settings = settings

    def revert(self, key: str, before: tuple[Settings]) -> None:
        """See `Undo`."""
        (self.settings,) = before

    def _make_room(self, changes: Iterable[Change]) -> None:
        dropped, forgotten_ms = False, self.clock.now_ms - self.settings.expired_kept_ms
        for holder, _, _, after in changes:
            if type(holder) is not Table or holder.retention is None:
                continue
            most = getattr(self.settings, holder.retention.setting)
            surplus = holder.find_surplus(after, most, forgotten_ms)
            if ids := [row_id for row_id in surplus if not self.guardrails.is_in_use(row_id)]:
                holder.drop(ids)
                for row_id in ids:
                    self.guardrails.remove_parts(row_id)
                    self.onchain.remove_parts(row_id)
                dropped = True
        if dropped:
            self.undo.mark()

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

    def new_token(self, stream: str, length: int = USUAL_SIZE) -> str:
        """A fresh opaque token over letters and digits, which begins with the project's tag."""
        return self.token_tag + self.entropy.text(stream, length - len(self.token_tag))

    def new_id(self, prefix: str) -> str:
        """A fresh id such as `acc_` and a UUID."""
        return f"{prefix}_{self.entropy.uuid(prefix)}"

    def named_tables(self) -> Iterator[tuple[str, Table[Any]]]:
        """Every table with its name, such as `identity.users`, always in the same order."""
        return zip(SCHEMAS, self.tables, strict=True)

    def snapshot(self) -> ProjectState:
        """The state of the project. Tables are copied only when they are next written to."""
        return ProjectState(
            tables=tuple(table.snapshot() for table in self.tables),
            draws=self.entropy.draws(),
            timers=self.timers.pending(),
            settings=self.settings,
            circumstances=self.circumstances(),
        )

    def take_snapshot(self, name: str) -> None:
        """Keep a snapshot under a name, and drop the oldest if there are too many."""
        self.snapshots[name] = self.snapshot()
        while len(self.snapshots) > self.settings.snapshots_kept:
            del self.snapshots[next(iter(self.snapshots))]
            self.dropped_snapshots += 1

    def restore(self, state: ProjectState, real_ms: Callable[[], int] = no_time) -> None:
        """Restore a state, any number of times. What that changes are the changes of a call."""
        for table, table_state in zip(self.tables, state.tables, strict=True):
            # A loaded scenario is no data: two that were compiled from one text are not equal.
            if table is not self.scenarios:
                table.note_differences(table_state)
        self.entropy.note_differences(state.draws)
        self.timers.note_differences(state.timers)
        if state.settings != self.settings:
            self.change_settings(state.settings)
        self.load(state)
        self.clock.restore(state.circumstances.clock, real_ms)
        self.interrupt_waits()
        self.undo.mark()
        self.fired.clear()

    def load(self, state: ProjectState) -> None:
        """Restore everything of a state but the clock."""
        for table, table_state in zip(self.tables, state.tables, strict=True):
            table.restore(table_state)
        circumstances = state.circumstances
        if circumstances.seed != self.seed:
            self.reseed(circumstances.seed)
        self.entropy.restore(state.draws)
        self.timers.restore(state.timers, circumstances.next_timer)
        self.settings = state.settings
        self.scenario_state = circumstances.scenario_state

    def move(self, histories: Histories) -> None:
        """Be a project of another world, which shares these."""
        self._histories = histories
        if not self.is_put_away:
            self.history.join(histories)

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
        """How many calls of the API it has answered, those that the history has dropped included."""
        return self._calls if self.is_put_away else self.history.calls

    def put_away(self) -> None:
        """Pack the state of the project between two calls. The clock stays: it takes no room."""
        # Imported on first use: pickle takes some milliseconds to import, and few servers put projects away.
        from mockserver.state.packing import pack

        self._calls = self.history.calls
        self.history.leave()
        self._packed = pack((self.snapshot(), self.snapshots, self.history.head, [*self.read_history()]))
        for name in _PACKED:
            delattr(self, name)

    def take_out(self, *, is_counted: bool = True) -> None:
        """Be again exactly what was put away. Only to be looked at, its history need not be counted."""
        from mockserver.state.packing import unpack

        assert self._packed is not None
        state, self.snapshots, head, events = unpack(self._packed)
        self._packed = None
        self._build()
        self.load(state)
        self.history = History()
        self.history.fill(head, events)
        if is_counted:
            self.history.join(self._histories)


_GROUPS: Mapping[str, type[Tables]] = {
    "identity": Identity,
    "wallets": Wallets,
    "onchain": Onchain,
    "chains": Chains,
    "session_keys": SessionKeys,
    "guardrails": Guardrails,
    "requests": Requests,
    "webhooks": Webhooks,
    "funding": Funding,
}
"""The members of a project that hold its tables."""

SCHEMAS: Mapping[str, Schema[Any]] = {
    **{
        f"{group}.{name}": schema
        for group, tables in _GROUPS.items()
        for name, schema in tables.schemas.items()
    },
    "outbox": OUTBOX,
    "scenarios": SCENARIOS,
}
"""What a project knows of the rows of each of its tables, by the table's name."""

_PACKED = (
    *_GROUPS,
    *("outbox", "scenarios", "tables", "_names"),
    *("timers", "entropy", "history", "snapshots"),
)
"""What goes when a project is put away: its rows, and what is packed. The other members are small."""
