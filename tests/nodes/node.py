"""Asking a node, a bundler or a wallet, and what their answers have to be."""

from dataclasses import dataclass
from typing import Any

from eth_account import Account
from httpx import Client

from mockserver.chain.abi.functions import encode_call, encode_values, parse_function
from mockserver.chain.addresses import to_checksum
from mockserver.state.project import Project
from tests.chain.evm.machines import CONTRACTS

CHAIN = 84532
ALICE, BOB = (Account.from_key("0x" + digits * 32) for digits in ("11", "22"))
TOKEN = CONTRACTS["Token"]


def ask_rpc(api: Client, path: str, method: str, params: Any, key: str | None = None) -> Any:
    """What a method answers at a path, or its error."""
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    answer = api.post(path, json=body, headers=headers).raise_for_status().json()
    assert answer["id"] == 7
    return answer["result"] if "result" in answer else answer["error"]


@dataclass
class Node:
    """The node of a chain, and the bundler of it."""

    api: Client
    project: Project
    chain: int = CHAIN

    @property
    def path(self) -> str:
        """Where the node is."""
        return f"/_mock/projects/{self.project.id}/chains/{self.chain}/rpc"

    def send(self, body: Any) -> Any:
        """What a request is answered, or a batch."""
        return self.api.post(self.path, json=body).raise_for_status().json()

    def ask(self, method: str, *params: Any) -> Any:
        """What a method answers, or its error."""
        return ask_rpc(self.api, self.path, method, params)

    def bundle(self, method: str, *params: Any) -> Any:
        """What a method of the bundler answers, or its error."""
        return ask_rpc(self.api, f"/rpc/{CHAIN}", method, params, self.project.publishable_key)

    def number(self, method: str, *params: Any) -> int:
        """A quantity that a method answers."""
        return int(self.ask(method, *params), 16)

    def fund(self, address: str, wei: int = 10**18) -> None:
        """Set the balance of an address."""
        assert self.ask("anvil_setBalance", address, hex(wei)) is None

    def sign(self, account: Any = ALICE, **given: Any) -> Any:
        """A signed transaction of an account, with the rest filled in."""
        fields = {
            "nonce": self.number("eth_getTransactionCount", account.address, "pending"),
            "maxFeePerGas": 10**9,
            "maxPriorityFeePerGas": 10**6,
            "chainId": CHAIN,
            "value": 0,
            "type": 2,
            **given,
        }
        if "to" in fields:
            fields["to"] = to_checksum(fields["to"])
        if "gas" not in fields:
            asked = {"from": account.address, "data": fields.get("data", "0x"), "value": hex(fields["value"])}
            fields["gas"] = self.number(
                "eth_estimateGas", asked | {"to": fields["to"]} if "to" in fields else asked
            )
        return account.sign_transaction({name: value for name, value in fields.items() if value is not None})

    def transact(self, account: Any = ALICE, **given: Any) -> Any:
        """Send a transaction, and retrieve its receipt."""
        sent = self.ask("eth_sendRawTransaction", self.sign(account, **given).raw_transaction.to_0x_hex())
        assert isinstance(sent, str), sent
        return self.ask("eth_getTransactionReceipt", sent)

    def deploy_token(self, supply: int = 1000) -> str:
        """The address of a new token, all of which Alice has."""
        self.fund(ALICE.address)
        code = (
            TOKEN["creation_cancun"]
            + encode_values(["string", "string", "uint256"], ["T", "T", supply]).hex()
        )
        receipt = self.transact(data="0x" + code.removeprefix("0x"))
        assert receipt["status"] == "0x1"
        address: str = receipt["contractAddress"]
        return address


def calldata(function: str, *arguments: object) -> str:
    """The data of a call of the token."""
    entries = [entry for entry in TOKEN["abi"] if entry.get("name") == function]
    return "0x" + encode_call(parse_function(entries[0]), arguments).hex()
