"""Fixtures for exports."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from httpx import Client, TransportError

from mockserver.replay.export.history import History
from mockserver.server.edge.app import App
from tests.replay.recorded import history_of

Recorded = Callable[..., History]


@pytest.fixture
def recorded(app: App, api: Client) -> Recorded:
    """Makes the history of calls that are recorded."""

    def history(*calls: tuple[str, str, dict[str, Any]]) -> History:
        app.recordings.start()
        for method, path, options in calls:
            # A fault may leave a call without an answer.
            with suppress(TransportError):
                api.request(method, path, **options)
        return history_of(app)

    return history
