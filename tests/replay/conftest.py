"""Fixtures for recordings."""

from pathlib import Path

import pytest

from mockserver.server.edge.app import App
from tests.replay.recorded import Record


@pytest.fixture
def record(app: App, tmp_path: Path) -> Record:
    """Ends the recording that has begun; its file."""
    path = tmp_path / "run.jsonl"
    app.recordings.start(path)

    def end() -> Path:
        app.recordings.close()
        return path

    return end
