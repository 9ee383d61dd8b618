"""What the client of the control API takes, and what it makes of errors."""

import itertools
from collections.abc import Iterable
from typing import Any

import pytest
from httpx import MockTransport, Request, Response

from mockserver.testing.connection import ControlApiError, ControlClient
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.tables import cases


def answering(status: int, limits: list[float] | None = None, **response: Any) -> MockProject:
    """A project of a server that answers every call alike, and notes how long each may take in seconds."""

    def answer(request: Request) -> Response:
        if limits is not None:
            limits.append(request.extensions["timeout"]["read"])
        return Response(status, **response)

    client = ControlClient("http://mock", transport=MockTransport(answer))
    keys = {"secret_key": "sk_test_x", "publishable_key": "pk_test_x", "livemode": False}
    return MockProject(client, {"id": "prj_x", "name": "x", **keys})


@cases(
    "parts, is_ready",
    ([b'{"status"', b':"ready"}'], True),
    ([b'{"status":"ready"} '], False),
    ([b'{"status":"ready"}', b"\n"], False),
    ([b'{"status":"rea'], False),
    ([], False),
    (itertools.repeat(b"<p>"), False),
)
def test_only_a_mock_server_is_ready(parts: Iterable[bytes], is_ready: bool) -> None:
    transport = MockTransport(lambda _: Response(200, content=iter(parts)))
    with ControlClient("http://mock", transport=transport) as client:
        assert client.ready() is is_ready


@cases("content", "<html>Bad gateway</html>", "[1]")
def test_an_error_from_elsewhere_has_its_status(content: str) -> None:
    with pytest.raises(ControlApiError) as refused:
        answering(502, text=content).reset()
    assert (refused.value.status, refused.value.problem) == (502, {})


def test_a_wait_has_all_of_its_time_and_that_of_a_call() -> None:
    limits: list[float] = []
    project = answering(200, limits, json={"data": [{"n": 1}]})
    project.journal.list()
    project.journal.wait(timeout_s=100)
    assert limits == [30, 130]


def test_deleting_a_project_ignores_only_that_it_is_gone() -> None:
    answering(404, json={"detail": "gone"}).delete()
    with pytest.raises(ControlApiError, match="409: in use"):
        answering(409, json={"detail": "in use"}).delete()


def test_a_waiting_verification_has_the_longest_allowed_time() -> None:
    limits: list[float] = []
    project = answering(200, limits, json={"found": 1})
    project.verify("GetContracts")
    project.verify("GetContracts", within="366d")
    assert limits == [30, 366 * 24 * 3600]


@cases("mask, shown", (False, True), (True, False))
def test_a_recording_has_secrets_unless_it_is_to_be_masked(mask: bool, shown: bool) -> None:
    with LiveServer() as server:
        project = server.control.create_project()
        server.control.start_recording(mask=mask)
        with project.connect() as api:
            body = {"email": "ada@example.com", "password": "correct horse battery"}
            api.post("/iam/v2/auth/sign-in/email", json=body, headers=project.headers())
        assert (b"correct horse battery" in server.control.stop_recording()) is shown


def test_a_scenario_may_be_a_mapping() -> None:
    with LiveServer() as server:
        shop = server.control.create_project()
        with pytest.raises(ControlApiError, match="did you mean rules"):
            shop.load({"rulez": []})
        shop.load({"name": "busy", "rules": [{"when": "ListPolicies", "then": {"error": "rate_limited"}}]})
        with shop.connect() as api:
            assert api.get("/v2/policies").status_code == 429
