"""Scenarios that a run loads, as steps and rules of the scenario that is written."""

from collections.abc import Iterator, Mapping
from typing import Any

from mockserver.kernel import timestamps
from mockserver.replay.export.beginning import as_json
from mockserver.replay.export.history import Exchange
from mockserver.replay.export.names import unused_name
from mockserver.replay.export.steps import CannotWrite, Loaded
from mockserver.scenario.checking.load import Scenario, read
from mockserver.scenario.reading.findings import ScenarioError
from mockserver.scenario.reading.references import PROJECT
from mockserver.server.assembly import ROUTES

_TAKEN_OVER = frozenset({"clock", "settings", "given", "fates", "rules"})
_WITHOUT_EFFECT = frozenset({"name", "about", "requires", "seed", "expect"})


def read_loaded(call: Exchange, names: dict[int, str], *, below: int) -> Loaded:
    """The scenario that a call loads; CannotWrite. Its answers get names, which are added to those there are.

    Its steps have numbers from `below` downwards.
    """
    body = call.linked.request.body
    try:
        scenario = read(body if isinstance(body, str) else "", "the scenario", ROUTES)
    except ScenarioError:
        raise CannotWrite("it loads what is no scenario now") from None
    document = as_json(scenario.root.plain())
    more = document.keys() - _TAKEN_OVER - _WITHOUT_EFFECT
    if more:
        raise CannotWrite(f"it loads a scenario with {', '.join(sorted(more))}")
    captures: dict[str, int] = {}
    steps: dict[int, Mapping[str, Any]] = {}
    for number, step in enumerate(_steps(scenario, document)):
        place = below - number
        steps[place] = {name: value for name, value in step.items() if name != "as"}
        if "as" in step:
            captures[step["as"]] = place
            names[place] = unused_name(step["as"], {PROJECT, *names.values()})
    return Loaded(call, steps, tuple(document.get("rules", ())), captures)


def _steps(scenario: Scenario, document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """All that a scenario does to a project, in order, as steps."""
    clock = scenario.clock
    if clock is not None and clock.mode == "ticking":
        raise CannotWrite("it loads a scenario with a clock that ticks")
    if clock is not None and clock.at is not None:
        yield {"call": "AdvanceClock", "body": {"to": timestamps.format_iso(clock.at)}}
    if "settings" in document:
        yield {"call": "ChangeSettings", "body": document["settings"]}
    yield from document.get("given", ())
    for fate in scenario.fates:
        yield {"call": "CreateFate", "body": as_json(fate)}
