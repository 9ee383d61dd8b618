"""A recorded run replays to the same bytes and rows, and what was changed in it is located."""

import json
from pathlib import Path

import pytest

from mockserver.testing.server import LiveServer
from tests.replay.runs import RULES, Client, mixed_run, play, replay_elsewhere
from tests.tables import cases


@pytest.fixture(scope="module")
def recorded() -> bytes:
    """The run of several clients at once."""
    with LiveServer() as server:
        return mixed_run(server.control, server.url, count=16, rounds=2)


def test_a_run_of_several_clients_at_once_replays_step_by_step(recorded: bytes) -> None:
    player, found = play(recorded)
    assert found == []
    assert player.number > 400
    lines = [json.loads(line) for line in recorded.splitlines()]
    answers = [line["answer"] for line in lines if "answer" in line]
    assert any("waits" in line for line in lines)
    assert any("tick" in line for line in lines)
    assert {answer.get("fault") for answer in answers} > {"connection_reset_by_peer", "slow_response"}
    settled = sum('"status":"successful"' in answer.get("body", "") for answer in answers)
    assert settled > 16, "most of 32 transfers succeed: a restore interrupts some"


def test_it_replays_in_another_process_with_other_hashes(recorded: bytes, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(recorded)
    report = replay_elsewhere(file)
    assert (report["code"], report["differing"]) == (0, 0)


@cases("mode", "ticking", "frozen")
def test_what_a_rule_puts_off_replays(mode: str) -> None:
    with LiveServer() as server:
        project = server.control.create_project(name="held", clock={"mode": mode})
        project.load(RULES)
        server.control.start_recording()
        client = Client(project, server.url, 1)
        for path in ("held", "late", "held"):
            client.call("GET", f"/v1/contracts/{path}")
        recorded = server.control.stop_recording()
        client.close()
    player, found = play(recorded)
    assert (found, player.number) == ([], 3)
    assert b'"resume"' in recorded


def test_a_difference_at_the_end_is_of_no_request() -> None:
    with LiveServer() as server:
        project = server.control.create_project(name="held")
        project.load(RULES)
        server.control.start_recording()
        client = Client(project, server.url, 1)
        client.call("GET", "/v1/contracts/held")
        client.close()
        lines = server.control.stop_recording().splitlines(keepends=True)
    waits = next(place for place, line in enumerate(lines) if b'"waits":true' in line)
    _, (found,) = play(b"".join([*lines[: waits + 1], lines[-1]]))
    assert (found.number, found.request) == (1, None)
    assert [*found.expected] == ["end"]
