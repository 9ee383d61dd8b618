"""Snapshots of a project."""

import json

from httpx import Client

from mockserver.server.edge.app import App
from mockserver.state.project import Project
from tests.tables import cases

SNAPSHOTS = "/_mock/projects/-/snapshots"
CONTRACT = {"name": "Token", "chainId": 80002}


def _create(api: Client, byte: str) -> dict[str, object]:
    answer: dict[str, object] = api.post(
        "/v1/contracts", json={**CONTRACT, "address": "0x" + byte * 20}
    ).json()
    return answer


def test_a_restored_project_answers_as_it_did(api: Client) -> None:
    _create(api, "aa")
    api.post(SNAPSHOTS, json={"name": "one"})
    answers = []
    for _ in range(3):
        answers.append(_create(api, "bb"))
        api.post("/_mock/projects/-/clock/advance", json={"seconds": 5})
        assert api.get("/v1/contracts").json()["total"] == 2
        assert api.post(f"{SNAPSHOTS}/one/restore").status_code == 200
        assert api.get("/v1/contracts").json()["total"] == 1
        assert api.get("/_mock/projects/-/clock").json()["now"] == "2026-01-01T00:00:00.000Z"
    assert answers[0] == answers[1] == answers[2]


def test_a_restore_is_recorded_with_the_settings_it_changes(app: App, api: Client, project: Project) -> None:
    api.post(SNAPSHOTS, json={"name": "before"})
    api.put("/_mock/projects/-/settings", json={"one_time_code": "1111"})
    app.recordings.start()
    api.post(f"{SNAPSHOTS}/before/restore")
    *_, line = app.recordings.read().splitlines()
    assert "settings" in json.loads(line)["changes"][project.id]


def test_a_restore_brings_back_settings_timers_and_fates(api: Client, project: Project) -> None:
    submitted = api.post("/_mock/projects/-/solana/transactions", json={}).json()["id"]
    api.post("/_mock/projects/-/fates", json={"outcome": "reverted"})
    api.post(SNAPSHOTS, json={"name": "before"})
    api.put("/_mock/projects/-/settings", json={"one_time_code": "1111"})
    api.delete("/_mock/projects/-/fates")
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 5})
    api.post(f"{SNAPSHOTS}/before/restore")
    assert project.settings.one_time_code is None
    assert len(project.onchain.fates) == 1
    assert project.onchain.solana_transactions[submitted].status == "sent"
    fired = api.post("/_mock/projects/-/clock/advance", json={"seconds": 5}).json()["fired"]
    assert [entry["id"] for entry in fired] == [submitted]


def test_snapshots_are_listed_without_what_they_hold(api: Client) -> None:
    api.post(SNAPSHOTS, json={})
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 1})
    api.post(SNAPSHOTS, json={"name": "named"})
    assert api.get(SNAPSHOTS).json() == {
        "data": [
            {"id": "snapshot-1", "now": "2026-01-01T00:00:00.000Z"},
            {"id": "named", "now": "2026-01-01T00:00:01.000Z"},
        ],
        "total": 2,
    }


def test_a_made_up_name_is_never_one_that_is_taken(api: Client) -> None:
    api.post(SNAPSHOTS, json={"name": "snapshot-2"})
    assert api.post(SNAPSHOTS).json()["id"] == "snapshot-3"


def test_a_name_that_is_taken_is_refused(api: Client) -> None:
    api.post(SNAPSHOTS, json={"name": "same"})
    response = api.post(SNAPSHOTS, json={"name": "same"})
    assert (response.status_code, response.json()["type"]) == (409, "urn:mockserver:snapshot-exists")


@cases("call", ("POST", "/gone/restore"), ("DELETE", "/gone"))
def test_a_snapshot_that_was_deleted_is_not_found(api: Client, call: tuple[str, str]) -> None:
    api.post(SNAPSHOTS, json={"name": "gone"})
    assert api.delete(f"{SNAPSHOTS}/gone").json() == {"deleted": 1}
    assert api.request(call[0], SNAPSHOTS + call[1]).status_code == 404


def test_the_journal_is_no_part_of_a_snapshot(api: Client) -> None:
    api.post(SNAPSHOTS, json={"name": "empty"})
    _create(api, "aa")
    api.post(f"{SNAPSHOTS}/empty/restore")
    assert api.get("/_mock/projects/-/journal").json()["total"] == 1


def test_a_snapshot_is_compared_with_what_there_is_now(api: Client) -> None:
    def create(number: int) -> str:
        body = {"name": f"C{number}", "chainId": 80002, "address": f"0x{number:040x}"}
        return str(api.post("/v1/contracts", json=body).json()["id"])

    snapshots = "/_mock/projects/-/snapshots"
    changed = create(1)
    api.post(snapshots, json={"name": "before"})
    assert api.get(f"{snapshots}/before/differences").json() == {"data": [], "total": 0}
    api.post(f"/v1/contracts/{changed}", json={"name": "renamed"})
    created = create(2)
    found = api.get(f"{snapshots}/before/differences").json()["data"]
    contracts = {each["id"]: each for each in found if each["table"] == "onchain.contracts"}
    assert contracts.keys() == {changed, created}
    assert contracts[changed]["before"]["name"] == "C1"
    assert contracts[changed]["after"]["name"] == "renamed"
    assert contracts[created]["before"] is None
    assert api.get(f"{snapshots}/nowhere/differences").status_code == 404


def test_a_scenario_that_was_loaded_since_is_no_difference(api: Client) -> None:
    project = "/_mock/projects/-"
    api.post(f"{project}/snapshots", json={"name": "before"})
    loaded = api.post(f"{project}/scenarios", content="name: empty", headers={"content-type": "text/yaml"})
    assert loaded.is_success, loaded.text
    assert api.get(f"{project}/snapshots/before/differences").json() == {"data": [], "total": 0}
