"""A plugin of pytest: what the tests of a folder ask of an application is recorded, and has to replay.

python -m pytest -p tests.replay.replayed tests/operations [--masked]

A test may change the world by itself, which no recording has: a new recording begins then.
"""

from collections.abc import Iterator, Mapping
from inspect import signature
from typing import Any

import httpx
import pytest

from mockserver.errors import ApiError
from mockserver.server.edge.app import App
from mockserver.server.recording.opening import digests
from mockserver.server.recording.recordings import Recordings
from tests.replay.runs import play
from tests.transport import InProcessTransport

_CHANGES_MORE = {
    "test_a_state_that_the_history_has_lost_is_refused",
    "test_executing_ahead_changes_nothing",
    "test_what_the_history_has_lost_is_not_traced",
}
"""Tests that change what is in no digest."""
_BEYOND_MASKS = {
    "test_a_message_appears_in_the_outbox",
    "test_an_e_mail_configuration_rules_codes_and_passwords",
    "test_the_developers_own_users_have_shares",
    "test_what_is_wrong_with_an_import_is_named",
}
"""Tests of values whose placeholders are no such values: a wrong key, a password that lacks something."""
_RECORDINGS = "/_mock/recording"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option."""
    parser.addoption("--masked", action="store_true", help="record with placeholders for secrets")


@pytest.fixture(autouse=True)
def replayed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Record what the test asks, unless a replay would be another run: of one that patches the package."""
    test, masked = request.function, request.config.getoption("masked")
    does_more = "monkeypatch" in request.fixturenames or "app" in signature(test).parameters
    if does_more or test.__name__ in _CHANGES_MORE or (masked and test.__name__ in _BEYOND_MASKS):
        yield
        return
    watched: dict[App, _Watched] = {}
    handle, start = InProcessTransport.handle_request, Recordings.start

    def handle_watched(self: InProcessTransport, asked: httpx.Request) -> httpx.Response:
        app = self._app
        each = watched.setdefault(app, _Watched(app, masked))
        each.before(asked.url.path)
        answer = handle(self, asked)
        each.known = _digests(app)
        return answer

    def start_watched(self: Recordings, *args: Any, **options: Any) -> object:
        for each in watched.values():
            each.finish()
        return start(self, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(InProcessTransport, "handle_request", handle_watched)
        patch.setattr(Recordings, "start", start_watched)
        yield
        for each in watched.values():
            each.finish()


class _Watched:
    """An application, and the recording that is being made of it."""

    def __init__(self, app: App, masked: bool) -> None:
        self._app, self._masked = app, masked
        self._is_recording = False
        self.known: Mapping[str, str] = {}
        """The digests of its projects after the last request."""

    def before(self, path: str) -> None:
        """Begin a recording, if there is none that the next request can be in."""
        is_own = path.startswith(_RECORDINGS)
        if is_own or self.known != _digests(self._app):
            self.finish()
        if is_own or self._is_recording or self._app.pipeline.observer is not None:
            return
        for project in self._app.pipeline.world:
            # What the test has changed is permanent, as if a call had done it.
            project.undo.mark()
            project.record("control")
        try:
            self._app.recordings.start(masked=self._masked)
        except ApiError:
            # A request waits.
            return
        self._is_recording = True

    def finish(self) -> None:
        """End the recording, and replay it."""
        if not self._is_recording:
            return
        self._is_recording = False
        is_same = self.known == _digests(self._app)
        self._app.recordings.stop()
        lines = self._app.recordings.read().splitlines(keepends=True)
        # The last line has the digests of what the test has changed since.
        _, found = play(b"".join(lines if is_same else lines[:-1]))
        assert found == []


def _digests(app: App) -> Mapping[str, str]:
    return digests(app.pipeline.world, app.pipeline.world)
