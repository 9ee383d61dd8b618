"""What the recorder writes of calls that wait, and of time."""

import json
from pathlib import Path
from typing import Any

import pytest
from httpx import Client

from mockserver import errors
from mockserver.api.call import Request
from mockserver.domain.identity.users import create_user
from mockserver.errors import ApiError
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.wallets import Key
from mockserver.state.world import ProjectDefaults, World
from mockserver.testing.server import LiveServer
from tests.replay.runs import play
from tests.server.recording.held import ask, ask_and_wait, load, steps_of
from tests.tables import cases


@pytest.fixture
def held(app: App, api: Client, project: Project) -> App:
    """A server with calls that are held up, which is recorded."""
    load(api, project)
    app.recordings.start()
    return app


def end(app: App) -> bytes:
    """End the recording; all of it."""
    app.recordings.stop()
    return app.recordings.read()


@cases("contract, waits", ("late", 2), ("held", 3))
def test_a_waiting_call_is_recorded_each_time(held: App, project: Project, contract: str, waits: int) -> None:
    answer = held.pipeline.finish(ask_and_wait(held, project, contract))
    recorded = end(held)
    assert steps_of(recorded) == [
        (1, "request", "waits"),
        *[(1, "resume", "waits")] * (waits - 1),
        (1, "resume", "answer"),
    ]
    assert answer.delay_ms == {"late": 7, "held": 11}[contract]
    player, found = play(recorded)
    assert (found, player.number) == ([], 1)


def test_calls_that_wait_at_once_keep_their_numbers(held: App, project: Project) -> None:
    first, second = (ask_and_wait(held, project, "late") for _ in range(2))
    for waiting in (second, first, second, first):
        held.pipeline.resume(waiting)
    recorded = end(held)
    assert [(number, outcome) for number, step, outcome in steps_of(recorded) if step == "resume"] == [
        (2, "waits"),
        (1, "waits"),
        (2, "answer"),
        (1, "answer"),
    ]
    assert play(recorded)[1] == []


def test_a_private_key_that_a_step_brings_is_hidden(app: App, project: Project) -> None:
    secret = bytes(range(32))
    app.recordings.start(masked=True)
    project.wallets.keys.insert(Key("0xabc", "EVM", secret, imported=True))
    project.commit()
    for contract in ("first", secret.hex()):
        ask(app, project, contract)
    recorded = end(app)
    assert b"/v1/contracts/first" in recorded
    assert secret.hex().encode() not in recorded


def test_a_server_that_ends_ends_its_recordings(app: App, project: Project, tmp_path: Path) -> None:
    kept = tmp_path / "run.jsonl"
    app.recordings.start(kept)
    app.recordings.close()
    assert b'"end"' in kept.read_bytes().splitlines()[-1]
    assert app.pipeline.observer is None
    app.recordings.start(projects=[project])
    assert app.recordings.status(project.id).active
    app.recordings.close()
    assert not app.recordings.status(project.id).active


def test_no_recording_begins_while_a_call_waits(app: App, api: Client, project: Project) -> None:
    load(api, project)
    waiting = ask_and_wait(app, project, "late")
    with pytest.raises(ApiError) as refused:
        app.recordings.start()
    assert refused.value.row is errors.CONTROL_RECORDING_WAITS
    app.pipeline.finish(waiting)
    app.recordings.start()
    assert steps_of(end(app)) == []


def test_a_request_without_its_answer_is_answered_in_replay(held: App, project: Project) -> None:
    held.pipeline.finish(ask_and_wait(held, project, "held"))
    lines = end(held).replace(b'"mockserver":"', b'"masked":true,"mockserver":"').splitlines(keepends=True)
    place = next(place for place, line in enumerate(lines) if b'"answer"' in line)
    lines[place] = b'{"n":1,"resume":true,"withheld":"answer"}\n'
    player, found = play(b"".join(lines))
    assert (found, player.masked.withheld) == ([], 1), "at the end all is as it was recorded"


def test_what_waits_at_the_recordings_end_is_answered(held: App, project: Project) -> None:
    waiting = ask_and_wait(held, project, "held")
    recorded = end(held)
    assert held.pipeline.finish(waiting).status == 404
    assert held.recordings.read() == recorded
    held.recordings.start()
    assert steps_of(end(held)) == []


def test_the_calls_about_recordings_are_not_recorded(held: App, api: Client, project: Project) -> None:
    api.get("/_mock/recording/status")
    ask(held, project, "named")
    assert held.recordings.status().exchanges == 1
    assert steps_of(end(held)) == [(1, "request", "answer")]


def test_a_head_requests_answer_is_recorded_without_body(held: App, project: Project) -> None:
    ask(held, project, "named", "HEAD")
    ask(held, project, "cut", "HEAD")
    ask(held, project, "cut")
    recorded = end(held)
    lines = [json.loads(line) for line in recorded.splitlines()]
    named, head, whole = (line["answer"] for line in lines if "answer" in line)
    assert [answer.get("body") for answer in (named, head, whole)] == [None, None, '{"a":1}']
    assert head["sent"].endswith("\r\n\r\n")
    assert whole["sent"].endswith('\r\n\r\n{"a"')
    assert play(recorded)[1] == []


def test_what_no_call_asked_for_belongs_to_the_beginning(app: App, api: Client, project: Project) -> None:
    create_user(project, name="Ada", email="ada@example.com")
    project.undo.mark()
    app.recordings.start()
    logged = project.history.last_change
    assert logged > 0
    assert api.get("/v1/contracts").status_code == 200
    assert project.history.last_change == logged, "the call changed nothing"
    assert play(end(app))[1] == []


# --- time -----------------------------------------------------------------------------------------------


class Readings:
    """Real time that is another one each time it is read."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> int:
        self.count += 1
        return 1_800_000_000_000 + self.count


def call(app: App, method: str, path: str, body: Any = None) -> None:
    """Make a call of the control API."""
    raw = b"" if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"} if raw else {}
    lines = [(name.encode(), value.encode()) for name, value in headers.items()]
    request = Request(method, path, "", headers, raw, client="127.0.0.1", raw_headers=lines)
    assert getattr(app.pipeline.answer(request), "status", 0) < 300


def real_times(recorded: bytes) -> list[int | None]:
    """The real time of each answer, None of one without."""
    lines = [json.loads(line) for line in recorded.splitlines()]
    return [line.get("real_ms") for line in lines if "answer" in line]


def test_a_step_reads_real_time_once_and_the_next_one_again() -> None:
    readings = Readings()
    app = assemble(World(real_ms=readings))
    app.recordings.start()
    before = readings.count
    call(app, "POST", "/_mock/projects", {"name": "a", "clock": {"mode": "ticking"}})
    call(app, "POST", "/_mock/projects", {"name": "b", "clock": {"mode": "ticking"}})
    assert readings.count == before + 2
    assert real_times(end(app)) == [1_800_000_000_000 + before + 1, 1_800_000_000_000 + before + 2]


def test_a_step_reads_the_real_time_once() -> None:
    world = World(real_ms=Readings())
    first = world.real_ms()
    assert world.real_ms() == world.reading_ms == first
    world.begin_step()
    assert world.reading_ms is None
    assert world.real_ms() == first + 1


@cases(
    "defaults, is_there",
    (ProjectDefaults(), False),
    (ProjectDefaults(mode="ticking"), True),
    (ProjectDefaults(now_ms=None), True),
)
def test_a_real_time_server_has_it_from_the_first_request(defaults: ProjectDefaults, is_there: bool) -> None:
    app = assemble(World(real_ms=Readings(), defaults=defaults))
    app.recordings.start()
    call(app, "POST", "/_mock/projects", {"name": "a"})
    assert [found is not None for found in real_times(end(app))] == [is_there]


def test_real_time_is_recorded_if_a_clock_ticks() -> None:
    world = World(real_ms=Readings())
    ticking, frozen = world.create(name="ticking"), world.create(name="frozen")
    ticking.clock.tick(world.real_ms)
    app = assemble(world)
    app.recordings.start()
    call(app, "GET", f"/_mock/projects/{ticking.id}/clock")
    assert [found is not None for found in real_times(end(app))] == [True]

    ticking.clock.freeze()
    app.recordings.start()
    for name, project in (("a", frozen), ("b", ticking), ("c", frozen)):
        if project is ticking:
            call(app, "PUT", f"/_mock/projects/{project.id}/clock", {"mode": "ticking"})
        call(app, "POST", f"/_mock/projects/{project.id}/snapshots", {"name": name})
        call(app, "POST", f"/_mock/projects/{project.id}/snapshots/{name}/restore")
    recorded = end(app)
    found = [found is not None for found in real_times(recorded)]
    assert found.index(True) == 2, "the call that lets the clock tick"
    assert not found[-1], "a project whose clock is frozen depends on none"
    assert play(recorded)[1] == []


@cases("place", 0, 1)
def test_a_clock_frozen_first_had_moved_with_real_time(place: int) -> None:
    now_ms = [1_800_000_000_000]
    world = World(real_ms=lambda: now_ms[0])
    project = [world.create(name=name) for name in ("one", "other")][place]
    project.clock.tick(world.real_ms)
    app = assemble(world)
    app.recordings.start()
    now_ms[0] += 5_000
    call(app, "PUT", f"/_mock/projects/{project.id}/clock", {"mode": "frozen"})
    recorded = end(app)
    assert real_times(recorded) == [1_800_000_005_000]
    assert play(recorded)[1] == []


def test_changes_are_written_of_old_and_new_projects(app: App, project: Project) -> None:
    app.recordings.start()
    call(app, "POST", f"/_mock/projects/{project.id}/snapshots", {"name": "s"})
    call(
        app, "PUT", f"/_mock/projects/{project.id}/chains/80002/addresses/0x{'a1' * 20}", {"balance_wei": "1"}
    )
    call(app, "POST", "/_mock/projects", {"name": "made"})
    made = list(app.pipeline.world)[-1]
    call(app, "PUT", f"/_mock/projects/{made.id}/chains/80002/addresses/0x{'a1' * 20}", {"balance_wei": "1"})
    lines = [json.loads(line) for line in end(app).splitlines()]
    changed = [{*line["changes"]} for line in lines if "changes" in line]
    assert (changed[0], changed[-1]) == ({project.id}, {made.id})
    assert app.pipeline.world.histories.on_changes is None, "it is not looked at any more"


def test_a_request_that_reads_no_time_has_none() -> None:
    app = assemble(World(real_ms=Readings(), defaults=ProjectDefaults(mode="ticking")))
    app.recordings.start()
    call(app, "GET", "/_mock/health")
    (line,) = (json.loads(line) for line in end(app).splitlines() if b'"answer"' in line)
    assert [*line] == ["n", "request", "answer"]


def test_a_clock_that_is_looked_at_is_recorded_if_it_has_moved() -> None:
    now_ms = [1_800_000_000_000]
    world = World(real_ms=lambda: now_ms[0])
    project = world.create(name="a")
    project.clock.tick(world.real_ms)
    began_ms = project.clock.now_ms
    app = assemble(world)
    app.recordings.start()
    app.pipeline.tick(project)
    now_ms[0] += 5
    app.pipeline.tick(project)
    app.pipeline.tick(project)
    ticks = [json.loads(line) for line in end(app).splitlines() if b'"tick"' in line]
    assert ticks == [{"tick": project.id, "now_ms": began_ms + 5, "real_ms": 1_800_000_000_005}]


@cases("outcome", "reverted", "successful")
def test_the_fate_of_a_rule_is_recorded(outcome: str) -> None:
    """Its row is made and removed by one step."""
    with LiveServer() as server:
        mock = server.control.create_project(name="shop")
        wallet = mock.given.sponsored_wallet(chain_id=84532)
        server.control.start_recording(mask=True)
        mock.load(f"rules: [{{when: CreateTransaction, then: {{fate: {outcome}}}}}]")
        body = {"chainId": 84532, "accountId": wallet.id, "calls": [{"to": "0x" + "ab" * 20, "value": "7"}]}
        with mock.connect() as api:
            assert api.post("/v2/transactions", json=body).json()["status"] == outcome
        _, found = play(server.control.stop_recording())
    assert found == []
