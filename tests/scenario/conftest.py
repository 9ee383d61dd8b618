"""What the tests of scenarios share."""

from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest
from httpx import Client, Response

from mockserver.api.endpoint import Routes
from mockserver.scenario.checking.load import read
from mockserver.scenario.running.apply import apply
from mockserver.server.assembly import ENDPOINTS
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.requests import LoadedScenario
from mockserver.state.world import World

Load = Callable[[str], LoadedScenario]
Everything = Callable[[], Any]


@pytest.fixture(scope="session")
def routes() -> Routes:
    """Every operation there is."""
    return Routes(ENDPOINTS)


def transact(api: Client, project: Project, idempotency_key: str = "", **members: Any) -> Response:
    """Send a coin's smallest part somewhere, from the first account."""
    account_id = next(iter(project.wallets.accounts)).id
    calls = [{"to": f"0x{1:040x}", "value": "1"}]
    body = {"accountId": account_id, "chainId": 80002, "calls": calls, **members}
    headers = {"x-idempotency-key": idempotency_key} if idempotency_key else {}
    return api.post("/v2/transactions", json=body, headers=headers)


@pytest.fixture
def load(app: App, world: World, project: Project, routes: Routes) -> Load:
    """Loads a scenario's text into the project that `api` talks to."""

    def load_text(text: str) -> LoadedScenario:
        return apply(world, project, read(dedent(text), "test.yaml", routes), app.pipeline.answer)

    return load_text


@pytest.fixture
def everything(world: World, project: Project) -> Everything:
    """Reads all that a scenario could change: rows, clock, chance, timers, settings, keys, journal."""

    def read_everything() -> Any:
        rows = [[*table] for table in project.tables]
        keys = {text: (key.kind, key.scopes) for text, key in world.keys_of(project).items()}
        return (
            rows,
            project.clock.read(),
            project.entropy.draws(),
            project.entropy.derive("test", 8),
            project.seed,
            project.timers.pending(),
            project.timers.next_number,
            project.settings,
            project.scenario_state,
            keys,
            [other.id for other in world],
            project.history.calls,
        )

    return read_everything
