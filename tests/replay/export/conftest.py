"""Fixtures for exports."""

from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import Any

import pytest
from httpx import Client, TransportError

from mockserver.replay.export.history import History, read_history
from mockserver.replay.shrinking.run import read_run
from mockserver.server.edge.app import App

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
        app.recordings.stop()
        return read_history(read_run(BytesIO(app.recordings.read())))

    return history
