"""Recordings that begin in the middle of a life: what is not in any row is as it was, too."""

import json
from io import BytesIO

import pytest
from httpx import Client

from mockserver.replay.loading import load
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.server.recording.reading import Lines
from mockserver.state.world import World
from tests.replay.runs import play
from tests.transport import InProcessTransport

BODY = {"name": "T" * 200, "chainId": 80002, "address": "0x" + "a1" * 20}


@pytest.fixture
def small() -> App:
    """A server whose journals and open projects have little room."""
    return assemble(World(journal_bytes=60_000, open_projects=16))


def client_of(app: App) -> Client:
    """A client without a key."""
    return Client(transport=InProcessTransport(app), base_url="http://mock")


def call(client: Client, name: str) -> None:
    """A call of a project."""
    client.post("/v1/contracts", json=BODY, headers={"authorization": f"Bearer sk_test_{name}"})


def test_full_journals_give_up_the_entries_that_they_did(small: App) -> None:
    client = client_of(small)
    names = [f"p{number}" for number in range(5)]
    for turn in range(12):
        for name in names if turn % 2 else reversed(names):
            call(client, name)
    client.post("/_mock/recording")
    for name in ("p3", "p0", "p3", "p1", "p4", "p0", "p2") * 3:
        call(client, name)
        journal = {"authorization": f"Bearer sk_test_{name}"}
        client.get("/_mock/projects/-/journal", headers=journal)
        client.get("/_mock/projects/-/effects", headers=journal)
    client.post("/_mock/recording/stop")
    player, found = play(client.get("/_mock/recording").content)
    assert (player.number, found) == (63, [])


def test_projects_are_put_away_in_the_order_in_which_they_were(small: App) -> None:
    client = client_of(small)
    for number in (*range(20), 7, 3, 1):
        call(client, f"p{number}")
    put_away = {project.name for project in small.pipeline.world if project.is_put_away}
    order = names_in_order(small)
    client.post("/_mock/recording")
    assert {project.name for project in small.pipeline.world if project.is_put_away} == put_away
    assert names_in_order(small) == order
    client.post("/_mock/recording/stop")
    _, again, _ = load(Lines(BytesIO(client.get("/_mock/recording").content)), lambda: 0)
    assert {project.name for project in again.pipeline.world if project.is_put_away} == put_away
    assert names_in_order(again) == order


def names_in_order(app: App) -> list[str]:
    """The names of the projects that have events, the one to which one was added last at the end."""
    world = app.pipeline.world
    names = {project.history: project.name for project in world if not project.is_put_away}
    return [names[history] for history in world.histories.order]


def test_what_was_deleted_from_a_journal_was_not_dropped(app: App, api: Client) -> None:
    for _ in range(3):
        api.get("/v1/contracts")
    api.delete("/_mock/projects/-/journal")
    api.post("/_mock/recording")
    api.get("/v1/contracts")
    api.post("/_mock/projects/-/verify", json={"call": "GetContracts", "times": 1})
    api.get("/_mock/projects/-/journal")
    api.post("/_mock/recording/stop")
    raw = api.get("/_mock/recording").content
    statuses = [json.loads(line)["answer"]["status"] for line in raw.splitlines() if b'"answer"' in line]
    assert statuses[0] == 200
    _, found = play(raw)
    assert found == []


def test_what_a_restore_changed_takes_as_much_memory(small: App) -> None:
    client = client_of(small)
    client.headers["authorization"] = "Bearer sk_test_p1"
    player = client.post("/v1/players", json={"name": "Ada", "description": "D" * 200}).json()["id"]
    client.post("/_mock/projects/-/snapshots", json={"name": "before"})
    assert client.post(f"/v1/players/{player}", json={"name": "Bob"}).status_code == 200
    client.post("/_mock/recording")
    client.post("/_mock/projects/-/snapshots/before/restore")
    client.get("/_mock/projects/-/state")
    client.post("/_mock/recording/stop")
    replayed, found = play(client.get("/_mock/recording").content)
    assert (replayed.number, found) == (2, [])


def test_a_restore_that_changes_nothing_is_no_event(small: App) -> None:
    client = client_of(small)
    client.headers["authorization"] = "Bearer sk_test_p1"
    call(client, "p1")
    client.post("/_mock/projects/-/snapshots", json={"name": "before"})
    client.post("/_mock/recording")
    client.post("/_mock/projects/-/snapshots/before/restore")
    call(client, "p1")
    last = client.get("/_mock/projects/-/journal").json()["data"][-1]["n"]
    client.post("/_mock/recording/stop")
    replayed, found = play(client.get("/_mock/recording").content)
    assert (last, replayed.number, found) == (2, 3, [])
