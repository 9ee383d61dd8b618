"""Change the package in small ways, one at a time, and report the changes that neither tests nor mypy notice.

Of a mutant that no test kills, mypy is asked: a change that it refuses cannot be merged. So `x or ""`
without its second operand is no gap of the tests where the type says that x may be None, and is one where
only its being empty does. Both numbers are reported, with and without what mypy refuses.

python -m tests.mutants --seed 7 --count 200 --jobs 2
"""

import argparse
import random
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.mutants.covering import CoverageMap
from tests.mutants.measuring import measured_parts
from tests.mutants.running import Workshop, copy_checkout, preload
from tests.mutants.sites import Mutant, mutants_of
from tests.mutants.trials import Trial, Verdicts, trial_of
from tests.mutants.typechecking import TypeChecker

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Draw a sample and try it; 1 if less of it was noticed than has to be."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", default="0", help="what the sample is drawn from (0)")
    parser.add_argument("--count", type=int, default=200, help="how many mutants (200)")
    parser.add_argument("--jobs", type=int, default=1, help="how many are tried at a time (1)")
    parser.add_argument(
        "--budget", type=float, default=30, help="seconds of tests a mutant, without load (30)"
    )
    parser.add_argument("--only", default="mockserver", help="change files whose path begins so (mockserver)")
    parser.add_argument("--least", type=float, default=0, help="per cent that has to be noticed (0)")
    given = parser.parse_args()
    # Who ends this program ends what it started, and leaves no copies.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sample = draw(ROOT, given.only, given.seed, given.count)
    with tempfile.TemporaryDirectory(prefix="mutants-") as work:
        parts = measured_parts(ROOT, Path(work), given.jobs)
        tests = CoverageMap.read(ROOT, parts)
        for test in tests.failed:
            print(f"not asked, since it fails without a mutant: {test}")
        kept = Verdicts(ROOT, parts[0].with_name("verdicts.jsonl"))
        trials = [trial_of(mutant, tests, given.budget) for mutant in sample]
        found = dict(verdicts(trials, kept, Path(work), given.jobs))
    killed, noticed = report(found)
    print(f"seed {given.seed}: {killed:.1f} % killed by tests, {noticed:.1f} % noticed by tests or mypy")
    return 1 if noticed < given.least else 0


def report(found: dict[Mutant, str]) -> tuple[float, float]:
    """Print what became of a sample; the per cent that tests killed, and with what mypy refuses."""
    for mutant in sorted(found, key=lambda each: (each.file, each.line)):
        if found[mutant] == "survived":
            source = (ROOT / mutant.file).read_bytes()
            print(f"\n{mutant.file}:{mutant.line}: {mutant.kind}")
            print(mutant.diff(source), end="")
    counts = Counter(found.values())
    noticed = len(found) - counts["survived"]
    killed = noticed - counts["refused"]
    print(f"\n{killed} of {len(found)} mutants were killed, {counts['timeout']} of them by a time-out")
    print(f"mypy refuses {counts['refused']} of the others")
    return 100 * killed / max(len(found), 1), 100 * noticed / max(len(found), 1)


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


def verdicts(trials: Sequence[Trial], kept: Verdicts, work: Path, jobs: int) -> Iterator[tuple[Mutant, str]]:
    """What became of each mutant, told as soon as it is known."""
    known = {trial.mutant: verdict for trial in trials if (verdict := kept.get(trial))}
    yield from known.items()
    copy_checkout(ROOT, work / "typed")
    checker = TypeChecker(ROOT, work / "typed")
    preload()
    idle: list[Workshop] = []
    for number in range(jobs):
        copy_checkout(ROOT, work / f"copy-{number}")
        idle.append(Workshop(work / f"copy-{number}"))
    waiting = [trial for trial in reversed(trials) if trial.mutant not in known]
    busy = list[tuple[Workshop, Trial]]()
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
                    if verdict == "survived" and checker.refuses(mutant):
                        verdict = "refused"
                    kept.add(trial, verdict)
                    print(f"{verdict:9} {mutant.file}:{mutant.line} {mutant.kind}", flush=True)
                    yield mutant, verdict
            time.sleep(0.02)
    finally:
        for workshop, _ in busy:
            workshop.stop()


if __name__ == "__main__":
    sys.exit(main())
