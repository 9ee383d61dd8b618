"""The replay of a recording against a server that runs already: its requests are sent by HTTP."""

import time
from http import HTTPStatus
from io import BytesIO
from typing import Any
from urllib.parse import urlencode

import orjson

from mockserver.replay.comparison import Difference
from mockserver.replay.connection import Address, Connection
from mockserver.replay.steps import RecordedRequest, Step, decode_bytes
from mockserver.replay.targets import CannotReplay, Opened
from mockserver.replay.urls import target_of
from mockserver.replay.wire import compare_sent
from mockserver.server.answering.control_call import RECORDING_PATH
from mockserver.server.answering.control_token import TOKEN_HEADER
from mockserver.server.recording.loading import read_heads
from mockserver.server.recording.reading import BadRecording, Lines
from mockserver.server.recording.replays import REPLAY_HEADER
from mockserver.state.saved.encoding import Line

_LINES = "application/jsonl"
_PATIENCE_S = 0.25
_LOOKS = 250
"""How often an outcome is looked for: altogether a minute."""


class Remote:
    """A server that is reached by HTTP, and replays with its control API. See `Target`.

    What it makes of a step is retrieved after each one; what arrives on the connection is compared, too.
    A request that waits keeps its connection until its answer has come.
    """

    def __init__(self, address: Address, token: str | None, *, replace: bool = False) -> None:
        """`token` is the control token of the server, if it has one."""
        self._address, self._token, self._replace = address, token, replace
        self._mark = ""
        """What the requests of the replay are known by."""
        self._control: Connection | None = None
        self._idle: Connection | None = None
        self._asked: dict[int, Connection] = {}
        self._is_replaying = False

    def open(self, lines: Lines) -> Opened:
        """See `Target`."""
        raw = lines.read_opening()
        copy = Lines(BytesIO(raw))
        meta, _ = read_heads(copy)
        beginning = [line for line in copy if "begin" not in line]
        query = "?replace=true" if self._replace else ""
        found = self._call("POST", f"/replay{query}", raw, _LINES)
        try:
            started, began = found
            self._mark = started["replay"]
        except (KeyError, TypeError, ValueError):
            raise _other_server(HTTPStatus.OK) from None
        self._is_replaying = True
        digests = orjson.loads(raw[raw.rindex(b"\n", 0, -1) :])["begin"]["digests"]
        return Opened(meta, digests, beginning, began)

    def make(self, step: Step) -> list[Line] | None:
        """See `Target`."""
        if step.request is not None:
            if step.real_ms is not None:
                self._step(real_ms=step.real_ms)
            return self._ask(step.n, step.request, step)
        about: dict[str, Any] = {} if step.real_ms is None else {"real_ms": step.real_ms}
        if step.resume:
            about["resume"] = step.n
        elif step.tick is not None:
            about["tick"] = step.tick
        elif step.end is not None:
            about["end"] = True
        return self._step(**about) or None

    def _ask(self, number: int, request: RecordedRequest, expected: Step) -> list[Line]:
        """Send a request, and wait for what comes of it."""
        headers = request.raw_headers()
        connection = self._idle or self._connect()
        self._idle = None
        self._asked[number] = connection
        body = decode_bytes(request.body)
        target = self._address.path + target_of(request._replace(root_path=""))
        try:
            connection.send(request.method, target, self._headers(request, headers, body), body)
        except OSError as error:
            raise CannotReplay(f"exchange {number} cannot be sent: {error}") from None
        is_prompt = expected.answer is not None and expected.answer.fault is None
        return self._outcome(number, connection, is_prompt)

    def _outcome(self, number: int, connection: Connection, is_prompt: bool) -> list[Line]:
        """The lines of a request that was sent, once it was handled as far as it can be."""
        got: list[Line] = []
        for look in range(_LOOKS):
            if is_prompt:
                connection.is_readable(_PATIENCE_S)
            got += self._step()
            if got:
                return got
            if not is_prompt:
                time.sleep(min(0.001 * 2**look, _PATIENCE_S))
        raise CannotReplay(f"exchange {number} was not handled in time")

    def row(self, project_id: str, place: str) -> Any:
        """See `Target`."""
        query = urlencode({"project": project_id, "row": place})
        (found,) = self._call("GET", f"/replay/row?{query}")
        return found["row"]

    def check_sent(self, number: int, request: Line, recorded: Line, made: Line) -> list[Difference]:
        """See `Target`."""
        connection = self._asked.pop(number)
        found = compare_sent(request, recorded, made, connection)
        if connection.is_open and self._idle is None:
            self._idle = connection
        else:
            connection.close()
        return found

    def close(self) -> None:
        """End the replay: the server goes on by itself."""
        try:
            if self._is_replaying:
                self._call("POST", "/replay/stop")
        finally:
            for connection in (self._control, self._idle, *self._asked.values()):
                if connection is not None:
                    connection.close()

    def _headers(
        self, request: RecordedRequest, recorded: list[tuple[bytes, bytes]], body: bytes
    ) -> list[tuple[bytes, bytes]]:
        """The headers of a request as they were, with what HTTP needs, and what it came by."""
        # Of a masked recording the body has another length than it had.
        headers = [
            (name, str(len(body)).encode() if name.lower() == b"content-length" else value)
            for name, value in recorded
        ]
        names = {name.lower() for name, _ in headers}
        if b"host" not in names:
            headers.append((b"host", self._address.authority.encode()))
        if body and not names & {b"content-length", b"transfer-encoding"}:
            headers.append((b"content-length", str(len(body)).encode()))
        came_by = {name: getattr(request, name) for name in ("client", "server", "scheme", "root_path")}
        mark = urlencode({"replay": self._mark, **came_by})
        return [*headers, (REPLAY_HEADER.encode(), mark.encode())]

    # --- the control API --------------------------------------------------------------------------

    def _step(self, **step: Any) -> list[Line]:
        return self._call("POST", "/replay/steps", orjson.dumps(step), "application/json")

    def _call(self, method: str, path: str, body: bytes = b"", content_type: str = "") -> list[Line]:
        """A call of the control API about recordings: the lines that it answers."""
        headers = [(b"host", self._address.authority.encode())]
        if body:
            headers += [
                (b"content-type", content_type.encode()),
                (b"content-length", str(len(body)).encode()),
            ]
        if self._token is not None:
            headers.append((TOKEN_HEADER.encode(), self._token.encode()))
        try:
            if self._control is None or not self._control.is_open:
                self._control = self._connect()
            self._control.send(method, f"{self._address.path}{RECORDING_PATH}{path}", headers, body)
            answer = self._control.receive()
        except OSError as error:
            raise CannotReplay(f"the server does not answer: {error}") from None
        text = answer.get("body", "")
        if answer["status"] >= 300:
            raise _refusal(answer["status"], text)
        try:
            return [orjson.loads(line) for line in text.split("\n") if line]
        except (AttributeError, ValueError):
            # A page, or bytes that are no text.
            raise _other_server(answer["status"]) from None

    def _connect(self) -> Connection:
        try:
            return Connection(self._address)
        except OSError as error:
            raise CannotReplay(f"the server cannot be reached: {error}") from None


def _other_server(status: int) -> CannotReplay:
    return CannotReplay(f"it answers {status}, and is no mockserver that replays")


def _refusal(status: int, text: str) -> CannotReplay | BadRecording:
    """What the control API says of why it refuses."""
    try:
        problem = orjson.loads(text)
        kind, detail = problem["type"], problem["detail"]
        if kind == "urn:mockserver:bad-recording":
            (finding,) = problem["errors"].values()
            return BadRecording(finding["line"], finding["message"])
    except (TypeError, ValueError, KeyError):
        return _other_server(status)
    # The option of this command stands for the parameter of the call.
    return CannotReplay(f"the server refuses: {detail.replace('replace=true', '--replace')}")
