"""When what waits or is delayed goes on in a replay: as its steps say, and by itself when it is left."""

import json
from typing import Any

import httpx
import pytest

from mockserver.server.answering.render import Response
from mockserver.server.edge.app import App
from mockserver.server.recording.stepper import Outcome, ReplayTime, Stepper
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.server.recording.held import ask_and_wait, ask_at_once, load

LATER_MS = 1_900_000_000_000


@pytest.fixture
def stepper(app: App, api: httpx.Client, project: Project) -> Stepper:
    """Moves a server with calls that are held up."""
    load(api, project)
    stepper = Stepper(app.pipeline, ReplayTime(), None)
    stepper.take()
    return stepper


def test_an_answer_is_handed_over_at_once_unless_something_is_put_off(
    stepper: Stepper, app: App, project: Project
) -> None:
    handed: list[Outcome] = []
    plain, by_rule = (ask_at_once(app, project, contract) for contract in ("con_1", "named"))
    assert (plain.effects is None, by_rule.effects is None) == (True, False)
    stepper.keep(1, plain, handed.append)
    stepper.keep(2, by_rule, handed.append)
    assert handed == [plain, by_rule]
    assert [stepper.act(number) or stepper.advance(number) for number in (1, 2)] == [False, False]


def test_a_delayed_answer_is_handed_over_when_all_has_happened(
    stepper: Stepper, app: App, project: Project
) -> None:
    handed: list[Outcome] = []
    answer = ask_at_once(app, project, "late")
    assert stepper.number_of(answer) == 1
    stepper.keep(1, answer, handed.append)
    assert (stepper.act(1), handed, answer.delay_ms) == (True, [], 2)
    assert (stepper.act(1), handed, answer.delay_ms) == (True, [answer], 0)
    assert (stepper.act(1), handed) == (False, [answer])


def test_a_request_waits_until_the_steps_have_made_its_answer(
    stepper: Stepper, app: App, project: Project
) -> None:
    handed: list[Outcome] = []
    waiting = ask_and_wait(app, project, "held")
    assert stepper.number_of(waiting) == 1
    stepper.keep(1, waiting, handed.append)
    assert project.waiting == 1, "its project is not put away"
    assert (stepper.advance(1), project.waiting, handed) == (True, 1, [])
    assert (stepper.advance(1), project.waiting, handed) == (True, 0, [])
    assert (stepper.act(1), len(handed)) == (True, 1)
    assert (stepper.advance(1), project.waiting) == (False, 0)


def test_the_lines_are_taken_once(stepper: Stepper, app: App, project: Project) -> None:
    ask_at_once(app, project, "named")
    assert [[*line][1] for line in stepper.take()] == ["request", "answer"]
    assert stepper.take() == []
    stepper.end()
    assert [[*line] for line in stepper.take()] == [["end"]]


def test_the_lines_are_also_given_to_the_copy(app: App, project: Project) -> None:
    class Copy:
        def __init__(self) -> None:
            self.lines: list[dict[str, Any]] = []

        def write(self, line: dict[str, Any]) -> None:
            self.lines.append(line)

    copy = Copy()
    stepper = Stepper(app.pipeline, ReplayTime(), None, copy)
    ask_at_once(app, project, "con_1")
    assert copy.lines == stepper.take()
    assert [*copy.lines[0]] == ["mockserver_recording"]


# --- left to itself -------------------------------------------------------------------------------------


def test_what_can_still_be_sent_goes_on_when_the_replay_is_left(
    stepper: Stepper, app: App, project: Project
) -> None:
    handed: list[Outcome] = []
    waiting, late = ask_and_wait(app, project, "held"), ask_at_once(app, project, "late")
    stepper.keep(1, waiting, handed.append)
    stepper.keep(2, late, handed.append)
    generation = project.generation
    stepper.go_on(lambda: LATER_MS)
    assert handed == [waiting, late]
    assert (project.waiting, project.generation) == (0, generation)
    assert (stepper.advance(1), stepper.act(2)) == (False, False)
    made = waiting.finish()
    assert (made.status, b'"interrupted"' in made.body) == (404, False)


def test_what_cannot_be_sent_any_more_is_given_up_when_the_replay_is_left(
    stepper: Stepper, app: App, project: Project
) -> None:
    waiting = ask_and_wait(app, project, "held")
    stepper.keep(1, waiting)
    stepper.go_on(lambda: LATER_MS)
    assert project.waiting == 0
    made = waiting.finish()
    assert isinstance(made, Response)
    assert (made.status, b'"interrupted"' in made.body) == (409, True)


def test_time_goes_on_from_what_the_clocks_showed(app: App, world: World, project: Project) -> None:
    time = ReplayTime()
    time.now_ms = 1_000
    world.real_ms = time.real_ms
    project.clock.tick(1_000)
    began_ms = project.clock.now_ms
    stepper = Stepper(app.pipeline, time, None)
    time.now_ms = 1_007
    stepper.tick(project.id)
    stepper.tick("pro_none")
    (tick,) = (line for line in stepper.take() if "tick" in line)
    assert (tick["now_ms"], tick["real_ms"]) == (began_ms + 7, 1_007)
    later_ms = [LATER_MS]
    stepper.go_on(lambda: later_ms[0])
    assert app.pipeline.observer is None
    later_ms[0] += 3
    app.pipeline.catch_up(project)
    assert project.clock.now_ms == began_ms + 10
    assert [json.dumps([*line]) for line in stepper.take()] == ['["end"]']
