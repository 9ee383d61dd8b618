"""Contracts of npm packages, deployed on two nodes at once: what is done with them has to end alike."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mockserver.chain.abi.codec import decode_sequence
from mockserver.chain.abi.functions import encode_call, encode_values, find_function, parse_function
from mockserver.chain.addresses import to_checksum
from tests.clients.installing import installed
from tests.nodes.anvil.differences import differences, is_error
from tests.nodes.anvil.judge import BASE_FEE, CHAIN
from tests.nodes.anvil.pair import TRACER, Pair
from tests.nodes.anvil.random_calls import SENDERS
from tests.thoroughness import THOROUGHNESS

_MOST_TRACED_GAS = 2_000_000
"""What uses more has struct logs that are too large to be shown."""


@cache
def artifact(path: str) -> Any:
    """What a package has of a compiled contract."""
    return json.loads((installed(Path(__file__).parent) / path).read_text(encoding="utf-8"))


class Deployer:
    """Sends the same transactions to two nodes, and notes in `wrong` how what comes of them differs."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.wrong: list[str] = []

    def deploy(self, path: str, *args: object, value: int = 0, **libraries: str) -> "Contract":
        """Create a contract of an artifact, with libraries by their names."""
        compiled = artifact(path)
        code: str = compiled["bytecode"].removeprefix("0x")
        for links in compiled.get("linkReferences", {}).values():
            for name, places in links.items():
                for start in (2 * place["start"] for place in places):
                    code = code[:start] + libraries[name][2:].lower() + code[start + 40 :]
        made = [entry for entry in compiled["abi"] if entry["type"] == "constructor"]
        types = [each.type for entry in made for each in parse_function({**entry, "name": "made"}).inputs]
        data = "0x" + code + encode_values(types, args).hex()
        receipt = self.send(None, data, value=value)
        self.check("eth_getCode", receipt["contractAddress"], "latest")
        return Contract(self, receipt["contractAddress"], compiled["abi"])

    def mine(self, blocks: int) -> None:
        """Have time pass: a block is two seconds long."""
        self.pair.ask("anvil_mine", [hex(blocks)])

    def check(self, method: str, *params: Any) -> Any:
        """Our answer, which is compared with Anvil's."""
        ours, theirs = self.pair.ask(method, [*params])
        self.wrong += [each[:600] for each in differences(method, ours, theirs)]
        return ours

    def send(self, to: str | None, data: str = "0x", *, sender: int = 0, value: int = 0) -> Any:
        """Send a transaction with the gas that our estimate says, and retrieve its receipt."""
        account = SENDERS[sender]
        asked = {"from": account.address, "data": data, "value": hex(value), **({"to": to} if to else {})}
        estimate = self.check("eth_estimateGas", asked)
        self.check("eth_createAccessList", asked, "latest")
        given: Any = {
            "nonce": int(self.check("eth_getTransactionCount", account.address, "latest"), 16),
            "gas": 500_000 if is_error(estimate) else int(estimate, 16),
            "gasPrice": 2 * BASE_FEE,
            "chainId": CHAIN,
            "data": data,
            "value": value,
            **({"to": to_checksum(to)} if to else {}),
        }
        sent = self.check(
            "eth_sendRawTransaction", account.sign_transaction(given).raw_transaction.to_0x_hex()
        )
        self.pair.wait_for(sent)
        receipt = self.check("eth_getTransactionReceipt", sent)
        if is_error(estimate) != (receipt["status"] == "0x0"):
            self.wrong.append(f"{data[:200]}: the estimate {estimate} ends as {receipt['status']}")
        self.check("debug_traceTransaction", sent, TRACER)
        self.check("trace_transaction", sent)
        if THOROUGHNESS > 1 and int(receipt["gasUsed"], 16) < _MOST_TRACED_GAS:
            self.check("debug_traceTransaction", sent, {})
        return receipt


@dataclass(frozen=True)
class Contract:
    """A contract on both nodes."""

    deployer: Deployer
    address: str
    abi: Sequence[Any]

    def at(self, address: str) -> "Contract":
        """A contract with the same functions elsewhere."""
        return Contract(self.deployer, address, self.abi)

    def data(self, name: str, *args: object) -> bytes:
        """The data of a call."""
        return encode_call(find_function(self.abi, name, len(args)), args)

    def do(self, name: str, *args: object, sender: int = 0, value: int = 0) -> Any:
        """Send a call as a transaction, and retrieve its receipt."""
        data = "0x" + self.data(name, *args).hex()
        return self.deployer.send(self.address, data, sender=sender, value=value)

    def get(self, name: str, *args: object) -> Any:
        """What a call returns; None if it reverts."""
        call = {"from": SENDERS[0].address, "to": self.address, "data": "0x" + self.data(name, *args).hex()}
        output = self.deployer.check("eth_call", call, "latest")
        if is_error(output):
            return None
        outputs = find_function(self.abi, name, len(args)).outputs
        values = decode_sequence([each.shape for each in outputs], bytes.fromhex(output[2:]))
        return values[0] if len(values) == 1 else values
