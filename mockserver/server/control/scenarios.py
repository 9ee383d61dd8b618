"""Scenarios: loaded, looked at, unloaded."""

from typing import Annotated, Any, TypedDict

from pydantic import Field

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.errors import ApiError
from mockserver.scenario import apply, load
from mockserver.scenario.findings import ScenarioError
from mockserver.server.control.members import ControlQuery
from mockserver.server.control.outbox import Cleared
from mockserver.server.control_call import ControlCall
from mockserver.state.project import LoadedScenario, Project

scenarios = Group("Scenarios")


class LoadScenario(ControlQuery):
    """How the text is called in what is said about it, such as its file's name."""

    source: Annotated[str, Field(min_length=1, max_length=256)] = "scenario"


class RuleAnswer(TypedDict):
    """A rule: how many calls it was about, and how often it did something."""

    name: str
    met: int
    fired: int


class ScenarioAnswer(TypedDict):
    """A scenario that is loaded, with its rules in order, and the answers its steps captured, by name."""

    id: str
    name: str
    text: str
    rules: list[RuleAnswer]
    captured: dict[str, Any]


class ScenarioList(TypedDict):
    """Every scenario in the order they were loaded, and where the project is in them."""

    data: list[ScenarioAnswer]
    total: int
    position: str


class DeletedScenario(TypedDict):
    """What unloading answers."""

    id: str
    deleted: bool


@scenarios.endpoint(
    "POST",
    "/_mock/projects/{p}/scenarios",
    "LoadScenario",
    ANYBODY,
    status=201,
    reads="application/yaml",
    errors=(errors.CONTROL_BAD_SCENARIO,),
)
def load_scenario(call: ControlCall[None, LoadScenario]) -> ScenarioAnswer:
    """Load a scenario, all of it or nothing."""
    try:
        scenario = load.read(call.request.body.decode(), call.query.source, call.routes)
        loaded = apply.apply(call.world, call.project, scenario, call.send)
    except UnicodeDecodeError:
        raise ApiError(errors.CONTROL_BAD_SCENARIO, summary="The text is not UTF-8.") from None
    except ScenarioError as error:
        raise _refused(error) from None
    return _answer(call.project, loaded)


@scenarios.endpoint("GET", "/_mock/projects/{p}/scenarios", "ListScenarios", ANYBODY)
def list_scenarios(call: ControlCall) -> ScenarioList:
    """List scenarios, and how often each rule was met and did something."""
    found = [_answer(call.project, loaded) for loaded in call.project.scenarios]
    return {"data": found, "total": len(found), "position": call.project.position}


@scenarios.endpoint("DELETE", "/_mock/projects/{p}/scenarios", "UnloadScenarios", ANYBODY)
def unload_scenarios(call: ControlCall) -> Cleared:
    """Unload every scenario. What they created and set stays."""
    found = list(call.project.scenarios)
    for loaded in found:
        apply.unload(call.project, loaded.id)
    return {"cleared": len(found)}


@scenarios.endpoint(
    "DELETE",
    "/_mock/projects/{p}/scenarios/{id}",
    "UnloadScenario",
    ANYBODY,
    errors=(errors.CONTROL_UNKNOWN_SCENARIO,),
)
def unload_scenario(call: ControlCall) -> DeletedScenario:
    """Unload a scenario. What it created and set stays."""
    scenario_id = call.path["id"]
    if scenario_id not in call.project.scenarios:
        raise ApiError(errors.CONTROL_UNKNOWN_SCENARIO, id=scenario_id[:80])
    apply.unload(call.project, scenario_id)
    return {"id": scenario_id, "deleted": True}


def _answer(project: Project, loaded: LoadedScenario) -> ScenarioAnswer:
    rules: list[RuleAnswer] = []
    for rule in loaded.rules:
        state = project.requests.rule_states[rule.id]
        rules.append({"name": rule.name, "met": state.met, "fired": state.fired})
    return {
        "id": loaded.id,
        "name": loaded.name,
        "text": loaded.text,
        "rules": rules,
        "captured": dict(loaded.captured),
    }


def _refused(error: ScenarioError) -> ApiError:
    """What is wrong with a scenario, each finding under its line and column."""
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
