"""Keep random cases with their outcomes, for those who run the tests without the judge.

MOCKSERVER_EVM_JUDGE=/path/to/python MOCKSERVER_EVM_RUNS=400 python -m tests.chain.evm.keep
"""

import gzip
import json
from typing import Any

from tests.chain.evm.test_differential import judged_cases
from tests.chain.evm.test_state_tests import KEPT


def traits_of(case: dict[str, Any]) -> set[object]:
    """What a case has in it: forks with instructions, their costs, and what is called."""
    fork, steps = case["fork"], case.get("structLogs", ())
    found: set[object] = {(fork, case["raw"][:4], case.get("rejected", case.get("status")))}
    for _, name, _, cost, _, stack, _ in steps:
        found |= {(fork, name), (name, cost)}
        found |= {(name, stack[-2])} if "CALL" in name and len(stack) > 1 else set()
    return found


def main() -> None:
    """Write the shortest cases that have everything together."""
    seen: set[object] = set()
    kept = []
    for case in sorted(judged_cases(), key=lambda case: len(json.dumps(case))):
        traits = traits_of(case)
        if not traits <= seen:
            seen |= traits
            case.pop("structLogs", None)
            kept.append(json.dumps(case, separators=(",", ":")) + "\n")
    KEPT.write_bytes(gzip.compress("".join(kept).encode(), mtime=0))


if __name__ == "__main__":
    main()
