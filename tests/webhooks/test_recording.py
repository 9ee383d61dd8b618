"""Recordings have what was delivered, and a replay sends nothing."""

from pathlib import Path

from mockserver.cli import main
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import mock, server
from tests.replay.runs import play
from tests.tables import cases
from tests.webhooks.receivers import receiving
from tests.webhooks.test_sending import announce

__all__ = ["mock", "server"]


def record(server: LiveServer, mock: MockProject, file: Path, url: str, *, masked: bool = False) -> bytes:
    """A recording with a webhook that fails, is sent again, and of which one is lost."""
    server._run_there(lambda: server.app.recordings.start(file, masked=masked))
    mock.webhooks.subscribe(url, "test", "user.created")
    mock.webhooks.subscribe(mock.webhooks.inbox("a"), "test")
    mock.webhooks.fate("lost", topic="user.created")
    announce(mock)
    mock.webhooks.wait(status="waiting")
    mock.clock.advance(seconds=5)
    while not mock.webhooks.list(status="failed"):
        mock.webhooks.wait(status="failed")
    mock.given.user()
    server.stop_recording()
    return file.read_bytes()


@cases("masked", True, False)
def test_a_replay_finds_no_difference_and_sends_nothing(
    server: LiveServer, mock: MockProject, tmp_path: Path, masked: bool
) -> None:
    mock.change(webhook_retries_ms=[5000])
    with receiving(503) as receiver:
        recorded = record(server, mock, tmp_path / "run.jsonl", receiver.url, masked=masked)
        count = len(receiver.got)
        player, found = play(recorded)
        assert len(receiver.got) == count == 2
    assert (found, player.number > 5) == ([], True)


@cases("masked", True, False)
def test_a_replay_at_a_server_sends_nothing(
    server: LiveServer, mock: MockProject, tmp_path: Path, masked: bool
) -> None:
    mock.change(webhook_retries_ms=[5000])
    with receiving(503) as receiver, LiveServer() as other:
        record(server, mock, tmp_path / "run.jsonl", receiver.url, masked=masked)
        count = len(receiver.got)
        assert main(["replay", str(tmp_path / "run.jsonl"), "--url", other.url]) == 0
        assert len(receiver.got) == count


@cases("before, after", (b'"status":503', b'"status":200'))
def test_a_replay_compares_what_would_be_sent(
    server: LiveServer, mock: MockProject, tmp_path: Path, before: bytes, after: bytes
) -> None:
    mock.change(webhook_retries_ms=[5000])
    with receiving(503) as receiver:
        recorded = record(server, mock, tmp_path / "run.jsonl", receiver.url)
    _, found = play(recorded.replace(before.replace(b'"', rb"\""), after.replace(b'"', rb"\""), 1))
    assert found
