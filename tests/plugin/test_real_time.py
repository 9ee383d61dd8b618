"""Projects beside libraries that set the clock of Python, and beside clients that wait for so long."""

import asyncio
import gc
import time

import httpx
import pytest
import time_machine
from freezegun import freeze_time

from mockserver.testing.client import MockServer
from mockserver.testing.server import LiveServer
from tests.tables import cases

SLOW = "rules: [{when: GetContracts, then: {delay: {real: 1h}}}]"


def test_the_server_keeps_its_time_while_a_test_sets_python_s() -> None:
    with LiveServer() as server:
        project = server.control.create_project(clock="now")
        began_s = project.clock.now_s
        with freeze_time("2001-01-01"):
            assert project.clock.now_s - began_s < 60
            assert server.url
        with time_machine.travel("2001-01-01", tick=False):
            assert project.clock.now_s - began_s < 60
        assert abs(project.clock.now_s - time.time()) < 5


def test_a_project_created_meanwhile_begins_at_the_set_time() -> None:
    with LiveServer() as server, freeze_time("2030-01-01"):
        assert server.control.create_project(clock="now").clock.now.startswith("2030-01-01T00:00:0")


@cases("is_in_process", True, False)
def test_a_client_waits_for_as_long_as_it_says(is_in_process: bool) -> None:
    with LiveServer() as server, MockServer(server.url) as by_url:
        project = server.control.create_project()
        project.load(SLOW)
        made = server.control if is_in_process else by_url
        headers = {"authorization": f"Bearer {project.secret_key}"}

        async def ask() -> None:
            async with made.connect_async(headers) as client:
                await client.get("/v1/contracts", timeout=0.01)

        with made.connect(headers) as client, pytest.raises(httpx.ReadTimeout):
            client.get("/v1/contracts", timeout=0.01)
        with pytest.raises(httpx.ReadTimeout):
            asyncio.run(ask())
        # Both were handled, and are answered when nothing holds them up any more.
        project.call("DELETE", "/scenarios")
        with made.connect(headers) as client:
            assert client.get("/v1/contracts").status_code == 200
        assert [entry["status"] for entry in project.journal] == [200, 200, 200]


def test_a_call_that_its_client_has_left_ends_with_the_server(caplog: pytest.LogCaptureFixture) -> None:
    with LiveServer() as server:
        project = server.control.create_project()
        project.load(SLOW)
        with project.connect() as client, pytest.raises(httpx.ReadTimeout):
            client.get("/v1/contracts", timeout=0.01)
    del server, project, client
    gc.collect()
    assert caplog.messages == []


@cases("is_in_process", True, False)
def test_a_page_may_call_from_another_origin(is_in_process: bool) -> None:
    origin = {"origin": "https://shop.example"}
    asked = {**origin, "access-control-request-method": "GET"}
    with LiveServer() as server, MockServer(server.url) as by_url:
        made = server.control if is_in_process else by_url
        headers = {"authorization": f"Bearer {server.control.create_project().secret_key}"}

        async def ask() -> list[httpx.Response]:
            async with made.connect_async(headers) as client:
                preflight = await client.options("/v1/contracts", headers=asked)
                return [preflight, await client.get("/v1/contracts", headers=origin)]

        with made.connect(headers) as client:
            answers = [
                client.options("/v1/contracts", headers=asked),
                client.get("/v1/contracts", headers=origin),
                *asyncio.run(ask()),
            ]
        assert [answer.status_code for answer in answers] == [200] * 4
        assert {answer.headers["access-control-allow-origin"] for answer in answers} == {origin["origin"]}
        assert answers[1].json()["data"] == []
