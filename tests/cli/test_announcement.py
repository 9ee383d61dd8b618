"""What `serve` prints once it is ready."""

import pytest

from mockserver.launch.announcement import Ready, announce
from mockserver.state.world import World


def test_page_and_reference_are_announced_by_their_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    project = World().create(name="default")
    announce(Ready("http://127.0.0.1:4242", project, project, None, False, None, "ticking"), None)
    printed = capsys.readouterr().out.splitlines()
    assert "  page           http://127.0.0.1:4242/_mock/" in printed
    assert "  clock          ticking" in printed
    assert "  reference      http://127.0.0.1:4242/_mock/docs" in printed
