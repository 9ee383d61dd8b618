"""Any random run: going back to an exchange gives its state, and a fork answers as its original did."""

import json
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from httpx import Client, Response
from hypothesis import HealthCheck, settings

from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.saved.encoding import state_lines
from mockserver.state.saved.rewinding import copy_of, rewind
from mockserver.state.world import World
from mockserver.testing.client import MockServer
from mockserver.testing.project import MockProject
from tests.simulation.test_world import Model, TwoProjects
from tests.thoroughness import THOROUGHNESS
from tests.transport import InProcessTransport


class Asked(NamedTuple):
    """A request to a project, and its answer."""

    which: int
    after: int
    """The number of the exchange before it."""
    method: str
    path: str
    body: object
    token: str | None
    answer: Response


class Watched(TwoProjects):
    """Two projects whose states are remembered."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        transport = InProcessTransport(assemble(self.world))
        server = MockServer("http://mock", transport=transport)
        self.client = Client(transport=transport, base_url="http://mock")
        self.projects: list[MockProject] = [server.create_project(name=name) for name in ("left", "right")]
        self.models = [Model(), Model()]
        self.asked: list[Asked] = []
        self.states: dict[tuple[int, int], list[Any]] = {}

    def project(self, which: int) -> Project:
        found = self.world.get(self.projects[which].id)
        assert found is not None
        return found

    def call(self, which: int, method: str, path: str, body: object = None, token: str | None = None) -> Any:
        project = self.project(which)
        after = project.history.last_number
        answer = super().call(which, method, path, body, token)
        self.asked.append(Asked(which, after, method, path, body, token, answer))
        self.states[which, project.history.last_number] = lines_of(project)
        return answer

    def teardown(self) -> None:
        super().teardown()
        # Some of them, the first and the last included: each costs as much as all rows.
        every = max(1, len(self.states) // 10)
        for (which, number), lines in [*self.states.items()][::-every]:
            project = self.project(which)
            exchange = project.history.get(number)
            assert exchange is not None
            assert lines_of(copy_of(project, rewind(project, exchange)), exchange.at_ms) == lines
        for which in (0, 1):
            self.fork_answers_alike(which)

    def fork_answers_alike(self, which: int) -> None:
        """Ask a fork what its original was asked, up to the next thing that is asked of the control API."""
        project, given = self.project(which), self.projects[which]
        began = project.history.get(project.history.last_number // 2)
        if began is None:
            return
        later = [each for each in self.asked if each.which == which and each.after >= began.number]
        until = first_control(project, began.number)
        fork = given.fork(began.number)
        held = self.world.get(fork.id)
        assert held is not None
        rename = renaming(project, held)
        for asked in later:
            exchange = project.history.get(asked.after + 1)
            if exchange is None or exchange.number >= until:
                return
            if exchange.at_ms != held.clock.now_ms:
                return
            self.projects[which] = fork
            token = None if asked.token is None else rename(asked.token)
            got = super().call(which, asked.method, asked.path, asked.body, token)
            self.projects[which] = given
            assert got.status_code == asked.answer.status_code
            assert got.text == rename(asked.answer.text)


def first_control(project: Project, number: int) -> float:
    """The first event after another one that no call of the API made: a move of the clock, or a restore."""
    numbers = [event.number for event in project.history.since(number) if event.cause != "call"]
    return min(numbers, default=math.inf)


def lines_of(project: Project, now_ms: int | None = None) -> list[Any]:
    """The state of a project as data."""
    state = project.snapshot()
    if now_ms is not None:
        state = state._replace(circumstances=state.circumstances._replace(now_ms=now_ms))
    return [json.loads(json.dumps(line)) for line in state_lines(state, {})]


def renaming(source: Project, fork: Project) -> Callable[[str], str]:
    """From what the original says to what the fork says; tokens from before the fork are the same in both."""
    token = re.compile(f"{source.token_tag}[A-Za-z0-9]+")
    shared = set(token.findall(json.dumps(lines_of(fork))))

    def rename_token(found: re.Match[str]) -> str:
        return found[0] if found[0] in shared else found[0].replace(source.token_tag, fork.token_tag)

    pairs = (
        (source.id, fork.id),
        (source.secret_key, fork.secret_key),
        (source.publishable_key, fork.publishable_key),
    )

    def rename(text: str) -> str:
        for before, after in pairs:
            text = text.replace(before, after)
        return token.sub(rename_token, text)

    return rename


Watched.TestCase.settings = settings(
    max_examples=6 * THOROUGHNESS,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestTimeTravel = Watched.TestCase
