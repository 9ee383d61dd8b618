"""A run as a scenario that brings a project to the state at its end, with as few calls as do."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from mockserver.kernel import timestamps
from mockserver.replay.export.beginning import Beginning, read_beginning
from mockserver.replay.export.history import OTHERS, PROJECT, Advance, CannotExport, Exchange, History, Item
from mockserver.replay.export.loaded import read_loaded
from mockserver.replay.export.names import name_answers
from mockserver.replay.export.states import Leaf, find_difference, find_drawn, read_state
from mockserver.replay.export.steps import CannotWrite, Loaded, Step, StepWriter, advance_step, merge_advances
from mockserver.replay.export.yaml_text import comment, to_yaml
from mockserver.replay.shrinking.places import body_of
from mockserver.replay.shrinking.reduction import minimize
from mockserver.scenario.checking.load import read
from mockserver.scenario.reading.findings import ScenarioError
from mockserver.scenario.running.apply import apply
from mockserver.server.assembly import ROUTES, assemble
from mockserver.state.project import Project
from mockserver.state.world import ProjectDefaults, World

_SEEDS = ("one", "another")
_MOST_NOTES = 20

Part = Step | Advance


class ScenarioFile(NamedTuple):
    """A scenario, and what of the run is not in it."""

    text: str
    notes: tuple[str, ...]


def to_scenario(history: History, name: str) -> ScenarioFile:
    """The scenario of a history; CannotExport where no calls give its state."""
    return _Exporter(history, name).export()


def _id_of(item: Exchange) -> str:
    """The id in an answer; an altered recording may have none."""
    body = body_of(item.answer) if item.answer is not None else None
    return str(body.get("id")) if isinstance(body, dict) else ""


class _Exporter:
    def __init__(self, history: History, name: str) -> None:
        self._history = history
        self._name = name
        self._notes: list[str] = []
        self._beginning: Beginning = read_beginning(history)
        self._start_ms = self._beginning.start_ms
        self._names: dict[int, str] = dict(self._beginning.names)
        self._loaded: dict[int, Loaded] = {}
        """The scenarios that the run loads, by exchange."""
        self._in_force: dict[str, Loaded] = {}
        """Those whose rules are in force at its end, by id, the latest first."""
        self._rules: list[Any] = [*self._beginning.rules]
        self._needed_by_rules: frozenset[int] = frozenset()

    def export(self) -> ScenarioFile:
        parts = self._needed(self._parts())
        whole, other = (self._load(parts, seed) for seed in _SEEDS)
        drawn = find_drawn(whole, other)
        difference = find_difference(read_state(self._history.project), whole, drawn)
        if difference is not None:
            self._notes.append(f"the state is not quite the recorded one: {difference} is otherwise")

        def holds(fewer: Sequence[Part]) -> bool:
            return self._gives(fewer, whole, drawn)

        parts = minimize(parts, holds)
        parts = _without_headers(parts, holds)
        return ScenarioFile(self._write(parts), tuple(self._notes))

    def _parts(self) -> list[Part]:
        """Everything that a scenario can do of the history."""
        table, items = self._history.table, self._follow()
        calls = [item for item in items if isinstance(item, Exchange)]
        own = [call.number for call in calls if call.number not in self._loaded]
        self._names |= name_answers(calls, own, self._names.values())
        table.available = frozenset({PROJECT, *self._names, *(call.number for call in calls)})
        writer = StepWriter(self._history.project, table, self._names, self._loaded)
        parts: list[Part] = [*self._beginning.steps]
        for item in items:
            if isinstance(item, Advance):
                parts.append(item)
                continue
            try:
                parts += self._steps(writer, item)
            except CannotWrite as error:
                self._names.pop(item.number, None)
                if item.number in self._history.writes:
                    self._note(item, str(error))
            if item.to_ms is not None:
                parts.append(Advance(0, item.to_ms))
        self._write_rules(writer)
        return parts

    def _steps(self, writer: StepWriter, item: Exchange) -> Iterable[Step]:
        if item.number in self._loaded:
            return [*writer.write_loaded(self._loaded[item.number])]
        linked = self._history.table.link(item.linked.request, item.number)
        return [writer.write(item._replace(linked=linked))]

    def _write_rules(self, writer: StepWriter) -> None:
        own: list[Any] = []
        for loaded in self._in_force.values():
            try:
                rules, needed = writer.write_rules(loaded)
            except CannotWrite as error:
                self._note(loaded.call, str(error))
                continue
            own += rules
            self._needed_by_rules |= needed
        self._rules = [*own, *self._rules]

    def _follow(self) -> list[Item]:
        """The calls that the state came from: a reset or a restored snapshot takes back those before it.

        Notes the scenarios that they load, the rules in force after them, and when the state begins.
        """
        kept: list[Item] = []
        snapshots: dict[str, list[Item]] = {}
        for item in self._history.items:
            operation = item.endpoint.operation if isinstance(item, Exchange) and item.endpoint else ""
            if isinstance(item, Advance) or item.answer is None or item.answer.status >= 300:
                kept.append(item)
            elif operation == "TakeSnapshot":
                snapshots[_id_of(item)] = [*kept]
            elif operation == "RestoreSnapshot":
                if (name := _id_of(item)) not in snapshots:
                    reason = f"exchange {item.number} restores a snapshot that is not taken in the run"
                    raise CannotExport(f"{reason}; {OTHERS}")
                kept = [*snapshots[name]]
            elif operation == "ResetProject":
                kept, self._in_force, self._rules = [], {}, [*self._beginning.rules]
                self._start_ms = self._history.project.created_as[0].now_ms
            elif operation == "LoadScenario":
                kept += self._take_scenario(item)
            elif operation == "UnloadScenarios":
                self._in_force, self._rules = {}, []
            elif operation == "UnloadScenario":
                self._in_force.pop(item.linked.request.path.rpartition("/")[2], None)
            elif operation != "GetWalletSecret":
                # A step is signed with the project's own secret, which is registered then.
                kept.append(item)
        return kept

    def _take_scenario(self, item: Exchange) -> Sequence[Item]:
        assert item.answer is not None
        known = [step.number for step in self._beginning.steps]
        known += [number for each in self._loaded.values() for number in each.steps]
        try:
            loaded = read_loaded(item, self._names, below=min(known, default=0) - 1)
        except CannotWrite as error:
            self._note(item, str(error))
            return ()
        self._loaded[item.number] = loaded
        self._in_force = {_id_of(item): loaded} | self._in_force
        return [item]

    def _note(self, item: Exchange, reason: str) -> None:
        if len(self._notes) == _MOST_NOTES:
            self._notes.append("more calls are left out")
        if len(self._notes) > _MOST_NOTES:
            return
        operation = "an unknown operation" if item.endpoint is None else item.endpoint.operation
        self._notes.append(f"exchange {item.number}, {operation}, is left out: {reason}")

    # --- what a part of it comes to -------------------------------------------------------------------

    def _load(self, parts: Sequence[Part], seed: str) -> list[Leaf]:
        """The state that the parts give; CannotExport if they cannot be loaded."""
        try:
            return read_state(load_text(self._write(parts), self._history.project, seed))
        except ScenarioError as error:
            raise CannotExport(f"the calls cannot be made again as a scenario: {error}; {OTHERS}") from None

    def _gives(self, parts: Sequence[Part], state: Sequence[Leaf], drawn: frozenset[int]) -> bool:
        steps = [part for part in parts if isinstance(part, Step)]
        if not self._needed_by_rules.union(*(step.needs for step in steps)) <= {
            step.number for step in steps
        }:
            return False
        try:
            got = read_state(load_text(self._write(parts), self._history.project, _SEEDS[0]))
        except ScenarioError:
            return False
        return find_difference(state, got, drawn) is None

    def _needed(self, parts: Sequence[Part]) -> list[Part]:
        """The parts without calls that only read, unless another call needs their answers."""
        kept: list[Part] = []
        wanted = {*self._needed_by_rules}
        for part in reversed(parts):
            if isinstance(part, Advance):
                kept.append(part)
                continue
            # Settings are no rows.
            has_effect = part.number <= 0 or part.texts[-1]["call"] == "ChangeSettings"
            if has_effect or part.number in self._history.writes | wanted:
                kept.append(part)
                wanted |= part.needs
        return kept[::-1]

    # --- writing --------------------------------------------------------------------------------------

    def _write(self, parts: Iterable[Part]) -> str:
        """The text of a scenario with these parts."""
        kept = merge_advances(parts)
        wanted = {number for part in kept if isinstance(part, Step) for number in part.needs}
        wanted |= self._needed_by_rules
        given: list[Any] = []
        for part in kept:
            if isinstance(part, Advance):
                given.append(advance_step(part))
                continue
            *before, last = part.texts
            given += before
            given.append({**last, "as": part.name} if part.number in wanted and part.name else last)
        project = self._history.project
        document = {
            "name": self._name,
            "clock": _clock(project, self._start_ms),
            "settings": self._beginning.settings,
            "given": given,
            "rules": self._rules,
        }
        kept_members = {name: value for name, value in document.items() if value}
        return "".join(map(comment, self._notes)) + to_yaml(kept_members)


def load_text(text: str, like: Project, seed: str) -> Project:
    """A new project like another one, into which a scenario is loaded; ScenarioError."""
    scenario = read(text, "the export", ROUTES)
    world = World(seed, defaults=ProjectDefaults(now_ms=like.created_as[0].now_ms))
    project = world.create(name=like.name, livemode=like.livemode)
    apply(world, project, scenario, assemble(world).pipeline.answer)
    return project


def _without_headers(parts: list[Part], holds: Any) -> list[Part]:
    """The parts without the headers that they do not need."""
    places = [
        (number, name)
        for number, part in enumerate(parts)
        if isinstance(part, Step)
        for name in part.texts[-1].get("headers", {})
    ]

    def with_headers(kept: Sequence[tuple[int, str]]) -> list[Part]:
        return [_keep_headers(part, {n for at, n in kept if at == place}) for place, part in enumerate(parts)]

    return with_headers(minimize(places, lambda kept: holds(with_headers(kept))))


def _keep_headers(part: Part, names: set[str]) -> Part:
    if isinstance(part, Advance) or "headers" not in part.texts[-1]:
        return part
    *before, last = part.texts
    headers = {name: value for name, value in last["headers"].items() if name in names}
    text = {
        name: value for name, value in {**last, "headers": headers}.items() if value != {} or name == "body"
    }
    return part._replace(texts=(*before, text))


def _clock(project: Project, start_ms: int) -> Any:
    """The clock at the beginning; a frozen one is written as its time."""
    at = timestamps.format_iso(start_ms)
    reading = project.clock.read()
    return at if reading.mode == "frozen" else {"mode": "ticking", "at": at, "rate": reading.rate}
