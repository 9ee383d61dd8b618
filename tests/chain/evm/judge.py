"""What the executable specification of Ethereum makes of transactions: a line for each, with its outcome.

Run by a Python that has `ethereum-execution`, which pins packages that the project does not need. Cases are
lines of JSON as in the published state tests, without their outcomes; `test_differential` writes them.
"""

import importlib
import json
import sys
from typing import Any

from ethereum.crypto.hash import keccak256
from ethereum.exceptions import EthereumException
from ethereum.trace import EvmStop, GasAndRefund, OpException, OpStart, set_evm_trace
from ethereum_rlp import rlp
from ethereum_types.bytes import Bytes20, Bytes32
from ethereum_types.numeric import U64, U256, Uint


def judge(case: dict[str, Any]) -> dict[str, Any]:
    """The case with its outcome: `rejected`, or status, gas used, logs and all accounts that differ."""
    name = f"ethereum.forks.{case['fork'].lower()}"
    fork, vm, state_of, types, transactions = (
        importlib.import_module(f"{name}.{part}")
        for part in ("fork", "vm", "state", "fork_types", "transactions")
    )
    state = state_of.State()
    for address, account in case["pre"].items():
        fields = types.Account(
            Uint(_int(account["nonce"])), U256(_int(account["balance"])), _bytes(account["code"])
        )
        state_of.set_account(state, Bytes20(_bytes(address)), fields)
        for slot, value in account["storage"].items():
            state_of.set_storage(state, Bytes20(_bytes(address)), _slot(slot), U256(_int(value)))
    block, output, before = _block(vm, case, state), vm.BlockOutput(), _accounts(state)
    raw, steps = _bytes(case["raw"]), Steps()
    set_evm_trace(steps)
    try:
        decoded = transactions.decode_transaction(
            rlp.decode_to(transactions.LegacyTransaction, raw) if raw[0] >= 0xC0 else raw
        )
        fork.process_transaction(block, output, decoded, Uint(0))
    except EthereumException as error:
        return case | {"rejected": repr(error)}
    after = _accounts(state)
    return case | {
        "gasUsed": hex(output.block_gas_used),
        "status": _status(state, output),
        "logsHash": "0x" + keccak256(rlp.encode(output.block_logs)).hex(),
        "post": {address: account for address, account in after.items() if before.get(address) != account},
        "deleted": [address for address in before if address not in after],
        "structLogs": steps.logs,
    }


class Steps:
    """Writes down what is executed: [pc, operation, gas, cost, depth, stack, words of memory].

    Of what fails there is no cost.
    """

    def __init__(self) -> None:
        self.logs: list[list[Any]] = []
        self._latest: dict[int, list[Any]] = {}
        self._machines: list[Any] = []
        """Kept, since one that comes later would have the id of one that is gone."""

    def __call__(self, evm: Any, event: Any) -> None:
        # Behind the end of code there is an instruction: STOP.
        is_end = isinstance(event, EvmStop) and evm.running and evm.code
        if isinstance(event, OpStart) or is_end:
            name = "KECCAK256" if event.op.name == "KECCAK" else event.op.name
            stack, words = [hex(word) for word in evm.stack], len(evm.memory) // 32
            log = [int(evm.pc), name, int(evm.gas_left), 0, int(evm.message.depth) + 1, stack, words]
            self.logs.append(log)
            self._latest[id(evm)] = log
            self._machines.append(evm)
        # What a creation pays for its code comes behind its end, and is the cost of no instruction.
        elif isinstance(event, GasAndRefund) and id(evm) in self._latest and evm.running:
            self._latest[id(evm)][3] += int(event.gas_cost)
        elif isinstance(event, OpException) and id(evm) in self._latest:
            self._latest[id(evm)][3] = None


def _status(state: Any, output: Any) -> int:
    (receipt,) = output.receipts_trie._data.values()
    # The receipt of a typed transaction is encoded behind its type.
    fields = rlp.decode(receipt[1:]) if isinstance(receipt, bytes) else [receipt.succeeded]
    return int(bool(fields[0]))


def _block(vm: Any, case: dict[str, Any], state: Any) -> Any:
    env = case["env"]
    return vm.BlockEnvironment(
        chain_id=U64(_int(case["chainId"])),
        state=state,
        block_gas_limit=Uint(_int(env["gasLimit"])),
        block_hashes=[Bytes32(number.to_bytes(32, "big")) for number in range(_int(env["number"]))],
        coinbase=Bytes20(_bytes(env["coinbase"])),
        number=Uint(_int(env["number"])),
        base_fee_per_gas=Uint(_int(env["baseFee"])),
        time=U256(_int(env["timestamp"])),
        prev_randao=Bytes32(_bytes(env["prevRandao"])),
        excess_blob_gas=U64(_int(env["excessBlobGas"])),
        parent_beacon_block_root=Bytes32(bytes(32)),
    )


def _accounts(state: Any) -> dict[str, Any]:
    accounts = {}
    for address, account in state._main_trie._data.items():
        slots = state._storage_tries.get(address)
        accounts["0x" + address.hex()] = {
            "nonce": hex(account.nonce),
            "balance": hex(account.balance),
            "code": "0x" + account.code.hex(),
            "storage": {
                "0x" + slot.hex(): hex(value) for slot, value in (slots._data if slots else {}).items()
            },
        }
    return accounts


def _int(text: str) -> int:
    return int(text, 16)


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("0x"))


def _slot(text: str) -> Bytes32:
    return Bytes32(_int(text).to_bytes(32, "big"))


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(judge(json.loads(line))))
