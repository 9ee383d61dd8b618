"""Random transactions, judged by the executable specification of Ethereum.

`MOCKSERVER_EVM_JUDGE` names a Python that has `ethereum-execution`, `MOCKSERVER_EVM_RUNS` the number of
transactions, `MOCKSERVER_EVM_SEED` the first seed. `.ci/evm` makes such an environment and runs this.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.chain.evm.random_cases import make_case
from tests.chain.evm.test_state_tests import differs

JUDGE = os.environ.get("MOCKSERVER_EVM_JUDGE")
RUNS = int(os.environ.get("MOCKSERVER_EVM_RUNS", "300"))
SEED = int(os.environ.get("MOCKSERVER_EVM_SEED", "0"))


@pytest.mark.skipif(
    JUDGE is None, reason="MOCKSERVER_EVM_JUDGE does not name a Python with ethereum-execution"
)
def test_random_transactions_end_as_the_specification_says() -> None:
    """Programs of all instructions, calls of each other, creations, precompiled contracts, delegations."""
    cases = "".join(json.dumps(make_case(seed)) + "\n" for seed in range(SEED, SEED + RUNS))
    script = Path(__file__).parent / "judge.py"
    judged = subprocess.run(
        [str(JUDGE), script], input=cases, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert len(judged) == RUNS
    wrong = [
        f"{case['name']} {case['fork']}: {found}"
        for case in map(json.loads, judged)
        if (found := differs(case))
    ]
    assert not wrong
