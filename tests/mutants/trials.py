"""What is tried for each mutant, and what became of it, which is kept until the checkout changes."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.mutants.covering import CoverageMap
from tests.mutants.sites import Mutant

# Of the processor: a busy machine takes more of it than when the map was measured.
START_S = 20.0
SLOWER = 3.0


class Trial(NamedTuple):
    """A mutant and the tests that are asked, with the most seconds of the processor that they may take."""

    mutant: Mutant
    tests: Sequence[str]
    timeout_s: float


def trial_of(mutant: Mutant, tests: CoverageMap, budget_s: float) -> Trial:
    """What to run for a mutant."""
    chosen = tests.tests_for(mutant, budget_s)
    seconds = sum(test.seconds for test in chosen)
    return Trial(mutant, [test.id for test in chosen], START_S + SLOWER * seconds)


class Verdicts:
    """What became of trials, in a file beside the map: a run that was ended goes on where it was.

    A verdict is of the mutant, the tests that were asked and what their modules contained.
    """

    def __init__(self, root: Path, file: Path) -> None:
        self._root = root
        self._file = file
        self._known: dict[str, str] = {}
        if file.exists():
            rows = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
            self._known = {row["trial"]: row["verdict"] for row in rows}

    def get(self, trial: Trial) -> str | None:
        """The verdict about a trial, or None if it was not tried."""
        return self._known.get(self._digest(trial))

    def add(self, trial: Trial, verdict: str) -> None:
        """Keep a verdict."""
        row = {"trial": self._digest(trial), "verdict": verdict}
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def _digest(self, trial: Trial) -> str:
        digest = hashlib.sha256(repr((trial.mutant, trial.tests)).encode())
        for module in sorted({test.partition("::")[0] for test in trial.tests}):
            digest.update((self._root / module).read_bytes())
        return digest.hexdigest()[:32]
