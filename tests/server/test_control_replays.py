"""Loading a recording into a running server, and replaying it there by the control API."""

import json
from contextlib import ExitStack

import httpx
import pytest

from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import World
from mockserver.testing.server import LiveServer
from tests.tables import cases
from tests.transport import InProcessTransport

JSONL = {"content-type": "application/jsonl"}
BODY = {"name": "Token", "chainId": 80002, "address": "0x" + "a1" * 20}


@pytest.fixture
def recorded(api: httpx.Client, project: Project) -> bytes:
    """A recording that begins with a contract, a snapshot and a journal, and lists it."""
    api.post("/v1/contracts", json=BODY)
    api.post(f"/_mock/projects/{project.id}/snapshots", json={"name": "s"})
    api.post("/_mock/recording")
    api.get("/v1/contracts")
    api.post("/_mock/recording/stop")
    return api.get("/_mock/recording").content


@pytest.fixture
def fresh() -> httpx.Client:
    """A client of another server, which has nothing."""
    return client_of(assemble(World()))


def client_of(app: App) -> httpx.Client:
    """A client with the key of the recorded project."""
    headers = {"authorization": "Bearer sk_test_tests"}
    return httpx.Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers)


def load(client: httpx.Client, raw: bytes, path: str = "load", **params: str) -> httpx.Response:
    """Load a recording."""
    return client.post(f"/_mock/recording/{path}", content=raw, headers=JSONL, params=params)


def test_the_state_in_which_a_recording_begins_is_loaded(recorded: bytes, fresh: httpx.Client) -> None:
    answer = load(fresh, recorded)
    begin = next(line for line in map(json.loads, recorded.splitlines()) if "begin" in line)
    assert (answer.status_code, answer.json()) == (200, begin["begin"])
    assert fresh.get("/_mock/recording/digests").json() == begin["begin"]
    assert fresh.get("/v1/contracts").json()["total"] == 1
    assert fresh.get("/_mock/projects/-/snapshots").json()["data"][0]["id"] == "s"
    assert [row["path"] for row in fresh.get("/_mock/projects/-/journal").json()["data"]] == [
        "/v1/contracts",
        "/v1/contracts",
    ]


def test_projects_in_use_are_replaced_only_if_that_is_said(recorded: bytes, fresh: httpx.Client) -> None:
    fresh.post("/v1/contracts", json=BODY, headers={"authorization": "Bearer sk_test_running"})
    refused = load(fresh, recorded)
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:mockserver:server-in-use")
    assert "running (pro_" in refused.json()["detail"]
    assert [row["name"] for row in fresh.get("/_mock/projects").json()["data"]] == ["running"]
    assert load(fresh, recorded, replace="true").status_code == 200
    assert [row["name"] for row in fresh.get("/_mock/projects").json()["data"]] == ["tests"]


def test_a_project_of_the_beginning_is_fresh_after_a_reset(
    recorded: bytes, app: App, api: httpx.Client, project: Project, world: World
) -> None:
    project.reset()
    world.note_beginning()
    assert load(api, recorded).status_code == 200
    world.note_beginning()
    api.get("/v1/contracts")
    assert load(api, recorded).status_code == 409
    api.post("/_mock/projects/-/reset")
    assert load(api, recorded).status_code == 200


@cases(
    "change, finding",
    (lambda raw: b"", "line 1: is not the first line of a recording"),
    (lambda raw: raw[: raw.index(b'{"begin"')], "the recording ends before its first request"),
    (lambda raw: raw.replace(b'"name":"tests"', b'"name":7', 1), "line 4: project.name: "),
    (lambda raw: raw.replace(b'{"row"', b'{"raw"', 1), "is no line of a project"),
    (lambda raw: raw.replace(b":2}\n", b":99}\n", 1), "the format is 99"),
    (lambda raw: raw.replace(b"sk_test_tests", b"pk_test_tests", 1), "the key comes twice"),
    (
        lambda raw: raw.replace(
            b'\n{"begin"', raw[raw.index(b'\n{"project"') : raw.index(b'\n{"begin"')] + b'\n{"begin"'
        ),
        "project.id: the project comes twice",
    ),
)
def test_what_is_wrong_is_refused_whole(
    change: object, finding: str, recorded: bytes, fresh: httpx.Client
) -> None:
    assert callable(change)
    fresh.post("/v1/contracts", json=BODY)
    before = fresh.get("/_mock/recording/digests").json()
    refused = load(fresh, change(recorded), replace="true")
    problem = refused.json()
    assert (refused.status_code, problem["type"]) == (400, "urn:mockserver:bad-recording")
    assert finding in problem["detail"]
    (entry,) = problem["errors"].values()
    assert problem["detail"].startswith(f"The recording cannot be loaded: line {entry['line']}: ")
    assert fresh.get("/_mock/recording/digests").json() == before


def test_a_file_does_not_choose_how_much_memory_a_server_takes(recorded: bytes) -> None:
    refused = load(client_of(assemble(World(journal_bytes=1_000_000))), recorded)
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:mockserver:other-option")
    assert "start it with --journal-bytes" in refused.json()["detail"]


def test_nothing_is_loaded_while_a_recording_is_made(recorded: bytes, fresh: httpx.Client) -> None:
    fresh.post("/_mock/recording")
    refused = load(fresh, recorded)
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:mockserver:recording")


def test_loading_has_the_checks_of_the_control_api(recorded: bytes) -> None:
    with LiveServer(control_token="a-token-of-tests") as server:
        for headers in ({}, {"x-mockserver-token": "another-token"}):
            answer = httpx.post(
                f"{server.url}/_mock/recording/load",
                content=recorded,
                headers=JSONL | headers,
                trust_env=False,
            )
            assert answer.status_code == 401
    with LiveServer() as server:
        url = f"{server.url}/_mock/recording/load"
        for headers in ({"host": "evil.example"}, {"origin": "https://evil.example"}):
            answer = httpx.post(url, content=recorded, headers=JSONL | headers, trust_env=False)
            assert answer.status_code == 403
        plain = httpx.post(url, content=recorded, headers={"content-type": "text/plain"}, trust_env=False)
        assert plain.status_code == 415


def test_a_beginning_may_be_larger(recorded: bytes, app: App, api: httpx.Client, fresh: httpx.Client) -> None:
    for number in range(4):
        api.post("/v1/contracts", json={**BODY, "name": str(number), "more": "x" * 300_000})
    api.post("/_mock/recording")
    api.post("/_mock/recording/stop")
    large = api.get("/_mock/recording").content
    assert len(large) > app.limits.max_body_bytes
    assert load(fresh, large).status_code == 200
    other = fresh.post("/_mock/projects", content=large, headers={"content-type": "application/json"})
    assert other.status_code == 413


@pytest.mark.parametrize("in_process", [False, True])
def test_only_the_replay_is_answered_meanwhile(recorded: bytes, in_process: bool) -> None:
    with LiveServer() as server, ExitStack() as clients:
        transport = server.transport if in_process else None
        client = httpx.Client(base_url=server.url, transport=transport, trust_env=False)
        clients.enter_context(client)
        started = load(client, recorded, "replay")
        assert started.status_code == 201
        assert load(client, recorded, "replay").status_code == 409
        for headers in ({}, {"x-mockserver-replay": "replay=guessed&server=127.0.0.1"}):
            other = client.get("/v1/contracts", headers={"authorization": "Bearer sk_test_tests", **headers})
            assert (other.status_code, other.json()["type"]) == (409, "urn:mockserver:replay")
        assert client.get("/_mock/ready").status_code == 200
        assert client.post("/_mock/recording/replay/steps", json={}).content == b""
        secret = json.loads(started.content.splitlines()[0])["replay"]
        headers = {"authorization": "Bearer sk_test_tests", "x-mockserver-replay": f"replay={secret}"}
        assert client.get("/v1/contracts", headers=headers).json()["total"] == 1
        lines = client.post("/_mock/recording/replay/steps", json={}).content.splitlines()
        assert "answer" in json.loads(lines[0])
        assert b"x-mockserver-replay" not in lines[0]
        client.post("/_mock/recording/replay/stop")
        assert client.post("/_mock/recording/replay/steps", json={}).status_code == 404
        assert client.get("/v1/contracts", headers=headers).json()["total"] == 1


def test_the_clock_goes_on_after_loading_from_what_it_showed(api: httpx.Client, fresh: httpx.Client) -> None:
    api.put("/_mock/projects/-/clock", json={"mode": "ticking", "now": "2027-01-01T00:00:00Z"})
    api.post("/_mock/recording")
    assert load(fresh, api.get("/_mock/recording").content).status_code == 200
    assert fresh.get("/_mock/projects/-/clock").json()["now"] == "2027-01-01T00:00:00.000Z"


def test_the_client_loads_a_recording(recorded: bytes) -> None:
    with LiveServer() as server:
        digests = server.control.load_recording(recorded)
        assert list(digests) == [project.id for project in server.control.projects()]
        server.control.projects()[0].clock.advance(5)
        server.control.load_recording(recorded, replace=True)
