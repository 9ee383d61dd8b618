"""The proof of record and replay, small: `python -m tests.replay.proof` makes a long one."""

import sys
from pathlib import Path

from tests.replay.proof import describe, record, replay_at, serve
from tests.replay.runs import play, replay_elsewhere
from tests.thoroughness import THOROUGHNESS


def test_a_mixed_run_replays_without_a_difference(tmp_path: Path) -> None:
    # Two rounds: in the second one clocks are moved and states restored.
    recording = record(300 * THOROUGHNESS, clients=4)
    found = describe(recording)
    assert found["requests"] >= 300 * THOROUGHNESS
    assert found["transactions"]["successful"] > sum(found["transactions"].values()) / 2
    assert min(found["faults"], found["waits"]) > 0
    player, differing = play(recording.raw)
    assert (player.number, differing) == (found["requests"], [])
    file = tmp_path / "run.jsonl"
    file.write_bytes(recording.raw)
    assert replay_elsewhere(file, seed="11")["differing"] == 0
    with serve(sys.executable, "asyncio", 12, tmp_path) as url:
        report = replay_at(url, file)
    assert (report["exchanges"], report["differing"]) == (found["requests"], 0)
