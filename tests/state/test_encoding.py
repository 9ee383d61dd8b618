"""A project as JSON lines, and back."""

import json
from functools import partial
from typing import Any

import pytest
from httpx import Client

from mockserver.kernel.codec import Malformed, codec_of
from mockserver.kernel.retention import JOURNAL_BYTES
from mockserver.scenario.running.apply import compile_again
from mockserver.server.assembly import ROUTES
from mockserver.server.recording.opening import head_of
from mockserver.state.history.history import Histories
from mockserver.state.project import Project
from mockserver.state.saved.digests import canonical, project_digest
from mockserver.state.saved.encoding import ProjectReader, empty_project, project_lines, read_head, row_codecs
from mockserver.state.settings import Settings
from mockserver.state.world import World
from tests.tables import cases

SCENARIO = {"id": "scn_1", "name": "a", "source": "a", "captured": {}, "loaded_ms": 0}
CONTRACT = {"name": "T", "chainId": 80002, "address": "0x" + "a1" * 20}


def read_again(world: World, project: Project) -> Project:
    """The project that is read from the lines of another one, as they are in a file."""
    return read_lines([json.loads(json.dumps(line)) for line in lines_of(world, project)])


def read_lines(lines: list[dict[str, Any]]) -> Project:
    """The project of lines, its head first."""
    head = read_head(lines[0])
    found = empty_project(head, Histories(JOURNAL_BYTES))
    reader = ProjectReader(found, head, partial(compile_again, ROUTES))
    for line in lines[1:]:
        reader.read(line)
    reader.finish()
    return found


def lines_of(world: World, project: Project) -> list[dict[str, Any]]:
    """All lines of a project, its head first."""
    return [*project_lines(project, head_of(world, project))]


def state_of(world: World, project: Project) -> dict[str, Any]:
    """What the line of a project's current state says."""
    return next(line["state"] for line in lines_of(world, project) if "state" in line)


@pytest.fixture
def reader(world: World, project: Project) -> ProjectReader:
    """Reads the lines of a project that is like another one."""
    head = head_of(world, project)
    return ProjectReader(empty_project(head, Histories(JOURNAL_BYTES)), head, partial(compile_again, ROUTES))


def test_every_table_has_a_codec_in_the_order_of_the_tables(project: Project) -> None:
    assert list(row_codecs()) == [name for name, _ in project.named_tables()]


def test_a_project_is_read_as_it_was_written(world: World, project: Project, api: Client) -> None:
    rule = "rules: [{name: r, when: GetContracts, then: {answer: {status: 418, body: null}}}]"
    load = {"content": rule, "headers": {"content-type": "application/yaml"}}
    base = f"/_mock/projects/{project.id}"
    api.post("/v1/contracts", json=CONTRACT)
    api.post(f"{base}/snapshots", json={"name": "before"})
    api.put(
        f"{base}/settings", json={"chains": {"1": {"base_fee_wei": 5}}, "trusted_origins": ["https://a.b"]}
    )
    assert api.post(f"{base}/scenarios", **load).status_code == 201  # type: ignore[arg-type]
    assert api.get("/v1/contracts").status_code == 418
    found = read_again(world, project)
    assert [*found.history] == [*project.read_history()]
    assert found.settings == project.settings
    assert next(iter(found.scenarios)).rules[0].then == next(iter(project.scenarios)).rules[0].then
    assert list(found.snapshots) == ["before"]
    world.delete(project)
    world.adopt(found)
    head = head_of(world, found)
    assert len(found.tables[-1]) == 1
    found.restore(found.snapshots["before"])
    assert [row.name for row in found.onchain.contracts] == ["T"]
    assert len(found.scenarios) == 0
    digest = project_digest(found, head, partial(map, canonical))
    assert digest != project_digest(project, head, partial(map, canonical))
    project.restore(project.snapshots["before"])
    assert digest == project_digest(project, head, partial(map, canonical))


def test_a_project_draws_on_from_the_seed_of_its_scenario(
    world: World, project: Project, api: Client
) -> None:
    scenario = {"content": "seed: other", "headers": {"content-type": "application/yaml"}}
    assert api.post(f"/_mock/projects/{project.id}/scenarios", **scenario).status_code == 201  # type: ignore[arg-type]
    found = read_again(world, project)
    assert (found.seed, found.new_id("usr")) == ("other", project.new_id("usr"))


def test_settings_of_every_kind_go_and_come_back() -> None:
    settings = Settings(sponsor_deposit_wei=2**200, provider_keys={"google": [{"kty": "EC"}]})
    codec = codec_of(Settings)
    assert codec.decode(json.loads(json.dumps(codec.encode(settings)))) == settings
    assert codec.encode(Settings()) == {}


@cases(
    "line, place",
    ({"row": ["identity.users", 0, {"id": "usr_1"}]}, "row[0]"),
    ({"row": "identity.users"}, "row"),
    ({"row": ["identity.users", 0]}, "row"),
    ({"row": ["identity.users", "0", {}]}, "row"),
    ({"row": ["identity.users", True, {}]}, "row"),
    ({"state": {"draws": {}}}, "state.timers"),
    ({"state": 1}, "state"),
    ({"event": {"number": "x"}}, "event"),
    ({"other": 1}, ""),
)
def test_a_line_that_is_not_of_a_project_is_refused(
    reader: ProjectReader, line: dict[str, object], place: str
) -> None:
    with pytest.raises(Malformed) as refused:
        reader.read(line)
    assert refused.value.place.startswith(place)


@cases(
    "changed, row, place",
    ({"snapshot": 1}, None, "snapshot"),
    ({"state": {"tables": {"identity.user": {}}}}, None, "state.tables.identity.user"),
    ({}, ["identity.user", 1, {}], "row[0]"),
    ({}, ["identity.users", 1, {"id": 1}], "row[2] of identity.users.created_ms"),
    ({}, ["scenarios", 1, {**SCENARIO, "text": "rules: 1"}], "row[2].text"),
)
def test_a_state_in_another_form_is_refused(
    reader: ProjectReader, world: World, project: Project, changed: dict[str, Any], row: object, place: str
) -> None:
    state = state_of(world, project) | changed.get("state", {})
    with pytest.raises(Malformed) as refused:
        [*map(reader.read, ({**changed, "state": state}, {"row": row}))]
    assert refused.value.place == place


@cases("names", (), ("kept",), (None, "kept"))
def test_a_project_has_to_have_a_current_state(
    reader: ProjectReader, world: World, project: Project, names: tuple[Any, ...]
) -> None:
    for name in names:
        reader.read({"state": state_of(world, project), "snapshot": name})
    with pytest.raises(Malformed, match="has no current state"):
        reader.finish()


@cases(
    "rows",
    {},
    ["identity.users"],
    [["identity.users", "usr_1", None, None]],
    [["identity.users", 1, None, None, 0]],
    [["identity.user", "usr_1", None, None, 0]],
    [["identity.users", "usr_1", None, None, "0"]],
    [["identity.users", "usr_1", {"id": 1}, None, 0]],
)
def test_a_change_of_a_row_in_another_form_is_refused(
    reader: ProjectReader, world: World, project: Project, api: Client, rows: object
) -> None:
    api.post("/v1/contracts", json=CONTRACT)
    changed = next(line for line in lines_of(world, project) if line.get("event", {}).get("changes"))
    changed["event"]["changes"]["rows"] = rows
    with pytest.raises(Malformed) as refused:
        reader.read(changed)
    assert refused.value.place.startswith("event.changes.rows")


@cases(
    "lost, reason",
    ('"number":2,', "event.number: is to be 2"),
    ('"number":3,', "project.history.last_number: is not the number of the last event"),
    ('"requests.rule_states"', "rows of requests.rule_states: lack scn_"),
)
def test_a_project_that_has_lost_a_line_is_refused(
    world: World, project: Project, api: Client, lost: str, reason: str
) -> None:
    scenario = {"rules": [{"when": "GetContracts", "then": {"answer": 500}}]}
    api.post("/_mock/projects/-/scenarios", json=scenario)
    for _ in range(2):
        api.get("/v1/contracts")
    lines = lines_of(world, project)
    kept = [line for line in lines if lost not in json.dumps(line, separators=(",", ":")) or "state" in line]
    with pytest.raises(Malformed, match=reason):
        read_lines(kept)


def test_a_row_that_comes_twice_is_refused(
    reader: ProjectReader, world: World, project: Project, api: Client
) -> None:
    api.post("/v1/contracts", json=CONTRACT)
    _, *lines = lines_of(world, project)
    twice = next(number for number, line in enumerate(lines) if "row" in line)
    for line in [*lines[: twice + 1], *lines[twice:]]:
        reader.read(line)
    with pytest.raises(Malformed, match="cannot have the number"):
        reader.finish()
