"""Change the package in small ways, one at a time, and report the changes that no test notices.

python -m tests.mutants --seed 7 --count 200 --jobs 2
"""

import argparse
import random
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.mutants.covering import CoverageMap
from tests.mutants.measuring import measured_parts
from tests.mutants.running import Workshop, copy_checkout, preload
from tests.mutants.sites import Mutant, mutants_of

ROOT = Path(__file__).parents[2]
# A busy machine takes several times as long as when the map was measured.
START_S = 30.0
SLOWER = 5.0


class Trial(NamedTuple):
    """A mutant and the tests that are asked, with the most seconds that they may take."""

    mutant: Mutant
    tests: Sequence[str]
    timeout_s: float


def main() -> int:
    """Draw a sample and try it; 1 if less of it was killed than has to be."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", default="0", help="what the sample is drawn from (0)")
    parser.add_argument("--count", type=int, default=200, help="how many mutants (200)")
    parser.add_argument("--jobs", type=int, default=1, help="how many are tried at a time (1)")
    parser.add_argument(
        "--budget", type=float, default=60, help="seconds of tests a mutant, without load (60)"
    )
    parser.add_argument("--only", default="mockserver", help="change files whose path begins so (mockserver)")
    parser.add_argument("--least", type=float, default=0, help="per cent that has to be killed (0)")
    given = parser.parse_args()
    # Who ends this program ends what it started, and leaves no copies.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="mutants-") as work:
        tests = CoverageMap.read(ROOT, measured_parts(ROOT, Path(work), given.jobs))
        sample = draw(ROOT, given.only, given.seed, given.count)
        trials = [trial_of(mutant, tests, given.budget) for mutant in sample]
        survivors = [
            each for each, verdict in verdicts(trials, Path(work), given.jobs) if verdict == "survived"
        ]
    for mutant in sorted(survivors, key=lambda each: (each.file, each.line)):
        print(f"\n{mutant.file}:{mutant.line}: {mutant.kind}")
        print(mutant.diff((ROOT / mutant.file).read_bytes()), end="")
    killed = len(sample) - len(survivors)
    rate = 100 * killed / max(len(sample), 1)
    print(f"\nseed {given.seed}: {killed} of {len(sample)} mutants killed, {rate:.1f} %")
    return 1 if rate < given.least else 0


def draw(root: Path, only: str, seed: str, count: int) -> list[Mutant]:
    """So many mutants of the package's files, as many of each kind as there are."""
    kinds: dict[str, list[Mutant]] = defaultdict(list)
    for path in sorted((root / "mockserver").rglob("*.py")):
        file = path.relative_to(root).as_posix()
        if file.startswith(only):
            for mutant in mutants_of(file, path.read_bytes()):
                kinds[mutant.kind].append(mutant)
    chance = random.Random(seed)
    for kind in sorted(kinds):
        chance.shuffle(kinds[kind])
    drawn: list[Mutant] = []
    while len(drawn) < count and any(kinds.values()):
        for kind in sorted(kinds):
            drawn += [kinds[kind].pop()] if kinds[kind] else []
    return drawn[:count]


def trial_of(mutant: Mutant, tests: CoverageMap, budget_s: float) -> Trial:
    """What to run for a mutant."""
    chosen = tests.tests_for(mutant, budget_s)
    seconds = sum(test.seconds for test in chosen)
    return Trial(mutant, [test.id for test in chosen], START_S + SLOWER * seconds)


def verdicts(trials: Sequence[Trial], work: Path, jobs: int) -> Iterator[tuple[Mutant, str]]:
    """What became of each mutant, told as soon as it is known."""
    preload()
    idle: list[Workshop] = []
    for number in range(jobs):
        copy_checkout(ROOT, work / f"copy-{number}")
        idle.append(Workshop(work / f"copy-{number}"))
    waiting, busy = list(reversed(trials)), list[tuple[Workshop, Trial]]()
    try:
        while waiting or busy:
            while waiting and idle:
                trial, workshop = waiting.pop(), idle.pop()
                workshop.start(trial.mutant, trial.tests, trial.timeout_s)
                busy.append((workshop, trial))
            for workshop, trial in tuple(busy):
                verdict = workshop.verdict()
                if verdict is not None:
                    busy.remove((workshop, trial))
                    idle.append(workshop)
                    mutant = trial.mutant
                    print(f"{verdict:9} {mutant.file}:{mutant.line} {mutant.kind}", flush=True)
                    yield mutant, verdict
            time.sleep(0.02)
    finally:
        for workshop, _ in busy:
            workshop.stop()


if __name__ == "__main__":
    sys.exit(main())
