"""When calls that wait go on in a replay: as its steps say, and by themselves when it is left."""

import json
from typing import Any

import pytest
from httpx import Client

from mockserver.server.answering.pipeline import Outcome, WaitingCall
from mockserver.server.edge.app import App
from mockserver.server.recording.stepper import Replay, ReplayTime
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.server.recording.held import ask_and_wait, ask_at_once, load
from tests.tables import cases

LATER_MS = 1_900_000_000_000


@pytest.fixture
def replay(app: App, api: Client, project: Project) -> Replay:
    """Moves a server with calls that are held up."""
    load(api, project)
    replay = Replay(app.pipeline, ReplayTime())
    replay.take()
    return replay


@cases("contract, waits", ("late", 2), ("held", 3))
def test_a_call_waits_until_the_steps_have_made_its_answer(
    replay: Replay, app: App, project: Project, contract: str, waits: int
) -> None:
    handed: list[Outcome] = []
    waiting = ask_and_wait(app, project, contract)
    replay.hold(waiting, handed.append)
    for _ in range(waits - 1):
        assert isinstance(replay.make(1), WaitingCall)
        assert (handed, project.waiting) == ([], 1), "its project is not put away"
    assert handed == [replay.make(1)]
    assert project.waiting == 0
    assert replay.make(1) is None


def test_the_lines_are_taken_once(replay: Replay, app: App, project: Project) -> None:
    ask_at_once(app, project, "named")
    assert [[*line][:3] for line in replay.take()] == [["n", "request", "answer"]]
    assert replay.take() == []
    replay.end()
    assert [[*line] for line in replay.take()] == [["end"]]


def test_the_lines_are_also_given_to_the_copy(app: App, project: Project) -> None:
    class Copy:
        def __init__(self) -> None:
            self.lines: list[dict[str, Any]] = []

        def write(self, *lines: dict[str, Any]) -> None:
            self.lines += lines

    copy = Copy()
    replay = Replay(app.pipeline, ReplayTime(), copy=copy)
    ask_at_once(app, project, "con_1")
    assert copy.lines == replay.take()
    assert [*copy.lines[0]] == ["mockserver_recording"]


# --- left to itself -------------------------------------------------------------------------------------


def test_what_a_client_waits_for_goes_on_after_the_replay(replay: Replay, app: App, project: Project) -> None:
    handed: list[Outcome] = []
    waiting = ask_and_wait(app, project, "held")
    replay.hold(waiting, handed.append)
    generation = project.generation
    replay.go_on(lambda: LATER_MS)
    assert handed == [waiting]
    assert (project.waiting, project.generation) == (1, generation)
    assert replay.make(1) is None
    assert (app.pipeline.finish(waiting).status, project.waiting) == (404, 0)


def test_what_no_client_waits_for_ends_with_the_replay(replay: Replay, app: App, project: Project) -> None:
    waiting = ask_and_wait(app, project, "held")
    replay.hold(waiting, lambda answer: None)
    unheld = ask_and_wait(app, project, "late")
    replay._keep(2, unheld)
    generation = project.generation
    replay.go_on(lambda: LATER_MS)
    assert (project.waiting, project.generation) == (1, generation + 1)


def test_time_goes_on_from_what_the_clocks_showed(app: App, world: World, project: Project) -> None:
    time = ReplayTime()
    time.now_ms = 1_000
    world.read_real_ms = time.real_ms
    project.clock.tick(time.real_ms)
    began_ms = project.clock.now_ms
    replay = Replay(app.pipeline, time)
    replay.make(tick=project.id, real_ms=1_007)
    replay.make(tick="pro_none")
    (tick,) = (line for line in replay.take() if "tick" in line)
    assert (tick["now_ms"], tick["real_ms"]) == (began_ms + 7, 1_007)
    later_ms = [LATER_MS]
    replay.go_on(lambda: later_ms[0])
    assert app.pipeline.observer is None
    later_ms[0] += 3
    app.pipeline.tick(project)
    assert project.clock.now_ms == began_ms + 10
    assert [json.dumps([*line]) for line in replay.take()] == ['["end"]']
