"""The state of a project: moved to another server, it behaves as it would have stayed."""

import json
from collections.abc import Iterator

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
CONTRACT = {"name": "Token", "chainId": 80002, "address": "0x" + "a1" * 20}
SIGN_UP = {"email": "ada@example.com", "password": "correct horse", "name": "Ada"}
RULES = """\
settings: {one_time_code: '123456'}
rules: [{name: often, when: {call: GetContracts, nth: 3}, then: {answer: {status: 503}}}]
"""


@pytest.fixture
def other() -> World:
    """The world of another server, which draws otherwise and has a project of its own."""
    world = World("other")
    world.create(name="stays")
    return world


@pytest.fixture
def there(other: World, project: Project) -> Iterator[httpx.Client]:
    """A client of the other server, with the key of the project that moves."""
    yield from client_of(assemble(other), project)


def client_of(app: App, project: Project) -> Iterator[httpx.Client]:
    headers = {"authorization": f"Bearer {project.secret_key}"}
    with httpx.Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as client:
        yield client


def state_of(api: httpx.Client) -> bytes:
    """The state of the client's project."""
    return api.get("/_mock/projects/-/state").raise_for_status().content


def put(client: httpx.Client, project: Project, state: bytes, **query: str) -> httpx.Response:
    """Put a state to where the project is to be."""
    return client.put(f"/_mock/projects/{project.id}/state", content=state, headers=JSONL, params=query)


def live(api: httpx.Client, project: Project) -> list[tuple[int, str, bytes]]:
    """Calls of many kinds, and what came of each."""
    key = {"x-project-key": project.publishable_key}
    token = {**key, "authorization": f"Bearer {api.headers['x-token']}"}
    answers = [
        api.get("/v1/contracts"),
        api.post("/v1/contracts", json={**CONTRACT, "address": "0x" + "b2" * 20}),
        api.get("/iam/v2/auth/get-session", headers=token),
        api.post("/iam/v2/auth/sign-up/email", json={**SIGN_UP, "email": "bob@example.com"}, headers=key),
        api.post("/_mock/projects/-/clock/advance", json={"seconds": 5}),
        api.post("/_mock/projects/-/snapshots/before/restore"),
        api.get("/v1/contracts"),
        api.get("/_mock/projects/-/journal"),
        api.get("/_mock/projects/-/outbox"),
        api.get("/_mock/projects/-/timeline"),
        api.get("/v1/contracts"),
        api.post("/_mock/projects/-/reset"),
        api.get("/v2/users"),
    ]
    return [(each.status_code, str(each.headers), each.content) for each in answers]


def begin(api: httpx.Client, project: Project) -> None:
    """A project with rows, a session, timers, a snapshot and rules."""
    yaml = {"content-type": "application/yaml"}
    api.post("/_mock/projects/-/scenarios", content=RULES, headers=yaml).raise_for_status()
    api.post("/v1/contracts", json=CONTRACT)
    key = {"x-project-key": project.publishable_key}
    entered = api.post("/iam/v2/auth/sign-up/email", json=SIGN_UP, headers=key)
    api.headers["x-token"] = entered.json()["token"]
    api.post("/_mock/projects/-/solana/transactions", json={})
    api.post("/_mock/projects/-/snapshots", json={"name": "before"})
    api.get("/v1/contracts")
    api.cookies.clear()


def test_a_moved_project_answers_as_if_it_had_stayed(
    api: httpx.Client, project: Project, there: httpx.Client, other: World
) -> None:
    begin(api, project)
    answer = put(there, project, state_of(api))
    assert (answer.status_code, answer.json()["id"]) == (200, project.id)
    assert [each.name for each in other] == ["stays", "tests"]
    there.headers["x-token"] = api.headers["x-token"]
    digests = [
        client.get("/_mock/recording/digests").json()["digests"][project.id] for client in (api, there)
    ]
    assert digests[0] == digests[1]
    assert live(there, project) == live(api, project)


def test_a_state_that_is_moved_on_is_the_same(
    api: httpx.Client, project: Project, there: httpx.Client
) -> None:
    begin(api, project)
    state = state_of(api)
    put(there, project, state)

    def lines(raw: bytes) -> list[object]:
        # The first lines have when it was made, and the options of the server.
        return [json.loads(line) for line in raw.splitlines()[3:]]

    assert lines(state_of(there)) == lines(state)


def test_a_state_belongs_to_the_project_of_the_path(
    api: httpx.Client, project: Project, there: httpx.Client, other: World
) -> None:
    (stays,) = other
    answer = put(there, stays, state_of(api), replace="true")
    assert answer.status_code == 400
    assert f"it is the state of {project.id}, not of {stays.id}" in answer.json()["detail"]
    assert [each.name for each in other] == ["stays"]


def test_a_project_in_use_is_replaced_only_if_that_is_said(
    api: httpx.Client, project: Project, there: httpx.Client
) -> None:
    state = state_of(api)
    there.post("/v1/contracts", json=CONTRACT)
    refused = put(there, project, state)
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:mockserver:server-in-use")
    assert there.get("/v1/contracts").json()["total"] == 1
    assert put(there, project, state, replace="true").status_code == 200
    assert there.get("/v1/contracts").json()["total"] == 0


def test_a_key_of_another_project_keeps_a_state_out(
    api: httpx.Client, project: Project, there: httpx.Client, other: World
) -> None:
    (stays,) = other
    other.declare(stays, project.secret_key, "sk")
    refused = put(there, project, state_of(api))
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:mockserver:key-taken")
    assert list(other) == [stays]


@cases("torn", b"", b"{}\n", b"no state")
def test_what_is_no_state_changes_nothing(
    api: httpx.Client, project: Project, there: httpx.Client, other: World, torn: bytes
) -> None:
    api.post("/v1/contracts", json=CONTRACT)
    whole = state_of(api)
    for wrong in (torn, whole[: len(whole) // 2], whole.replace(b'"row":[', b'"row":[1,')):
        refused = put(there, project, wrong)
        assert (refused.status_code, refused.json()["type"]) == (400, "urn:mockserver:bad-recording")
    assert [each.name for each in other] == ["stays"]


@cases(
    "before, after",
    (b'"name":"Token"', b'"name":"Tokens"'),
    (b'"number":2', b'"number":9'),
    (b'"seed":', b'"seeds":'),
)
def test_a_state_that_was_altered_is_refused(
    api: httpx.Client, project: Project, there: httpx.Client, other: World, before: bytes, after: bytes
) -> None:
    begin(api, project)
    state = state_of(api)
    refused = put(there, project, after.join(state.rsplit(before, 1)))
    assert (refused.status_code, refused.json()["type"]) == (400, "urn:mockserver:bad-recording")
    assert [each.name for each in other] == ["stays"]


def test_a_state_may_be_formatted_anew_or_have_no_digest(
    api: httpx.Client, project: Project, there: httpx.Client
) -> None:
    begin(api, project)
    lines = [json.loads(line) for line in state_of(api).splitlines()]
    formatted = "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines)
    assert put(there, project, formatted.encode()).status_code == 200
    del lines[-1]["begin"]["lines"]
    older = "".join(json.dumps(line) + "\n" for line in lines).replace('"Token"', '"Tokens"')
    assert put(there, project, older.encode(), replace="true").status_code == 200
    assert there.get("/v1/contracts").json()["data"][0]["name"] == "Tokens"


@cases("kind", "sk", "pk")
def test_a_state_without_a_key_of_each_kind_is_refused(
    kind: str, api: httpx.Client, project: Project, there: httpx.Client
) -> None:
    begin(api, project)
    lines = [json.loads(line) for line in state_of(api).splitlines()]
    head = next(line["project"] for line in lines if "project" in line)
    head["keys"] = [key for key in head["keys"] if key["kind"] != kind]
    del lines[-1]["begin"]["lines"]
    refused = put(there, project, "".join(json.dumps(line) + "\n" for line in lines).encode())
    assert refused.status_code == 400
    assert "project.keys: are to be secret and publishable" in refused.json()["detail"]


def test_no_state_is_put_while_a_recording_is_made(
    api: httpx.Client, project: Project, there: httpx.Client
) -> None:
    there.post("/_mock/recording")
    refused = put(there, project, state_of(api))
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:mockserver:recording")


def test_a_balancer_names_the_projects_that_have_no_name(api: httpx.Client) -> None:
    drawn = {"x-mockserver-name": "drawn-by-a-balancer"}
    assert api.post("/_mock/projects", json={}, headers=drawn).json()["name"] == "drawn-by-a-balancer"
    assert api.post("/_mock/projects", json={"name": "mine"}, headers=drawn).json()["name"] == "mine"
    key = {"secret_key": "sk_test_given"}
    assert api.post("/_mock/projects", json=key, headers=drawn).json()["name"] == "given"
    refused = api.post("/_mock/projects", json={}, headers={"x-mockserver-name": "no name"})
    assert (refused.status_code, refused.json()["param"]) == (400, "x-mockserver-name")


def test_a_state_may_be_larger_than_other_requests(api: httpx.Client, project: Project) -> None:
    # What follows the beginning of a recording is not read.
    state = state_of(api) + b"{}\n" * 400_000
    with (
        LiveServer() as server,
        server.control.connect({}) as client,
        httpx.Client(base_url=server.url) as wire,
    ):
        assert put(wire, project, state).status_code == 200
        assert put(client, project, state, replace="true").status_code == 200
        assert wire.post("/v1/contracts", content=state).status_code == 413
