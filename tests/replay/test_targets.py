"""A server of a replay in this process, which is left to other requests."""

import json
from io import BytesIO

import pytest

from mockserver.api.call import Request
from mockserver.replay.player import Player
from mockserver.replay.targets import InProcess
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.answering.render import Response
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.world import World

TOKEN = "a-token-of-tests"


def call(app: App, method: str, path: str, body: object = None, **headers: str) -> Response:
    """A call of the control API that comes by loopback."""
    raw = b"" if body is None else json.dumps(body).encode()
    given = {"content-type": "application/json", "host": "127.0.0.1"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    lines = [(name.encode(), value.encode()) for name, value in given.items()]
    found = app.pipeline.answer(
        Request(method, path, "", given, raw, client="127.0.0.1", server="127.0.0.1", raw_headers=lines)
    )
    assert isinstance(found, Response)
    return found


@pytest.fixture
def left() -> InProcess:
    """A server that was recorded with a control token and a clock that ticks, replayed."""
    now_ms = [1_800_000_000_000]
    app = assemble(World(real_ms=lambda: now_ms[0]), control=ControlAccess(token=TOKEN))
    app.recordings.start()
    body = {"name": "a", "clock": {"mode": "ticking"}}
    assert call(app, "POST", "/_mock/projects", body, x_mockserver_token=TOKEN).status == 201
    app.recordings.stop()
    target = InProcess()
    assert list(Player(BytesIO(app.recordings.read()), target).play()) == []
    return target


def test_a_server_that_is_left_needs_no_unrecorded_token(left: InProcess) -> None:
    assert call(left.app, "GET", "/_mock/projects").status == 401
    left.go_on(lambda: 1_900_000_000_000)
    assert call(left.app, "GET", "/_mock/projects").status == 200


def test_on_a_server_that_is_left_real_time_goes_on(left: InProcess) -> None:
    real_ms = [1_900_000_000_000]
    (project,) = left.app.pipeline.world
    before_ms = project.clock.now_ms
    left.go_on(lambda: real_ms[0])
    real_ms[0] += 250
    answer = call(left.app, "GET", f"/_mock/projects/{project.id}/clock")
    assert (answer.status, project.clock.now_ms) == (200, before_ms + 250)
    assert left.app.pipeline.observer is None, "what others ask is not recorded"
    assert left.row(project.id, "onchain.contracts/none") is None
