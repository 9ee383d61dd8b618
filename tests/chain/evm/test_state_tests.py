"""State tests of Ethereum: accounts, storage, gas, status and logs after each transaction.

Some random ones, which the executable specification has judged, are here: `keep.py` writes them. The
published ones are taken from a folder of files, `{fork}/*.jsonl.gz`, which is not part of the project:
`MOCKSERVER_EVM_CASES` names it.
"""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from mockserver.chain import rlp
from mockserver.chain.evm.frames import Unsupported
from mockserver.chain.evm.state import Account, Environment, Fork
from mockserver.chain.evm.transactions import InvalidTransaction
from mockserver.chain.serialized_transactions import read_signed
from mockserver.crypto.keccak import keccak256
from mockserver.kernel.effort import finish
from tests.chain.evm.machines import Memory, Outcome, apply

ROOT = Path(os.environ.get("MOCKSERVER_EVM_CASES", "../shared/chains/evm"))
KEPT = Path(__file__).with_name("judged.jsonl.gz")
FILES = [KEPT, *sorted(ROOT.glob("*/*.jsonl.gz"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name.partition('.')[0]}")
def test_transactions_change_what_the_state_tests_say(path: Path) -> None:
    """What is rejected changes nothing."""
    with gzip.open(path) as lines:
        wrong = [f"{case['name']}: {found}" for case in map(json.loads, lines) if (found := differs(case))]
    assert not wrong


def differs(case: dict[str, Any]) -> str | None:
    """How the outcome of a case is another than expected, or None."""
    memory = read_accounts(case["pre"])
    try:
        transaction, _ = read_signed(to_bytes(case["raw"]))
        assert transaction.sender == to_bytes(case["sender"])
        outcome = finish(apply(memory, read_environment(case), transaction))
    except Unsupported as error:
        return str(error)
    except (ValueError, InvalidTransaction) as error:
        return None if "rejected" in case else str(error)
    if "rejected" in case:
        return "is taken"
    expected = case["status"], to_int(case["gasUsed"]), to_bytes(case["logsHash"])
    if (int(outcome.trace.error is None), outcome.gas_used, logs_hash(outcome)) != expected:
        return f"{outcome.trace.error}, gas {outcome.gas_used}, not {expected}"
    return differing_accounts(memory, case, outcome)


def differing_accounts(memory: Memory, case: dict[str, Any], outcome: Outcome) -> str | None:
    after = read_accounts({name: case["pre"][name] for name in case["pre"].keys() - case["post"].keys()})
    for name in case["deleted"]:
        after.accounts.pop(to_bytes(name))
    expected = read_accounts(case["post"])
    after.accounts |= expected.accounts
    after.slots |= expected.slots
    memory.keep(outcome.accounts, outcome.storage)
    slots = {key: value for key, value in memory.slots.items() if value and key[0] in memory.accounts}
    if memory.accounts != after.accounts:
        return f"accounts {memory.accounts.items() ^ after.accounts.items()}"
    return None if slots == after.slots else f"storage {slots.items() ^ after.slots.items()}"


def logs_hash(outcome: Outcome) -> bytes:
    return keccak256(
        rlp.encode(
            [
                [log.address, [topic.to_bytes(32, "big") for topic in log.topics], log.data]
                for log in outcome.logs
            ]
        )
    )


def read_environment(case: dict[str, Any]) -> Environment:
    env, fork = case["env"], Fork[case["fork"].upper()]
    return Environment(
        chain_id=to_int(case["chainId"]),
        number=to_int(env["number"]),
        timestamp=to_int(env["timestamp"]),
        coinbase=to_bytes(env["coinbase"]),
        gas_limit=to_int(env["gasLimit"]),
        base_fee=to_int(env["baseFee"]),
        prev_randao=to_int(env["prevRandao"]),
        origin=bytes(20),
        gas_price=0,
        blob_base_fee=blob_base_fee(to_int(env["excessBlobGas"]), fork),
        fork=fork,
    )


def blob_base_fee(excess: int, fork: Fork) -> int:
    """EIP-4844, `fake_exponential`, with the update fraction of EIP-7691 since Prague."""
    fraction = 3_338_477 if fork == Fork.CANCUN else 5_007_716
    total, term, number = 0, fraction, 1
    while term > 0:
        total += term
        term = term * excess // (fraction * number)
        number += 1
    return total // fraction


def read_accounts(accounts: dict[str, Any]) -> Memory:
    memory = Memory()
    for name, fields in accounts.items():
        address = to_bytes(name)
        memory.accounts[address] = Account(
            to_int(fields["nonce"]), to_int(fields["balance"]), to_bytes(fields["code"])
        )
        stored = {(address, to_int(slot)): to_int(value) for slot, value in fields["storage"].items()}
        memory.slots |= {key: value for key, value in stored.items() if value}
    return memory


def to_int(text: str) -> int:
    return int(text, 16)


def to_bytes(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("0x"))
