"""Replaying in a running server: when it may begin, what is of the replay, and what is left after it."""

from typing import Any

import orjson
import pytest

from mockserver import errors
from mockserver.api.call import Request
from mockserver.domain.identity.users import create_user
from mockserver.errors import ApiError
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.answering.limits import RequestLimits
from mockserver.server.answering.render import Response
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.server.recording.replays import Replays
from mockserver.state.world import World
from tests.tables import cases

ACCESS = ControlAccess(token="a-token-of-tests")


def recording(*, masked: bool = False, limits: RequestLimits | None = None, **world: Any) -> bytes:
    """The recording of a server with one project that did nothing."""
    app = assemble(World(**world), limits=limits)
    app.pipeline.world.create(name="recorded")
    app.recordings.start(masked=masked)
    app.recordings.stop()
    return app.recordings.read()


@pytest.fixture
def server() -> App:
    """Another server, which has a token."""
    return assemble(World(), control=ACCESS)


@pytest.fixture
def replays(server: App) -> Replays:
    return server.recordings.replays


def request(method: str = "GET", path: str = "/v1/contracts", **headers: str) -> Request:
    """A request with some headers."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [(name.encode(), value.encode()) for name, value in given.items()]
    return Request(method, path, "", given, raw_headers=lines, client="10.0.0.7", header_count=len(lines))


def begin(replays: Replays, raw: bytes, **options: bool) -> str:
    """Begin a replay; its secret."""
    first, _ = replays.start(raw, **({"replace": False} | options)).splitlines()
    return str(orjson.loads(first)["replay"])


@cases("count, more", (1, ""), (5, ""), (6, " and 1 more"), (7, " and 2 more"))
def test_five_of_the_used_projects_are_named(count: int, more: str, server: App, replays: Replays) -> None:
    made = [server.pipeline.world.create(name=f"p{number}") for number in range(count)]
    names = ", ".join(f"{project.name} ({project.id})" for project in made[:5])
    for act in (replays.load, replays.start):
        with pytest.raises(ApiError) as refused:
            act(recording(), replace=False)
        assert refused.value.row is errors.CONTROL_SERVER_IN_USE
        assert f"in use: {names}{more}. With" in refused.value.message
    assert list(server.pipeline.world) == made
    replays.load(recording(), replace=True)
    assert [project.name for project in server.pipeline.world] == ["recorded"]


def test_nothing_begins_while_another_is_underway(server: App, replays: Replays) -> None:
    def refusal() -> Any:
        with pytest.raises(ApiError) as refused:
            replays.start(recording(), replace=True)
        return refused.value.row

    project = server.pipeline.world.create(name="waits")
    project.waiting = 1
    assert refusal() is errors.CONTROL_RECORDING_WAITS
    project.waiting = 0
    server.recordings.start()
    assert refusal() is errors.CONTROL_RECORDING
    server.recordings.stop()
    begin(replays, recording(), replace=True)
    assert refusal() is errors.CONTROL_REPLAY


@cases(
    "made, name, values, option",
    ({"open_projects": 17}, "open_projects", (17, 1000), "--open-projects 17"),
    ({"journal_bytes": 70_000}, "journal_bytes", (70_000, 0), "--journal-bytes 70000"),
    ({"limits": RequestLimits(max_body_bytes=9)}, "max_body_bytes", (9, 1_048_576), "--max-body-bytes 9"),
    ({"limits": RequestLimits(max_headers=9)}, "max_headers", (9, 100), "--max-headers 9"),
)
def test_a_server_with_other_bounds_says_which_option_it_needs(
    made: dict[str, Any], name: str, values: tuple[int, int], option: str, server: App, replays: Replays
) -> None:
    world = server.pipeline.world
    here = {"open_projects": world.open_projects.limit, "journal_bytes": world.histories.max_bytes}
    with pytest.raises(ApiError) as refused:
        replays.load(recording(**made), replace=False)
    assert refused.value.row is errors.CONTROL_OTHER_OPTION
    assert refused.value.message == (
        f"The recorded server had {name} {values[0]}, this one has {here.get(name, values[1])}:"
        f" start it with {option}."
    )


def test_a_request_with_the_secret_is_of_the_replay(replays: Replays) -> None:
    secret = begin(replays, recording())
    came_by = f"replay={secret}&client=127.0.0.1&server=::1&scheme=https&root_path=/mock"
    given = request(x_a="1", x_mockserver_replay=came_by)
    assert replays.admit(given)
    assert (given.headers, given.raw_headers, given.header_count) == ({"x-a": "1"}, [(b"x-a", b"1")], 1)
    assert (given.client, given.server, given.scheme, given.root_path) == (
        "127.0.0.1",
        "::1",
        "https",
        "/mock",
    )
    plain = request(x_mockserver_replay=f"replay={secret}")
    assert replays.admit(plain)
    assert (plain.client, plain.server, plain.scheme, plain.root_path) == ("", "", "http", "")


@cases("header", None, "", "replay=", "replay=guessed&client=127.0.0.1", "client=127.0.0.1")
def test_other_requests_are_not_of_the_replay_and_stay(header: str | None, replays: Replays) -> None:
    begin(replays, recording())
    given = request() if header is None else request(x_mockserver_replay=header)
    assert not replays.admit(given)
    assert (given.client, given.header_count) == ("10.0.0.7", 0 if header is None else 1)


def test_other_requests_are_refused_but_for_health_checks(server: App, replays: Replays) -> None:
    def answer(method: str, path: str, **headers: str) -> Response:
        found = replays.answer_others(request(method, path, **headers))
        assert isinstance(found, Response)
        return found

    token = {"x_mockserver_token": "a-token-of-tests"}
    begin(replays, recording())
    of_recording = server.pipeline.server.access
    assert of_recording == ControlAccess()
    assert [answer("GET", path).status for path in ("/_mock/health", "/_mock/ready")] == [200, 200]
    assert [answer("GET", path).status for path in ("/v1/contracts", "/_mock/projects")] == [409, 409]
    head = answer("HEAD", "/v1/contracts")
    assert (head.status, head.body) == (409, b"")
    assert answer("GET", "/v1/contracts").body != b""
    assert answer("GET", "/_mock/recording/status").status == 401
    assert answer("GET", "/_mock/recording/status", **token).status == 200
    assert server.pipeline.server.access is of_recording
    assert answer("POST", "/_mock/recording/replay/stop", **token).status < 300
    assert server.pipeline.server.access is ACCESS


def test_after_a_replay_time_and_access_are_those_of_the_server(server: App, replays: Replays) -> None:
    world = server.pipeline.world
    own_time = world.read_real_ms
    begin(replays, recording())
    assert b'"end"' not in replays.step(real_ms=1_800_000_000_000)
    assert world.read_real_ms() == 1_800_000_000_000
    assert replays.step() == b""
    assert [*orjson.loads(replays.step(end=True))] == ["end"]
    (project,) = world
    assert replays.row(project.id, "identity.users/usr_none") is None
    replays.stop()
    assert (world.read_real_ms, server.pipeline.server.access) == (own_time, ACCESS)
    replays.stop()
    for act in (lambda: replays.step(), lambda: replays.row(project.id, "identity.users/a")):
        with pytest.raises(ApiError) as refused:
            act()
        assert refused.value.row is errors.CONTROL_NO_REPLAY


@cases("masked", True, False)
def test_what_a_replay_writes_is_masked_as_the_recording_is(masked: bool, replays: Replays) -> None:
    _, began = replays.start(recording(masked=masked), replace=False).splitlines()
    expected = orjson.loads(
        next(line for line in recording(masked=masked).splitlines() if b'{"begin"' in line)
    )
    assert orjson.loads(began) == expected


def test_a_row_is_found_by_its_table_and_id(server: App, replays: Replays) -> None:
    begin(replays, recording())
    (project,) = server.pipeline.world
    user = create_user(project, name="Ada", email="ada@example.com")
    assert replays.row(project.id, f"identity.users/{user.id}")["name"] == "Ada"
    for place in ("identity.users/none", "identity.none/x", "identity.users"):
        assert replays.row(project.id, place) is None
    assert replays.row("pro_none", f"identity.users/{user.id}") is None
