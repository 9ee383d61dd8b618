"""Long lists are answered in slices, between which other requests are answered."""

import asyncio
import json
from dataclasses import replace

import pytest
from httpx import ASGITransport, AsyncClient, Client, Headers

from mockserver.api.call import Request
from mockserver.domain.identity.sessions import open_session
from mockserver.domain.identity.users import create_user
from mockserver.server.answering.pipeline import WaitingCall
from mockserver.server.edge.app import App
from mockserver.state.identity import User
from mockserver.state.project import Project
from tests.replay.runs import play
from tests.tables import cases

MANY = 1_000


@pytest.fixture
def users(project: Project) -> Request:
    """A request for the list of many users."""
    for number in range(MANY):
        project.identity.users.insert(User(f"usr_{number}", 0, 0, f"Ada {number}"))
    project.undo.mark()
    return Request("GET", "/v2/users", "limit=5000", {"authorization": f"Bearer {project.secret_key}"})


def test_a_long_list_is_what_its_pages_are(users: Request, api: Client) -> None:
    whole = api.get("/v2/users", params={"limit": 5_000}).json()
    pages = [api.get("/v2/users", params={"limit": 100, "skip": skip}).json() for skip in range(0, MANY, 100)]
    assert whole["data"] == [row for page in pages for row in page["data"]]
    assert (whole["end"], whole["total"]) == (MANY, MANY)


async def order_of_answers(app: App, headers: Headers, *paths: str) -> list[str]:
    """The paths, asked all at once, in the order in which they were answered."""
    answered: list[str] = []

    async def ask(client: AsyncClient, path: str) -> None:
        assert (await client.get(path)).status_code == 200
        answered.append(path)

    transport = ASGITransport(app)
    client = AsyncClient(transport=transport, base_url="http://mock", headers=headers)
    async with client, asyncio.TaskGroup() as together:
        for path in paths:
            together.create_task(ask(client, path))
    return answered


@cases("slow", "/v2/users?limit=5000", "/_mock/openapi.json", "/_mock/openapi.json?api=control")
def test_other_requests_are_answered_between_slices(slow: str, users: Request, app: App) -> None:
    answered = asyncio.run(order_of_answers(app, Headers(users.headers), slow, "/_mock/health"))
    assert answered == ["/_mock/health", slow]


def test_a_long_list_is_of_its_requests_time(users: Request, app: App, project: Project) -> None:
    outcome = app.pipeline.answer(users)
    assert isinstance(outcome, WaitingCall)
    project.identity.users.remove("usr_0")
    project.undo.mark()
    assert not project.history.calls
    response = app.pipeline.finish(outcome)
    assert len(json.loads(response.body)["data"]) == MANY
    assert [exchange.response_body for exchange in project.history.answered_since(0)] == [response.body]


def test_a_long_lists_slices_are_recorded_and_replayed(users: Request, app: App) -> None:
    app.recordings.start()
    raw_headers = [(name.encode(), value.encode()) for name, value in users.headers.items()]
    outcome = app.pipeline.answer(replace(users, raw_headers=raw_headers))
    assert isinstance(outcome, WaitingCall)
    app.pipeline.finish(outcome)
    app.recordings.stop()
    recorded = app.recordings.read()
    lines = [json.loads(line) for line in recorded.splitlines()]
    assert [name for line in lines for name in ("waits", "answer") if name in line] == ["waits"] * 3 + [
        "answer"
    ]
    _, found = play(recorded)
    assert found == []


def test_a_reset_interrupts_a_long_list(users: Request, app: App, project: Project) -> None:
    outcome = app.pipeline.answer(users)
    assert isinstance(outcome, WaitingCall)
    project.reset()
    response = app.pipeline.finish(outcome)
    assert (response.status, b'"interrupted"' in response.body) == (409, True)


def test_the_sessions_of_a_user_are_a_list_however_many(app: App, project: Project) -> None:
    ada = create_user(project, name="Ada", email="ada@mock.example")
    tokens = [open_session(project, ada).token for _ in range(MANY)]
    project.undo.mark()
    own = {"authorization": f"Bearer {tokens[0]}"}
    outcome = app.pipeline.answer(Request("GET", "/iam/v2/auth/list-sessions", "", own))
    assert isinstance(outcome, WaitingCall)
    assert [session["token"] for session in json.loads(app.pipeline.finish(outcome).body)] == tokens


def test_a_long_journal_that_is_waited_for_is_made_in_slices(app: App, project: Project) -> None:
    own = {"authorization": f"Bearer {project.secret_key}"}
    for _ in range(200):
        app.pipeline.answer(Request("GET", "/v1/contracts", "", own))
    listed = Request("GET", f"/_mock/projects/{project.id}/journal", "limit=200&wait=5", {})
    outcome = app.pipeline.answer(listed)
    assert isinstance(outcome, WaitingCall)
    numbers = [exchange["n"] for exchange in json.loads(app.pipeline.finish(outcome).body)["data"]]
    assert numbers == list(range(1, 201))
