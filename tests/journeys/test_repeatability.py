"""The same requests in the same order give the same bytes, in every process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def tell(folder: Path, *wanted: tuple[str, str]) -> list[str]:
    """What the story heard with each seed and PYTHONHASHSEED, told by processes of their own."""
    files = [folder / f"{number}.txt" for number in range(len(wanted))]
    told = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.journeys.story", seed, str(file)],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )
        for (seed, hash_seed), file in zip(wanted, files, strict=True)
    ]
    assert [process.wait() for process in told] == [0] * len(wanted)
    return [file.read_text() for file in files]


@pytest.mark.journey
def test_two_processes_with_the_same_seed_hear_the_same_bytes(tmp_path: Path) -> None:
    first, second, other_seed = tell(tmp_path, ("one", "0"), ("one", "4242"), ("two", "0"))
    assert len(first.splitlines()) > 25
    assert first == second
    assert first != other_seed
