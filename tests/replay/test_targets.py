"""A server of a replay in this process, which is left to other requests."""

from io import BytesIO

import pytest
from httpx import Client

from mockserver.replay.player import Player
from mockserver.replay.targets import InProcess
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.world import World
from tests.transport import InProcessTransport

TOKEN = "a-token-of-tests"


def client(app: App) -> Client:
    """A client of the control API that comes by loopback."""
    return Client(transport=InProcessTransport(app), base_url="http://127.0.0.1")


@pytest.fixture
def left() -> InProcess:
    """A server that was recorded with a control token and a clock that ticks, replayed."""
    now_ms = [1_800_000_000_000]
    app = assemble(World(real_ms=lambda: now_ms[0]), control=ControlAccess(token=TOKEN))
    app.recordings.start()
    body = {"name": "a", "clock": {"mode": "ticking"}}
    made = client(app).post("/_mock/projects", json=body, headers={"x-mockserver-token": TOKEN})
    assert made.status_code == 201
    app.recordings.stop()
    target = InProcess()
    assert list(Player(BytesIO(app.recordings.read()), target).play()) == []
    return target


def test_a_server_that_is_left_needs_no_unrecorded_token(left: InProcess) -> None:
    assert client(left.app).get("/_mock/projects").status_code == 401
    left.go_on(lambda: 1_900_000_000_000)
    assert client(left.app).get("/_mock/projects").status_code == 200


def test_on_a_server_that_is_left_real_time_goes_on(left: InProcess) -> None:
    real_ms = [1_900_000_000_000]
    (project,) = left.app.pipeline.world
    before_ms = project.clock.now_ms
    left.go_on(lambda: real_ms[0])
    real_ms[0] += 250
    answer = client(left.app).get(f"/_mock/projects/{project.id}/clock")
    assert (answer.status_code, project.clock.now_ms) == (200, before_ms + 250)
    assert left.app.pipeline.observer is None, "what others ask is not recorded"
    assert left.row(project.id, "onchain.contracts/none") is None
