"""A recording has digests of what changed now and then, so that a replay says where it went wrong."""

import json
from functools import partial
from typing import Any

import pytest
from httpx import Client

from mockserver.api.call import Request
from mockserver.domain.identity.users import create_user
from mockserver.server.edge.app import App
from mockserver.server.recording import recorder
from mockserver.state.project import Project
from mockserver.state.saved.digests import ChangeDigests, canonical
from mockserver.state.world import World
from tests.replay.runs import play


def read(app: App, project: Project, times: int = 1) -> None:
    """Read the contracts of a project so many times."""
    for _ in range(times):
        app.pipeline.answer(
            Request("GET", "/v1/contracts", "", {"authorization": f"Bearer {project.secret_key}"}, b"")
        )


def register(app: App, project: Project, number: int = 1) -> None:
    headers = {"authorization": f"Bearer {project.secret_key}", "content-type": "application/json"}
    body = {"name": "Token", "chainId": 80002, "address": f"0x{number:040x}"}
    answer = app.pipeline.answer(Request("POST", "/v1/contracts", "", headers, json.dumps(body).encode()))
    assert getattr(answer, "status", 0) == 200


def checkpoints(app: App) -> list[dict[str, Any]]:
    lines = map(json.loads, app.recordings.read().splitlines())
    return [line["checkpoint"] for line in lines if "checkpoint" in line]


def test_a_state_follows_each_thousand_requests(app: App, world: World) -> None:
    mine, other = world.create(name="mine"), world.create(name="other")
    app.recordings.start()
    register(app, mine)
    read(app, mine, 998)
    assert checkpoints(app) == []
    read(app, other)
    first = {"n": 1_000, "digests": {mine.id: app.recordings.digests()[mine.id]}}
    assert checkpoints(app) == [first]
    register(app, other)
    read(app, mine, 999)
    assert checkpoints(app) == [
        first,
        {"n": 2_000, "digests": {other.id: app.recordings.digests()[other.id]}},
    ]


def test_a_replay_says_from_which_state_on_it_differs(
    app: App, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "_CHECKPOINT_AFTER", 2)
    app.recordings.start()
    for number in range(5):
        api.post("/v1/contracts", json={"name": "Token", "chainId": 80002, "address": f"0x{number:040x}"})
    recorded, states = app.recordings.read(), checkpoints(app)
    assert [each["n"] for each in states] == [2, 4]
    assert play(recorded)[1] == []
    (digest,) = states[1]["digests"].values()
    (found,) = play(recorded.replace(digest.encode(), b"f" * len(digest)))[1]
    assert (found.exchange, "checkpoint" in found.expected) == (4, True)


def test_of_more_rows_they_come_less_often(app: App, world: World) -> None:
    project = world.create(name="mine")
    for number in range(1_200):
        register(app, project, number + 2)
    app.recordings.start()
    register(app, project)
    read(app, project, 2_198)
    rows = sum(map(len, project.tables))
    assert rows > 1_200
    assert [each["n"] for each in checkpoints(app)] == [1_000]
    read(app, project, rows - 1_199)
    assert [each["n"] for each in checkpoints(app)] == [1_000, 1_000 + rows]


def test_the_end_comes_once_with_the_digests_of_all(app: App, world: World) -> None:
    project = world.create(name="mine")
    app.recordings.start()
    register(app, project)
    app.recordings.stop()
    end = {"n": 1, "digests": dict(app.recordings.digests())}
    app.recordings.stop()
    read(app, project)
    lines = [json.loads(line) for line in app.recordings.read().splitlines()]
    assert [line["end"] for line in lines if "end" in line] == [end]


def test_digests_are_of_members_in_order_and_of_any_text() -> None:
    assert canonical({"b": [1, 2], "a": "\u00e9"}) == '{"a":"\u00e9","b":[1,2]}'.encode()
    assert canonical({"b": [1, 2], "a": "\ud800"}) == b'{"a":"\\ud800","b":[1,2]}'


def test_changed_and_removed_rows_are_told_as_they_are_now(world: World, project: Project) -> None:
    changes = ChangeDigests(partial(map, canonical))
    world.histories.on_changes = changes.note
    user = create_user(project, name="Ada", email=None)
    project.commit()
    project.record("control")
    name = f"identity.users/{user.id}"
    made = changes.take()[project][name]
    project.identity.users.replace(user._replace(name="Bea"))
    project.commit()
    project.record("control")
    assert changes.take()[project][name] not in (made, None)
    project.identity.users.remove(user.id)
    project.commit()
    project.record("control")
    assert changes.take() == {project: {name: None}}
    project.identity.users.remove(create_user(project, name="Ada", email=None).id)
    project.commit()
    project.record("control")
    assert not [each for each in changes.take()[project] if each.startswith("identity.users/")]
