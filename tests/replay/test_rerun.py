"""A run is made again: what waits goes on where it did, and time passes as it did."""

import json
from io import BytesIO

import pytest
from httpx import Client

from mockserver.replay.shrinking.rerun import Rerun
from mockserver.replay.shrinking.run import Run, read_run
from mockserver.replay.steps import RecordedAnswer
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.replay.invented_runs import get
from tests.replay.recorded import Collected
from tests.server.recording.held import ask, ask_and_wait, load


def run_of(app: App) -> Run:
    """The run that is being recorded."""
    app.recordings.stop()
    return read_run(BytesIO(app.recordings.read()))


@pytest.fixture
def held(app: App, api: Client, project: Project) -> Run:
    """A call that waits before it does anything, one after that, and one that is answered meanwhile."""
    load(api, project)
    app.recordings.start()
    waiting = [ask_and_wait(app, project, contract) for contract in ("held", "late")]
    ask(app, project, "named")
    for each in waiting:
        app.pipeline.finish(each)
    return run_of(app)


def test_every_step_is_made_again_and_is_recorded_as_it_was(held: Run, app: App) -> None:
    collected = Collected()
    rerun = Rerun(held, collected)
    answers = {step.n: rerun.make(step) for step in held.steps}
    assert {number: found.status for number, found in answers.items() if found is not None} == {
        1: 404,
        2: 404,
        3: 200,
    }
    rerun.stop()
    recorded = [json.loads(line) for line in app.recordings.read().splitlines()]
    assert collected[2:] == recorded[2:], "all but when it was recorded"


def test_a_step_of_a_request_that_was_not_made_is_left_out(held: Run) -> None:
    collected = Collected()
    rerun = Rerun(held, collected)
    assert [rerun.make(step) for step in held.steps if step.resume] == [None] * 5
    rerun.stop()
    assert [[*line] for line in collected[-2:]] == [["begin"], ["end"]]


def test_another_request_may_be_made_in_the_place_of_one(held: Run, project: Project) -> None:
    rerun = Rerun(held)
    key = ("authorization", f"Bearer {project.secret_key}")
    found = rerun.make(held.steps[0], get("/v1/contracts/named", key))
    assert isinstance(found, RecordedAnswer)
    assert (found.status, rerun.project and rerun.project.id) == (200, project.id)
    rerun.make(held.steps[1], get("/_mock/health"))
    assert rerun.project is None


def test_a_clock_that_ticked_between_requests_ticks_again() -> None:
    now_ms = [1_800_000_000_000]
    world = World(real_ms=lambda: now_ms[0])
    project = world.create(name="a")
    project.clock.tick(world.real_ms)
    app = assemble(world)
    app.recordings.start()
    now_ms[0] += 5
    app.pipeline.tick(project)
    run = run_of(app)
    (tick,) = run.steps
    rerun = Rerun(run)
    again = rerun.app.pipeline.world.get(project.id)
    assert again is not None
    before_ms = again.clock.now_ms
    assert rerun.make(tick) is None
    assert (again.clock.now_ms, before_ms) == (project.clock.now_ms, project.clock.now_ms - 5)
    assert rerun.make(tick._replace(tick="pro_none")) is None
