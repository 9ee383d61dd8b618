"""Serving a recording: which answer a request gets, what is refused and why, and what was not asked for."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from mockserver import cli
from mockserver.replay.serving.application import STATUS_PATH, PlaybackApp
from mockserver.replay.serving.matching import Matching, read_pointer
from mockserver.replay.serving.playback import Playback
from mockserver.server.edge.app import App
from mockserver.server.recording.reading import BadRecording, Lines
from mockserver.testing.server import LiveServer
from tests.replay.runs import RULES
from tests.tables import cases

Serve = Callable[..., TestClient]


def contract(byte: str, **others: object) -> dict[str, object]:
    """The body of a contract."""
    return {"name": byte, "chainId": 80002, "address": "0x" + byte * 20, **others}


@pytest.fixture
def recorded(app: App, api: httpx.Client) -> bytes:
    """Two contracts, and the list of them three times."""
    app.recordings.start()
    api.get("/v1/contracts")
    for byte in ("a1", "b2"):
        api.post("/v1/contracts", json=contract(byte))
        api.get("/v1/contracts")
    app.recordings.stop()
    return app.recordings.read()


@pytest.fixture
def serve(recorded: bytes) -> Serve:
    """A client of the recording."""

    def serve(**matching: Any) -> TestClient:
        return TestClient(PlaybackApp(Playback(Lines(BytesIO(recorded)), Matching(**matching))))

    return serve


def test_a_websocket_is_closed(recorded: bytes) -> None:
    client = TestClient(PlaybackApp(Playback(Lines(BytesIO(recorded)), Matching())))
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/v1/contracts"):
        pass


def test_equal_requests_take_answers_in_order_then_are_refused(serve: Serve) -> None:
    client = serve()
    assert [client.get("/v1/contracts").json()["total"] for _ in range(3)] == [0, 1, 2]
    refused = client.get("/v1/contracts")
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:mockserver:recording-exhausted")
    assert refused.headers["content-type"] == "application/problem+json"
    repeated = serve(repeat_last=True)
    assert [repeated.get("/v1/contracts").json()["total"] for _ in range(5)] == [0, 1, 2, 2, 2]


def test_what_is_not_there_is_refused_with_the_nearest_exchange(serve: Serve) -> None:
    refused = serve().post("/v1/contracts", json=contract("b2") | {"name": "other"})
    problem = refused.json()
    assert (refused.status_code, problem["type"]) == (404, "urn:mockserver:not-in-recording")
    assert "The nearest is that of exchange 4, which differs in body /name." in problem["detail"]
    assert "body /name" in json.dumps(problem)


def test_members_can_be_ignored(serve: Serve) -> None:
    client = serve(ignored=(read_pointer("/body/name"), read_pointer("/query/page")))
    assert client.post("/v1/contracts?page=7", json=contract("b2", name="another")).json()["name"] == "b2"


def test_in_strict_order_nothing_comes_early_or_after_the_last(serve: Serve) -> None:
    client = serve(strict_order=True)
    early = client.post("/v1/contracts", json=contract("a1"))
    assert (early.status_code, early.json()["type"]) == (409, "urn:mockserver:out-of-order")
    assert "is to be that of exchange 1" in early.json()["detail"]
    for total, byte in enumerate(("a1", "b2")):
        assert client.get("/v1/contracts").json()["total"] == total
        assert client.post("/v1/contracts", json=contract(byte)).json()["name"] == byte
    assert client.get("/v1/contracts").json()["total"] == 2
    refused = client.get("/v1/contracts")
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:mockserver:recording-exhausted")
    assert " 5" in refused.json()["detail"]


def test_what_was_not_asked_for_is_told_after_what_was_refused(recorded: bytes) -> None:
    playback = Playback(Lines(BytesIO(recorded)), Matching())
    client = TestClient(PlaybackApp(playback))
    client.get("/v1/contracts")
    client.get("/v1/nothing")
    status = client.get(STATUS_PATH).json()
    assert [row["n"] for row in status["unused"]] == [2, 3, 4, 5]
    assert status["refusals"] == 1
    told = list(playback.summary())
    assert told[0].startswith("refused GET /v1/nothing: The recording has no such request.")
    assert told[1] == "exchange 2 was not asked for: POST /v1/contracts"


def test_pages_of_any_origin_may_read_the_answers(serve: Serve) -> None:
    page = {"origin": "https://shop.example"}
    answer = serve().get("/v1/contracts", headers=page)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, page["origin"])
    preflight = page | {"access-control-request-method": "POST", "access-control-request-headers": "x-a"}
    assert serve().options("/v1/contracts", headers=preflight).status_code == 200
    assert "access-control-allow-origin" not in serve().get(STATUS_PATH, headers=page).headers


def test_the_length_of_an_answer_is_that_of_what_is_served(recorded: bytes) -> None:
    """A proxy records the headers of connections, too, and masking changes the length of the body."""
    headers = b'[["Content-Length","99"],["date","now"],["x-a","b"]]'
    line = b'{"n":1,"answer":{"status":200,"headers":%s,"body":"12"}}\n' % headers
    asked = b'{"n":1,"request":{"method":"%s","path":"/a","headers":[],"body":""}}\n'
    start = recorded[: recorded.index(b'{"n":1')]
    for method, length in (b"GET", "2"), (b"HEAD", "99"):
        run = start + asked % method + line
        client = TestClient(PlaybackApp(Playback(Lines(BytesIO(run)), Matching())))
        served = client.request(method.decode(), "/a").headers
        assert sorted(served.multi_items()) == [("content-length", length), ("x-a", "b")]


def test_an_answer_without_a_request_is_refused(recorded: bytes) -> None:
    end = recorded.rindex(b'{"end"')
    line = b'{"n":9,"answer":{"status":200,"headers":[]}}\n'
    with pytest.raises(BadRecording, match="exchange 9 has no request"):
        Playback(Lines(BytesIO(recorded[:end] + line)), Matching())


@cases("pointer", "body/x", "/body", "/header/x", "")
def test_a_wrong_pointer_is_a_wrong_argument(pointer: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["replay", "x", "--serve", "--ignore", pointer])
    assert "is no JSON pointer" in capsys.readouterr().err


@contextmanager
def served(file: Path, *options: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """`mockserver replay --serve` on a free port."""
    command = [sys.executable, "-m", "mockserver", "replay", "--serve", str(file), "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            yield process.stderr.readline().rpartition(" ")[2].strip(), process
        finally:
            process.send_signal(signal.SIGTERM)


def test_faults_break_the_connection_as_they_did(tmp_path: Path) -> None:
    with LiveServer() as server:
        project = server.control.create_project(name="broken")
        project.load(RULES)
        server.control.start_recording()
        headers = {"authorization": f"Bearer {project.secret_key}"}
        with httpx.Client(base_url=server.url, headers=headers, trust_env=False, timeout=60) as client:
            before = [outcome(client, fault) for fault in ("reset", "empty", "random", "short", "late")]
        file = tmp_path / "run.jsonl"
        file.write_bytes(server.control.stop_recording())
    with served(file) as (url, process), httpx.Client(base_url=url, trust_env=False, timeout=60) as client:
        assert [outcome(client, fault) for fault in ("reset", "empty", "random", "short", "late")] == before
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.wait() == 0


def outcome(client: httpx.Client, fault: str) -> object:
    """What a client gets of a spoilt answer."""
    try:
        answer = client.get(f"/v1/contracts/{fault}")
    except (httpx.NetworkError, httpx.ProtocolError) as error:
        # A timeout is none of the faults: on a busy machine the server had not yet begun.
        return type(error)
    return answer.status_code, answer.content
