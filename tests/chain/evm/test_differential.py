"""Random transactions, judged by the executable specification of Ethereum.

`MOCKSERVER_EVM_JUDGE` names a Python that has `ethereum-execution`, `MOCKSERVER_EVM_RUNS` the number of
transactions, `MOCKSERVER_EVM_SEED` the first seed. `.ci/evm` makes such an environment and runs this.
"""

import json
import os
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mockserver.chain.evm.frames import Unsupported
from mockserver.chain.evm.transactions import InvalidTransaction
from mockserver.chain.serialized_transactions import read_signed
from mockserver.errors import RpcError
from mockserver.kernel.effort import finish
from mockserver.nodes.evm.struct_logs import StructLogs
from tests.chain.evm.machines import apply
from tests.chain.evm.random_cases import make_case
from tests.chain.evm.test_state_tests import differs, read_accounts, read_environment, to_bytes

JUDGE = os.environ.get("MOCKSERVER_EVM_JUDGE")
RUNS = int(os.environ.get("MOCKSERVER_EVM_RUNS", "300"))
SEED = int(os.environ.get("MOCKSERVER_EVM_SEED", "0"))


pytestmark = pytest.mark.skipif(
    JUDGE is None, reason="MOCKSERVER_EVM_JUDGE does not name a Python with ethereum-execution"
)


@cache
def judged_cases() -> list[dict[str, Any]]:
    """Programs of all instructions, calls of each other, creations, precompiled contracts, delegations."""
    cases = "".join(json.dumps(make_case(seed)) + "\n" for seed in range(SEED, SEED + RUNS))
    script = Path(__file__).parent / "judge.py"
    judged = subprocess.run(
        [str(JUDGE), script], input=cases, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()
    assert len(judged) == RUNS
    return [*map(json.loads, judged)]


def test_random_transactions_end_as_the_specification_says() -> None:
    wrong = [f"{case['name']} {case['fork']}: {found}" for case in judged_cases() if (found := differs(case))]
    assert not wrong


def test_struct_logs_are_the_steps_of_the_specification() -> None:
    wrong = []
    for case in judged_cases():
        logs = StructLogs({"enableMemory": True})
        transaction, _ = read_signed(to_bytes(case["raw"]))
        # A trace that is larger than a node gives is none.
        with suppress(Unsupported, InvalidTransaction, RpcError):
            finish(apply(read_accounts(case["pre"]), read_environment(case), transaction, logs))
            # The specification has no names for bytes that are no instructions.
            found = [log for log in logs.logs if log["op"] != "INVALID" and " " not in log["op"]]
            expected = case["structLogs"]
            ours = [
                _step_of(log, has_cost=each[3] is not None)
                for log, each in zip(found, expected, strict=False)
            ]
            if ours != expected or len(found) != len(expected):
                wrong.append(f"{case['name']} {case['fork']}")
    assert not wrong


def _step_of(log: dict[str, Any], *, has_cost: bool) -> list[Any]:
    cost = log["gasCost"] if has_cost else None
    words = len(log.get("memory", ()))
    return [log["pc"], log["op"], log["gas"], cost, log["depth"], log["stack"], words]
