"""Scenarios: check, load, list, unload."""

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.errors import ApiError
from mockserver.kernel.secrecy import Source
from mockserver.kernel.spelling import shorten
from mockserver.scenario.checking import load
from mockserver.scenario.checking.shadows import find_shadows
from mockserver.scenario.reading.bounds import EFFORT_OF_REQUESTS, OF_REQUESTS
from mockserver.scenario.reading.findings import ScenarioError, decode
from mockserver.scenario.running import apply
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlQuery, DeletedAnswer, ListAnswer, ListQuery, list_answer
from mockserver.server.control.groups import ControlGroup
from mockserver.state.project import Project
from mockserver.state.requests import LoadedScenario

scenarios = ControlGroup("Scenarios")
scenario_texts = ControlGroup("Scenarios", below="/_mock/scenarios")


class LoadScenario(ControlQuery):
    """Where the text comes from."""

    source: Annotated[str, Field(min_length=1, max_length=256)] = "scenario"
    """The name of the text in error messages, such as its file's name."""


class RuleAnswer(TypedDict):
    """A rule: how many calls it matched (`met`), and how often it took effect (`fired`)."""

    name: str
    met: int
    fired: int
    """How many calls it acted on."""
    optional: bool
    """Whether it may never fire."""


class ScenarioAnswer(TypedDict):
    """A loaded scenario: its text, its rules in order, the answers that its steps captured, by name."""

    id: str
    name: str
    source: str
    """What its text is called, such as its file's name."""
    text: Source
    rules: list[RuleAnswer]
    """The rules, and how often each acted."""
    captured: dict[str, Any]
    state: str
    """The state that the project is in, which rules read and set."""


class FindingAnswer(TypedDict):
    """What is wrong with a scenario, and where."""

    severity: Literal["error", "warning"]
    """A scenario with errors is not loaded."""
    line: int
    """The line, from 1."""
    column: int
    """The column in it, from 1."""
    message: str
    """What is wrong."""
    nearest: str | None
    """The nearest valid name, if a name is unknown."""


class FindingsAnswer(TypedDict):
    """What is wrong with a scenario."""

    findings: list[FindingAnswer]
    """In the order of the text; empty if it is valid."""


def _read(call: ControlCall[Any, LoadScenario, Any]) -> load.Scenario:
    source = call.query.source
    return load.read(decode(call.request.body, source), source, call.routes, OF_REQUESTS)


@scenario_texts.operation("POST /check", "CheckScenario", reads="application/yaml")
def check_scenario(call: ControlCall[None, LoadScenario, None]) -> FindingsAnswer:
    """Read a scenario without loading it, and list what is wrong with it.

    Its steps are not run, and the files that it requires are not read.
    """
    try:
        scenario = _read(call)
    except ScenarioError as error:
        found = [
            _finding("error", each.line, each.column, each.message, each.nearest) for each in error.findings
        ]
        return {"findings": found}
    shadows = find_shadows(scenario, EFFORT_OF_REQUESTS)
    return {"findings": [_finding("warning", place.line, place.column, why) for place, why in shadows]}


def _finding(
    severity: Literal["error", "warning"], line: int, column: int, message: str, nearest: str | None = None
) -> FindingAnswer:
    return {"severity": severity, "line": line, "column": column, "message": message, "nearest": nearest}


@scenarios.operation(
    "POST /scenarios", "LoadScenario", errors.CONTROL_BAD_SCENARIO, status=201, reads="application/yaml"
)
def load_scenario(call: ControlCall[None, LoadScenario]) -> ScenarioAnswer:
    """Load a scenario. If any of it is invalid, nothing is loaded."""
    try:
        scenario = _read(call)
        loaded = apply.apply(call.world, call.project, scenario, call.server.send)
    except ScenarioError as error:
        raise _scenario_error(error) from None
    return _scenario_answer(call.project, loaded)


@scenarios.operation("GET /scenarios", "ListScenarios")
def list_scenarios(call: ControlCall[None, ListQuery]) -> ListAnswer[ScenarioAnswer]:
    """List scenarios in the order they were loaded, and how often each rule matched and took effect."""
    project = call.project
    return list_answer(call.query, project.scenarios, lambda loaded: _scenario_answer(project, loaded))


@scenarios.operation("DELETE /scenarios", "UnloadScenarios")
def unload_scenarios(call: ControlCall) -> DeletedAnswer:
    """Unload every scenario. What they created and set stays."""
    found = list(call.project.scenarios)
    for loaded in found:
        apply.unload(call.project, loaded.id)
    return {"deleted": len(found)}


@scenarios.operation("DELETE /scenarios/{id}", "UnloadScenario", errors.CONTROL_UNKNOWN_SCENARIO)
def unload_scenario(call: ControlCall) -> DeletedAnswer:
    """Unload a scenario. What it created and set stays."""
    scenario_id = call.path["id"]
    if scenario_id not in call.project.scenarios:
        raise ApiError(errors.CONTROL_UNKNOWN_SCENARIO, id=shorten(scenario_id))
    apply.unload(call.project, scenario_id)
    return {"deleted": 1}


def _scenario_answer(project: Project, loaded: LoadedScenario) -> ScenarioAnswer:
    rules: list[RuleAnswer] = []
    for rule in loaded.rules:
        state = project.requests.rule_states[rule.id]
        rules.append({"name": rule.name, "met": state.met, "fired": state.fired, "optional": rule.optional})
    return {
        "id": loaded.id,
        "name": loaded.name,
        "source": loaded.source,
        "text": loaded.text,
        "rules": rules,
        "captured": dict(loaded.captured),
        "state": project.scenario_state,
    }


def _scenario_error(error: ScenarioError) -> ApiError:
    """The 400 for an invalid scenario, with each finding under its line and column."""
    found: dict[str, dict[str, object]] = {}
    for finding in error.findings:
        entry: dict[str, object] = {
            "message": finding.message,
            "line": finding.line,
            "column": finding.column,
        }
        if finding.nearest is not None:
            entry["nearest"] = finding.nearest
        place = f"{finding.line}:{finding.column}"
        while place in found:
            place += "+"
        found[place] = entry
    more = len(error.findings) - 1
    summary = f"{error.findings[0]}{f' (and {more} more)' if more else ''}"
    return ApiError(errors.CONTROL_BAD_SCENARIO, summary=summary, details=found)
