"""How a project was when a recording begins, as parts of a scenario: empty, or with loaded scenarios."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from itertools import chain
from typing import Any, NamedTuple

from mockserver.api.values import to_json
from mockserver.replay.export.history import OTHERS, CannotExport, History
from mockserver.replay.export.states import find_difference, read_rows, read_state
from mockserver.replay.export.steps import Step
from mockserver.replay.shrinking.links import Link
from mockserver.replay.shrinking.places import ValuePlace, texts_of
from mockserver.scenario.checking.load import read
from mockserver.scenario.reading.findings import ScenarioError
from mockserver.scenario.reading.references import references_in
from mockserver.scenario.running.apply import apply
from mockserver.server.assembly import ROUTES, assemble
from mockserver.state.project import Project
from mockserver.state.settings import Settings
from mockserver.state.world import ProjectDefaults, World

_SHORTEST = 20
"""Texts of captured answers that are shorter are no ids."""


class Beginning(NamedTuple):
    """What comes before the first call."""

    start_ms: int
    steps: tuple[Step, ...] = ()
    names: Mapping[int, str] = {}
    settings: Mapping[str, Any] = {}
    rules: tuple[Any, ...] = ()


def read_beginning(history: History) -> Beginning:
    """How the project began; CannotExport if it had rows that neither a call nor a loaded scenario made."""
    began, beginning = history.began, Beginning(history.start_ms, settings=changed_settings(history.settings))
    if began is None:
        return beginning
    parts = [read_document(each.text) for each in began.scenarios]
    rules = chain.from_iterable(each.get("rules", ()) for each in reversed(parts))
    beginning = beginning._replace(rules=tuple(rules))
    if not has_rows(began):
        return beginning
    loaded = _load(began)
    if find_difference(read_state(began), read_state(loaded), frozenset()) is not None:
        raise CannotExport(f"{_found(began)}, so that a scenario cannot; {OTHERS}")
    captured = {name: answer for row in loaded.scenarios for name, answer in row.captured.items()}
    steps, names = _steps(parts)
    for number, name in names.items():
        for pointer, text in texts_of("", captured.get(name)):
            if len(text) >= _SHORTEST:
                history.table.add(text, Link(number, ValuePlace("body", pointer)))
    return beginning._replace(start_ms=began.created_as[0].now_ms, steps=steps, names=names)


def notes_of_beginning(history: History) -> tuple[str, ...]:
    """What a test lacks whose project does not begin as the recorded one did."""
    began = history.began
    if began is None:
        return ()
    notes = []
    if has_rows(began) and not _are_of_scenarios(began):
        notes.append(f"{_found(began)}; the test begins without them")
    requests = began.requests
    if len(requests.rate_windows) or len(requests.fault_attempts) or any(r.met for r in requests.rule_states):
        notes.append("limits or rules had counted calls when the recording began; the test counts from none")
    return tuple(notes)


def _are_of_scenarios(began: Project) -> bool:
    """Whether its rows are those that its scenarios make."""
    return find_difference(read_rows(began), read_rows(_load(began)), frozenset()) is None


def _found(began: Project) -> str:
    tables = ", ".join(name for name, table in began.named_tables() if len(table))
    return (
        "the recording begins in the middle of a project's life, with rows in "
        f"{tables}: no call in it made them"
    )


def _steps(parts: list[dict[str, Any]]) -> tuple[tuple[Step, ...], dict[int, str]]:
    """The steps of start-up scenarios, numbered up to -1, and the names that they capture."""
    given = [step for part in parts for step in part.get("given", ())]
    numbers = {step["as"]: place - len(given) for place, step in enumerate(given) if "as" in step}
    steps = []
    for place, step in enumerate(given):
        text = {name: value for name, value in step.items() if name != "as"}
        needs = frozenset(numbers[name] for name in references_in(text) if name in numbers)
        steps.append(Step(place - len(given), (text,), needs, step.get("as")))
    return tuple(steps), {number: name for name, number in numbers.items()}


def _load(began: Project) -> Project:
    """A project that was made as this one, with the scenarios that this one has."""
    reading, settings, seed = began.created_as
    world = World(defaults=ProjectDefaults(reading.now_ms, reading.mode, reading.rate, settings))
    like = world.create(name=began.name, livemode=began.livemode, seed=seed)
    send = assemble(world).pipeline.answer
    try:
        for each in began.scenarios:
            apply(world, like, read(each.text, each.source, ROUTES), send)
    except ScenarioError as error:
        raise CannotExport(f"a scenario of the beginning cannot be loaded: {error}") from None
    return like


def read_document(text: str) -> dict[str, Any]:
    """A scenario as plain JSON values; ScenarioError."""
    found: dict[str, Any] = as_json(read(text, "the scenario", ROUTES).root.plain())
    return found


def as_json(value: Any) -> Any:
    """A value as plain JSON values."""
    return json.loads(to_json(value))


def has_rows(project: Project) -> bool:
    """Whether there is anything in a project that matters."""
    return any(leaf.value for leaf in read_rows(project) if leaf.place.endswith(": rows"))


def changed_settings(settings: Settings) -> dict[str, Any]:
    """The settings that do not have their default, as JSON."""
    given, usual = (as_json(asdict(each)) for each in (settings, Settings()))
    return {name: value for name, value in given.items() if value != usual[name]}
