"""The event stream of a project."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from mockserver.api.values import to_json
from mockserver.server.control.world import events
from mockserver.state.history.history import History
from mockserver.state.project import Project
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import project_of
from tests.live import server as server
from tests.live import shop as shop
from tests.tables import cases

EVENTS = "/_mock/projects/-/events"


def read(response: httpx.Response) -> dict[str, str]:
    """The lines of an event by name."""
    return dict(line.split(": ", 1) for line in response.text.strip().splitlines())


def test_an_event_says_in_numbers_what_there_is(api: httpx.Client) -> None:
    api.get("/v1/contracts")
    api.get("/v1/contracts")
    response = api.get(EVENTS)
    assert response.headers["content-type"] == "text/event-stream"
    assert json.loads(read(response)["data"]) == {
        "generation": 0,
        "version": 0,
        "first": 1,
        "last": 2,
        "calls": 2,
        "exchanges": 2,
        "dropped": 0,
        "messages": 0,
        "snapshots": 0,
        "scenarios": 0,
        "state": "start",
        "clock": {"now": "2026-01-01T00:00:00.000Z", "mode": "frozen", "rate": 1.0},
    }


def test_an_event_counts_dropped_exchanges_not_deleted_ones(api: httpx.Client, project: Project) -> None:
    project.history = History(max_count=2)
    for _ in range(5):
        api.get("/v1/contracts")
    assert json.loads(read(api.get(EVENTS))["data"])["dropped"] == 3
    api.delete("/_mock/projects/-/journal")
    assert json.loads(read(api.get(EVENTS))["data"])["dropped"] == 0


def test_a_client_that_missed_nothing_is_told_nothing(api: httpx.Client) -> None:
    last = {"last-event-id": read(api.get(EVENTS))["id"]}
    assert api.get(EVENTS, headers=last).text == ""
    api.get("/v1/contracts")
    assert json.loads(read(api.get(EVENTS, headers=last))["data"])["last"] == 1


@cases(
    "method, path, body",
    ("POST", "/clock/advance", {"seconds": 1}),
    ("POST", "/snapshots", {}),
    ("PUT", "/settings", {"one_time_code": "123456"}),
    ("POST", "/fates", {"kind": "transaction", "outcome": "dropped"}),
    ("POST", "/reset", None),
)
def test_a_control_change_is_an_event_as_well(api: httpx.Client, method: str, path: str, body: Any) -> None:
    last = {"last-event-id": read(api.get(EVENTS))["id"]}
    api.request(method, f"/_mock/projects/-{path}", json=body).raise_for_status()
    assert api.get(EVENTS, headers=last).text != ""


def test_listening_itself_is_no_event(api: httpx.Client) -> None:
    last = {"last-event-id": read(api.get(EVENTS))["id"]}
    for path in ("journal", "outbox", "tables", "scenarios", "timers"):
        api.get(f"/_mock/projects/-/{path}").raise_for_status()
    assert api.get(EVENTS, headers=last).text == ""


# --- by socket ------------------------------------------------------------------------------------------


def test_a_stream_goes_on_until_the_client_is_gone(server: LiveServer, shop: MockProject) -> None:
    headers = {"authorization": f"Bearer {shop.secret_key}"}
    with httpx.stream("GET", f"{server.url}{EVENTS}", headers=headers, timeout=10) as response:
        lines = response.iter_lines()
        numbers = []
        for _ in range(3):
            data = next(line for line in lines if line.startswith("data: "))
            numbers.append(json.loads(data.removeprefix("data: "))["last"])
            httpx.get(f"{server.url}/v1/contracts", headers=headers)
        assert numbers == [0, 1, 2]
        assert project_of(server, shop).listeners == 1
    for _ in range(200):
        if project_of(server, shop).listeners == 0:
            break
        httpx.get(f"{server.url}/_mock/health")
    assert project_of(server, shop).listeners == 0


def test_many_requests_are_few_events(server: LiveServer, shop: MockProject) -> None:
    headers = {"authorization": f"Bearer {shop.secret_key}"}
    with httpx.stream("GET", f"{server.url}{EVENTS}", headers=headers, timeout=10) as response:
        lines = response.iter_lines()
        next(line for line in lines if line.startswith("data: "))
        with httpx.Client(transport=server.transport, base_url="http://mock", headers=headers) as client:
            for _ in range(300):
                client.get("/v1/contracts")
        events = 0
        for line in lines:
            if line.startswith("data: "):
                events += 1
                if json.loads(line.removeprefix("data: "))["last"] == 300:
                    break
    assert events < 30


def test_streams_of_a_project_are_bounded(
    server: LiveServer, shop: MockProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MOST_OF_PROJECT", 3)
    monkeypatch.setattr(events, "MOST_OF_SERVER", 4)
    other, third = (server.control.create_project(name=name) for name in ("other", "third"))

    def listen(project: MockProject) -> int:
        url = f"{server.url}/_mock/projects/{project.id}/events"
        response = streams.enter_context(httpx.stream("GET", url, timeout=10))
        if response.status_code == 200:
            # A stream whose lines are read no more is closed.
            read_on.append(response.iter_lines())
            next(line for line in read_on[-1] if line.startswith("data: "))
        else:
            refused.append(json.loads(response.read())["detail"])
        return response.status_code

    refused: list[str] = []
    read_on: list[Iterator[str]] = []
    with ExitStack() as streams:
        assert [listen(shop) for _ in range(4)] == [200, 200, 200, 429]
        assert [listen(other), listen(third)] == [200, 429]
    assert refused == [
        f"There are {most} event streams of this {what} already, and no more at once: end one first."
        for most, what in ((3, "project"), (4, "server"))
    ]
    for _ in range(200):
        if not project_of(server, shop).listeners + project_of(server, other).listeners:
            break
        httpx.get(f"{server.url}/_mock/health")
    with ExitStack() as streams:
        assert listen(shop) == 200


def test_an_event_is_made_once_for_all_streams(
    server: LiveServer, shop: MockProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []

    def make(event: object) -> bytes:
        made.append(event)
        return to_json(event)

    monkeypatch.setattr(events, "to_json", make)
    headers = {"authorization": f"Bearer {shop.secret_key}"}
    with ExitStack() as streams:
        opened = [
            streams.enter_context(httpx.stream("GET", f"{server.url}{EVENTS}", headers=headers, timeout=10))
            for _ in range(8)
        ]
        told = [(line for line in each.iter_lines() if line.startswith("data: ")) for each in opened]
        for _ in range(2):
            assert len({next(lines) for lines in told}) == 1
            httpx.get(f"{server.url}/v1/contracts", headers=headers)
    assert len(made) <= 3


def test_a_stream_ends_with_its_project_and_with_the_server(server: LiveServer, shop: MockProject) -> None:
    other = server.control.create_project(name="other")
    for ends in (other.delete, server.stop):
        project = other if ends == other.delete else shop
        url = f"{server.url}/_mock/projects/{project.id}/events"
        with httpx.stream("GET", url, timeout=10) as response:
            lines = response.iter_lines()
            next(line for line in lines if line.startswith("data: "))
            ends()
            assert not [line for line in lines if line.startswith("data: ")]
