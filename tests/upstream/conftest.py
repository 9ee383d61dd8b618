"""What tests of recordings of a service share."""

from pathlib import Path

import pytest


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the recording is to be."""
    return tmp_path / "real.jsonl"
