"""A plugin of pytest: what a test has asked of an application in process is asked once more, changed.

python -m pytest -p tests.adversary.changed_requests tests/operations [--changed-seed 7]
"""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from mockserver.api.call import Request
from mockserver.api.values import read_json
from mockserver.domain.wallets.wallet_auth import sign_request
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.server.answering.render import Response
from mockserver.server.edge.app import App
from tests.server.robustness.requests import NUMBERS, WORDS
from tests.server.robustness.stage import check_envelope
from tests.transport import InProcessTransport

CHANGES = 10
"""How many changed requests come after a test."""
MOST_BYTES = 64 * 1024


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option."""
    parser.addoption("--changed-seed", default="", help="what the changes are drawn from")


@pytest.fixture(autouse=True)
def asked_again(as_declared: None, request: pytest.FixtureRequest) -> Iterator[None]:
    """Ask once more: nothing fails, errors are in their envelopes, and all is as it is declared."""
    asked: dict[App, list[Request]] = {}
    respond = InProcessTransport._respond

    def respond_watched(self: InProcessTransport, sent: Request) -> Response:
        asked.setdefault(self._app, []).append(replace(sent))
        return respond(self, sent)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(InProcessTransport, "_respond", respond_watched)
        yield
    chance = random.Random(request.config.getoption("--changed-seed") + request.node.nodeid)
    for app, requests in asked.items():
        bodies = [read_json(each.body) for each in requests]
        for sent in chance.choices(requests, k=CHANGES):
            body = _changed(chance, read_json(sent.body), bodies)
            _ask(app, replace(sent, body=json.dumps(body).encode()))


def _ask(app: App, sent: Request) -> None:
    failures: list[str] = []
    app.pipeline.server.on_failure = failures.append
    own = app.pipeline.find_project(sent)
    if own is not None and "x-wallet-auth" in sent.headers:
        now_s = own.clock.now_ms // 1000
        token = sign_request(default_secret(own), sent.method, sent.path, sent.body, now_s)
        sent.headers = {**sent.headers, "x-wallet-auth": token}
    response = app.pipeline.finish(app.pipeline.answer(sent))
    assert failures == [], sent
    if response.rule is None and len(response.body) < MOST_BYTES:
        check_envelope(sent, response)


def _changed(chance: random.Random, value: Any, bodies: list[Any]) -> Any:
    """A value with another one somewhere in it."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        name = chance.choice([*value])
        return value | {name: _changed(chance, value[name], bodies)}
    if isinstance(value, list) and value and chance.random() < 0.9:
        place = chance.randrange(len(value))
        return [*value[:place], _changed(chance, value[place], bodies), *value[place + 1 :]]
    return chance.choice((*WORDS, *NUMBERS, None, True, [], {}, [value], {"a": value}, chance.choice(bodies)))
