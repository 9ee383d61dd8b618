"""Fixtures for all tests."""

import gc
from collections.abc import Iterator
from functools import cache, wraps
from typing import Any

# A pytest within a test unloads what it was the first to import, and anyio has one copy of this module only:
# with another, httpx would not know its exceptions.
import anyio._backends._asyncio  # noqa: F401
import pytest
from httpx import Client
from hypothesis import HealthCheck, settings

from mockserver.api.call import Call
from mockserver.api.common_errors import possible_errors
from mockserver.api.endpoint import Endpoint
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.errors import ApiError, ErrorRow
from mockserver.server.answering.in_progress import CallInProgress
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.answering.render import Response
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.described import undescribed
from tests.thoroughness import THOROUGHNESS
from tests.transport import InProcessTransport
from tests.wallet_auth import WalletAuth

# How long an example takes is the machine's affair: one that is busy would make tests fail that hold.
settings.register_profile(
    "unhurried",
    deadline=None,
    max_examples=50 * THOROUGHNESS,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("sample", settings.get_profile("unhurried"), max_examples=10)
settings.load_profile("unhurried")


def pytest_collection() -> None:
    """Have the garbage collector look at nothing while tests are collected: nearly all of it stays."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Have the garbage collector not walk through all that was collected, which takes a tenth of the time."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)


@pytest.fixture(scope="session")
def warning_options(pytestconfig: pytest.Config) -> tuple[str, ...]:
    """Options by which a pytest inside this one fails on the same warnings.

    A pytest in the same process collects what earlier tests left, and sees the warnings that this gives.
    """
    return tuple(option for line in pytestconfig.getini("filterwarnings") for option in ("-W", line))


@pytest.fixture(autouse=True, scope="session")
def few_plugins() -> Iterator[None]:
    """A pytest that a test starts loads what it needs: all that are installed take it a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        patch.setenv("PYTEST_PLUGINS", "mockserver.pytest_plugin,xdist.plugin")
        yield


@pytest.fixture(autouse=True, scope="session")
def observed_acts() -> Iterator[list[str]]:
    """What operations have done that they do not declare: errors, transactions, answers.

    Patched once, as to patch and to restore for each test takes longer than most tests.
    """
    found: list[str] = []
    refuse, call_handler, send = CallInProgress.refuse, CallInProgress._call_handler, Pipeline._send

    def refuse_watched(self: CallInProgress, raised: Exception) -> Response:
        endpoint = self.endpoint
        if isinstance(raised, ApiError) and endpoint and raised.row not in declared_errors(endpoint):
            found.append(f"{endpoint.operation} refuses with {raised.row.code}, which it does not declare")
        return refuse(self, raised)

    def call_watched(self: CallInProgress, endpoint: Endpoint, call: Call[Any, Any, Any]) -> object:
        rows = None if call.project is None else call.project.onchain.transactions
        before = 0 if rows is None else rows._next_number
        outcome = call_handler(self, endpoint, call)
        is_own = endpoint.family.public and not endpoint.transacts
        if is_own and rows is not None and rows._next_number > before:
            found.append(f"{endpoint.operation} creates a transaction, which it does not declare")
        return outcome

    @wraps(send)
    def send_watched(self: Pipeline, call: CallInProgress, response: Response) -> Response:
        sent = send(self, call, response)
        effects = call.effects
        by_rule = effects is not None and (
            effects.answer or effects.error or effects.then.patches or effects.fault
        )
        if call.endpoint is not None and not by_rule:
            found.extend(undescribed(call.endpoint, sent))
        return sent

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CallInProgress, "refuse", refuse_watched)
        patch.setattr(CallInProgress, "_call_handler", call_watched)
        patch.setattr(Pipeline, "_send", send_watched)
        yield found


@pytest.fixture(autouse=True)
def as_declared(observed_acts: list[str]) -> Iterator[None]:
    """Whatever a test does, no operation does what neither it nor the OpenAPI document declares."""
    observed_acts.clear()
    yield
    assert not observed_acts, f"not as declared: {observed_acts}"


@cache
def declared_errors(endpoint: Endpoint) -> frozenset[ErrorRow]:
    """Everything that an endpoint may refuse with."""
    return frozenset(possible_errors(endpoint))


@pytest.fixture
def world() -> World:
    """A world without projects."""
    return World()


@pytest.fixture
def app(world: World) -> App:
    """The application that serves it."""
    return assemble(world)


@pytest.fixture
def project(world: World) -> Project:
    """The project that `api` talks to."""
    return world.create(name="tests")


@pytest.fixture
def api(app: App, project: Project) -> Iterator[Client]:
    """A client that sends the project's secret key."""
    headers = {"authorization": f"Bearer {project.secret_key}"}
    with Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as client:
        yield client


@pytest.fixture
def backend(api: Client, project: Project) -> Client:
    """`api`, and every request signed with the project's wallet secret."""
    api.auth = WalletAuth(default_secret(project))
    return api
