"""A server that is reached by HTTP: how long it is waited for, what is sent, and what it refuses."""

import json
from io import BytesIO
from typing import Any

import pytest

from mockserver.replay.connection import Address
from mockserver.replay.remote import Remote
from mockserver.replay.steps import Digests, RecordedAnswer, RecordedRequest, Step
from mockserver.replay.targets import CannotReplay
from mockserver.server.assembly import assemble
from mockserver.server.recording.reading import BadRecording, Lines
from mockserver.state.world import World
from tests.replay.invented_runs import get, post
from tests.tables import cases


class Server:
    """In the place of every connection to a server."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self.sent: list[tuple[str, str, dict[str, str], bytes]] = []
        self.looked: list[float] = []
        self.is_open = True
        self.closed = 0
        self._answers = [*answers]

    def send(self, method: str, target: str, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        """See `Connection`."""
        given = {name.decode(): value.decode() for name, value in headers}
        self.sent.append((method, target, given, body))

    def receive(self) -> dict[str, Any]:
        """See `Connection`."""
        return self._answers.pop(0) if self._answers else {"status": 200, "headers": []}

    def is_readable(self, within_s: float) -> bool:
        """See `Connection`."""
        self.looked.append(within_s)
        return True

    def close(self) -> None:
        """See `Connection`."""
        self.closed += 1


def lines(*values: object) -> dict[str, Any]:
    """An answer with lines."""
    return {"status": 200, "headers": [], "body": "".join(f"{json.dumps(value)}\n" for value in values)}


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long it has slept, each time; no time passes."""
    found: list[float] = []
    monkeypatch.setattr("mockserver.replay.remote.time.sleep", found.append)
    return found


def remote(
    monkeypatch: pytest.MonkeyPatch, *answers: dict[str, Any], **options: Any
) -> tuple[Remote, Server]:
    """A target, and the server in its place."""
    server = Server(*answers)
    monkeypatch.setattr("mockserver.replay.remote.Connection", lambda address: server)
    return Remote(Address("http://mock:80/base"), options.pop("token", None), **options), server


def test_a_replay_begins_with_the_opening_of_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = assemble(World())
    recording.pipeline.world.create(name="a")
    recording.recordings.start(masked=True)
    recording.recordings.stop()
    *opening, begin, _ = (json.loads(line) for line in recording.recordings.read().splitlines())
    began = {"begin": {"digests": {"pro_1": "as the server has it"}}}
    for replace in (False, True):
        target, server = remote(monkeypatch, lines({"replay": "a-secret"}, began), replace=replace)
        found = target.open(Lines(BytesIO(recording.recordings.read())))
        assert (found.meta.masked, found.began) == (True, began)
        assert found.digests == begin["begin"]["digests"]
        # The first three say what the file is; the others have what is masked.
        assert [*found.beginning] == opening[3:]
        method, path, headers, body = server.sent[0]
        query = "?replace=true" if replace else ""
        assert (method, path) == ("POST", f"/base/_mock/recording/replay{query}")
        assert headers["content-type"] == "application/jsonl"
        assert recording.recordings.read().startswith(body)
        assert json.loads(body.splitlines()[-1]) == begin
        target.close()
        assert server.sent[-1][:2] == ("POST", "/base/_mock/recording/replay/stop")


PROMPT = Step(1, get(), answer=RecordedAnswer(200, ()))
END = Step(end=Digests(1, {}))


@cases(
    "expected", Step(7, get(), waits=True), Step(7, get(), answer=RecordedAnswer(200, (), fault="timeout"))
)
def test_what_is_not_answered_is_looked_for_a_minute(
    expected: Step, slept: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    target, server = remote(monkeypatch)
    with pytest.raises(CannotReplay, match="exchange 7 was not handled in time"):
        target.make(expected)
    assert slept == [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, *[0.25] * 242]
    assert server.looked == []


def test_a_prompt_answer_is_awaited_in_place(slept: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"n": 1, "request": {}, "answer": {}}
    target, server = remote(monkeypatch, lines(), lines(made, {"checkpoint": {}}))
    assert target.make(PROMPT) == [made, {"checkpoint": {}}]
    assert (server.looked, slept) == ([0.25] * 2, [])


@cases(
    "request_, headers",
    (get("/a", ("Host", "there")), {"Host": "there"}),
    (get("/a"), {"host": "mock:80"}),
    (post("é", path="/a"), {"host": "mock:80", "content-length": "2"}),
    (post("é", ("Content-Length", "99"), path="/a"), {"host": "mock:80", "Content-Length": "2"}),
    (
        post("é", ("transfer-encoding", "chunked"), path="/a"),
        {"host": "mock:80", "transfer-encoding": "chunked"},
    ),
)
def test_a_request_is_sent_with_what_http_needs(
    request_: RecordedRequest, headers: dict[str, str], slept: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    target, server = remote(monkeypatch, lines({}))
    given = request_._replace(root_path="/mock", client="10.0.0.7", query="b=1")
    target.make(PROMPT._replace(request=given))
    method, path, sent, body = server.sent[0]
    came_by = "replay=&client=10.0.0.7&server=&scheme=http&root_path=%2Fmock"
    assert (method, path, body) == (request_.method, "/base/a?b=1", request_.body.encode())
    assert sent == headers | {"x-mockserver-replay": came_by}


@cases("token", None, "a-token")
def test_a_step_is_a_call_of_the_control_api(token: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"n": 1, "resume": True, "waits": True}
    target, server = remote(monkeypatch, lines(made), lines(), token=token)
    assert target.make(Step(1, resume=True)) == [made]
    assert target.make(Step(2, resume=True)) is None
    method, path, headers, body = server.sent[1]
    assert (method, path, body) == ("POST", "/base/_mock/recording/replay/steps", b'{"resume":2}')
    assert headers == {"host": "mock:80", "content-type": "application/json", "content-length": "12"} | (
        {} if token is None else {"x-mockserver-token": token}
    )


def test_a_row_is_asked_for_without_a_body(monkeypatch: pytest.MonkeyPatch) -> None:
    target, server = remote(monkeypatch, lines({"row": {"id": "a"}}))
    assert target.row("pro_1", "identity.users/usr_1") == {"id": "a"}
    assert server.sent == [
        (
            "GET",
            "/base/_mock/recording/replay/row?project=pro_1&row=identity.users%2Fusr_1",
            {"host": "mock:80"},
            b"",
        )
    ]


BAD = {
    "type": "urn:mockserver:bad-recording",
    "detail": "no",
    "errors": {"line 3": {"line": 3, "message": "bad"}},
}


@cases(
    "status, body, kind, said",
    (400, BAD, BadRecording, "line 3: bad"),
    (
        409,
        {"type": "urn:mockserver:replay", "detail": "It is busy."},
        CannotReplay,
        "the server refuses: It is busy.",
    ),
    (300, "elsewhere", CannotReplay, "it answers 300, and is no mockserver that replays"),
    (404, [], CannotReplay, "it answers 404, and is no mockserver that replays"),
    (404, {"detail": "x"}, CannotReplay, "it answers 404, and is no mockserver that replays"),
    (200, "<html>", CannotReplay, "it answers 200, and is no mockserver that replays"),
    (200, {"base64": "/w=="}, CannotReplay, "it answers 200, and is no mockserver that replays"),
    (400, BAD | {"errors": {}}, CannotReplay, "it answers 400, and is no mockserver that replays"),
)
def test_what_a_server_refuses_is_said(
    status: int, body: Any, kind: type[Exception], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = body if isinstance(body, str) or "base64" in body else json.dumps(body)
    target, _ = remote(monkeypatch, {"status": status, "headers": [], "body": text})
    with pytest.raises(kind) as refused:
        target.make(END)
    assert str(refused.value) == said


def test_a_connection_that_has_ended_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    target, server = remote(monkeypatch)
    made = 0

    def connect(address: Address) -> Server:
        nonlocal made
        made += 1
        return server

    monkeypatch.setattr("mockserver.replay.remote.Connection", connect)
    target.make(END)
    target.make(END)
    assert made == 1
    server.is_open = False
    target.make(Step(tick="pro_1", real_ms=7))
    assert made == 2
    assert [sent[3] for sent in server.sent] == [b'{"end":true}'] * 2 + [b'{"real_ms":7,"tick":"pro_1"}']


@cases("member", "send", "receive")
def test_a_server_that_breaks_off_is_no_target(member: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("broken")

    target, _ = remote(monkeypatch)
    monkeypatch.setattr(Server, member, fail)
    with pytest.raises(CannotReplay, match="the server does not answer: broken"):
        target.make(Step(tick="pro_1"))
    if member == "send":
        with pytest.raises(CannotReplay, match="exchange 3 cannot be sent: broken"):
            target.make(PROMPT._replace(n=3))


def test_a_target_that_never_began_ends_no_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    target, server = remote(monkeypatch)
    target.close()
    assert (server.sent, server.closed) == ([], 0)
    target.make(END)
    target.close()
    assert (len(server.sent), server.closed) == (1, 1)
