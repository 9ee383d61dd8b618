"""Attack a server for long: `python -m tests.adversary`, with `--seconds` or `--requests` for each attack."""

import argparse
import sys
import time
import traceback

from tests.adversary.attacks import ATTACKS, Attack
from tests.adversary.budget import Budget


def main() -> int:
    """Run the attacks; 1 if one of them was successful."""
    parser = argparse.ArgumentParser(prog="python -m tests.adversary", description=__doc__)
    parser.add_argument("--seconds", type=float, help="the time of each attack (60)")
    parser.add_argument("--requests", type=int, help="the attempts of each attack, each a request or more")
    parser.add_argument("--seed", default=str(time.time_ns()), help="what the attempts are drawn from")
    parser.add_argument("--attack", choices=ATTACKS, action="append", help="one of the attacks (all)")
    given = parser.parse_args()
    seconds = 60.0 if given.seconds is None and given.requests is None else given.seconds
    print(f"seed {given.seed}")
    failed = 0
    for name in given.attack or ATTACKS:
        budget = Budget(given.requests, seconds, f"{given.seed}/{name}")
        failed += not run(name, ATTACKS[name][0], budget)
    return int(failed > 0)


def run(name: str, attack: Attack, budget: Budget) -> bool:
    """Whether a server withstood an attack."""
    began = time.monotonic()
    try:
        attack(budget)
    except Exception:
        traceback.print_exc()
        print(f"{name}: successful with attempt {budget.spent}", flush=True)
        return False
    print(
        f"{name}: {budget.spent:,} attempts in {time.monotonic() - began:.0f} s, none successful", flush=True
    )
    return True


if __name__ == "__main__":
    sys.exit(main())
