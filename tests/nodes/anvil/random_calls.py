"""Random calls of a node: reads, transactions of all types and test actions, the same ones for a seed.

Most of them do something sensible, and the others what clients do by mistake.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eth_account import Account
from eth_account.signers.local import LocalAccount

from mockserver.chain.abi.functions import encode_call, encode_values, parse_function
from mockserver.chain.addresses import create_address, to_checksum
from tests.chain.evm.machines import CONTRACTS
from tests.nodes.anvil.judge import BASE_FEE, CHAIN

SENDERS: list[LocalAccount] = [Account.from_key(bytes([number]) * 32) for number in (0x31, 0x32, 0x33)]
POOR: LocalAccount = Account.from_key(b"\x34" * 32)
IMPERSONATED = "0x" + "a2" * 20
STRANGERS = ["0x" + "a1" * 20, IMPERSONATED]
DEPLOYED: dict[str, tuple[object, ...]] = {
    "Token": ("Gold", "GLD", 10**6),
    "Counter": (7,),
    "Reverts": (),
    "Bank": (True,),
    "Nft": (),
    "Factory": (),
    "Batch": (),
    "Crypto": (),
}
"""The contracts that the first sender creates, with the arguments of their constructors."""
ADDRESSES = {name: create_address(SENDERS[0].address, nonce).lower() for nonce, name in enumerate(DEPLOYED)}
_NUMBERS = (0, 1, 2, 7, 100, 10**6, 2**64, 2**128, 2**255, 2**256 - 1)
_DESTROYS = CONTRACTS["Factory"]["selectors"]["makeAndBoom(uint256)"]
_SHA256 = f"0x{2:040x}"
_VARYING = {"env", "blob"}
"""Functions that return what blocks have of their own, or nothing that is worth its size."""

Asked = tuple[str, list[Any]]


def creation(name: str) -> str:
    """The code that creates one of the contracts."""
    contract = CONTRACTS[name]
    made = [entry for entry in contract["abi"] if entry["type"] == "constructor"]
    types = [each["type"] for entry in made for each in entry["inputs"]]
    code: str = contract["creation_cancun"].removeprefix("0x") + encode_values(types, DEPLOYED[name]).hex()
    return "0x" + code


class RandomCalls:
    """Calls that are drawn one after the other. `ask` is the judge, which knows the nonces."""

    def __init__(self, seed: int, ask: Callable[..., Any]) -> None:
        self._chance = random.Random(seed)
        self._ask = ask
        self._first_block = ask("eth_blockNumber")
        self.sent: list[str] = []
        """The hashes of transactions that were sent."""
        self.snapshots: list[str] = []

    def draw(self, count: int) -> Iterator[Asked]:
        """So many calls, and some more."""
        often = (*[self._read] * 3, *[self._execute] * 6, *[self._send] * 5)
        kinds = (*often, self._search, self._change, self._look)
        for _ in range(count):
            if self._chance.random() < 0.02:
                yield from self._send_several()
            else:
                yield self._chance.choice(kinds)()

    def _send_several(self) -> Iterator[Asked]:
        """Transactions that wait in the mempool until a block is mined."""
        yield ("anvil_setAutomine", [False])
        for _ in range(self._chance.randrange(1, 4)):
            yield self._send(may_fail=False)
        yield ("txpool_status", [])
        yield ("txpool_content", [])
        yield ("eth_getTransactionCount", [SENDERS[0].address, self._chance.choice(("latest", "pending"))])
        yield ("anvil_mine", ["0x1"])
        yield ("anvil_setAutomine", [True])
        yield ("eth_getBlockReceipts", ["latest"])

    # --- reads ---------------------------------------------------------------------------------------

    def _read(self) -> Asked:
        address, chance = self._address(), self._chance
        return chance.choice(
            (
                ("eth_getBalance", [address, "latest"]),
                ("eth_getTransactionCount", [address, chance.choice(("latest", "pending"))]),
                ("eth_getCode", [address, "latest"]),
                ("eth_getStorageAt", [address, hex(chance.randrange(8)), "latest"]),
                ("eth_blockNumber", []),
                ("eth_chainId", []),
                ("net_version", []),
                ("eth_getBlockTransactionCountByNumber", ["latest"]),
                ("web3_sha3", ["0x" + chance.randbytes(5).hex()]),
            )
        )

    def _search(self) -> Asked:
        chance = self._chance
        # Not `earliest`: Anvil would look at every number up to that of its first block.
        everything = {"fromBlock": self._first_block}
        found: dict[str, Any] = {**everything, "toBlock": "latest"}
        if chance.random() < 0.6:
            found["address"] = chance.choice((self._contract(), [self._contract(), self._contract()]))
        topics = [log["topics"] for log in self._ask("eth_getLogs", everything)[-20:]]
        if topics and chance.random() < 0.7:
            some = chance.choice(topics)
            found["topics"] = [
                chance.choice((None, topic, [topic, chance.choice(chance.choice(topics) or [topic])]))
                for topic in some[: chance.randrange(5)]
            ]
        return ("eth_getLogs", [found])

    def _look(self) -> Asked:
        chance = self._chance
        sent = chance.choice(self.sent) if self.sent and chance.random() < 0.9 else "0x" + "ab" * 32
        # Of a transaction that is not there Anvil has a trace, too, and geth an error.
        traced = chance.choice(self.sent or [sent])
        block = chance.choice(("latest", self._block_of(sent)))
        return chance.choice(
            (
                ("eth_getTransactionByHash", [sent]),
                ("eth_getTransactionReceipt", [sent]),
                ("debug_traceTransaction", [traced, {"tracer": "callTracer"}]),
                ("trace_transaction", [traced]),
                ("eth_getRawTransactionByHash", [sent]),
                ("eth_getBlockByNumber", [block, chance.random() < 0.5]),
                ("eth_getBlockReceipts", [block]),
                ("eth_getTransactionByBlockNumberAndIndex", [block, "0x0"]),
                ("debug_traceBlockByNumber", [block, {"tracer": "callTracer"}]),
                ("trace_block", [block]),
            )
        )

    def _block_of(self, sent: str) -> str:
        found = self._ask("eth_getTransactionByHash", sent)
        return (found or {}).get("blockNumber") or "latest"

    # --- calls that change nothing -------------------------------------------------------------------

    def _execute(self) -> Asked:
        chance = self._chance
        call = self._call()
        kind = chance.random()
        if kind < 0.4:
            overrides = [self._overrides()] if chance.random() < 0.3 else []
            return ("eth_call", [call, "latest", *overrides])
        if kind < 0.65:
            return ("eth_estimateGas", [call, "latest"])
        if kind < 0.75:
            # Anvil lists no contract that an account delegates to, and minds no fees.
            call |= {"from": POOR.address.lower(), "to": self._contract()}
            call.pop("maxFeePerGas", None)
            return ("eth_createAccessList", [call, "latest"])
        if kind < 0.85:
            return ("debug_traceCall", [{"gas": hex(3_000_000), **call}, "latest", {"tracer": "callTracer"}])
        blocks = [self._simulated() for _ in range(chance.randrange(1, 3))]
        more = {name: True for name in ("traceTransfers", "returnFullTransactions") if chance.random() < 0.3}
        if _DESTROYS in str(blocks):
            # Anvil does not count what SELFDESTRUCT moves.
            more.pop("traceTransfers", None)
        return ("eth_simulateV1", [{"blockStateCalls": blocks, **more}, "latest"])

    def _simulated(self) -> dict[str, Any]:
        calls = [self._call() for _ in range(self._chance.randrange(3))]
        # Anvil simulates no creations, and has another limit of gas.
        made: dict[str, Any] = {"calls": [{"gas": hex(10**6), **call} for call in calls if "to" in call]}
        if self._chance.random() < 0.3:
            made["stateOverrides"] = self._overrides()
        return made

    def _call(self) -> dict[str, Any]:
        chance = self._chance
        call: dict[str, Any] = {"from": chance.choice(SENDERS).address.lower()}
        if chance.random() < 0.1:
            call["data"] = creation(chance.choice([*DEPLOYED]))
        else:
            call["to"], call["data"] = self._target()
        # Anvil estimates 21,000 for a plain transfer, whatever its sender has and offers.
        is_plain = call["data"] == "0x"
        most = 10**15 if is_plain else 10**30
        if chance.random() < 0.2:
            call["value"] = hex(chance.choice((0, 1, 10**9, most)))
        if chance.random() < 0.2 and not is_plain:
            call["gas"] = hex(chance.choice((0, 20_000, 21_000, 25_000, 50_000, 100_000, 2_000_000)))
        if chance.random() < 0.1:
            call["nonce"] = hex(chance.randrange(10))
        if chance.random() < 0.1:
            call["maxFeePerGas"] = hex(2 * BASE_FEE)
        if chance.random() < 0.1:
            call["accessList"] = [{"address": self._contract(), "storageKeys": [f"0x{2:064x}"]}]
        return call

    def _overrides(self) -> dict[str, Any]:
        chance = self._chance
        made: dict[str, Any] = {}
        for _ in range(chance.randrange(1, 3)):
            changed: dict[str, Any] = {}
            if chance.random() < 0.5:
                changed["balance"] = hex(chance.choice((0, 10**18, 10**31)))
            if chance.random() < 0.3:
                changed["nonce"] = hex(chance.randrange(5))
            if chance.random() < 0.4:
                name = chance.choice(("state", "stateDiff"))
                changed[name] = {f"0x{chance.randrange(6):064x}": f"0x{chance.choice(_NUMBERS):064x}"}
            if chance.random() < 0.3:
                changed["code"] = CONTRACTS[chance.choice(("Counter", "Reverts"))]["runtime_cancun"]
            made[self._address()] = changed
        # Anvil leaves a precompiled contract that is overridden in its place.
        made.pop(_SHA256, None)
        return made

    # --- transactions --------------------------------------------------------------------------------

    def _send(self, *, may_fail: bool = True) -> Asked:
        chance = self._chance
        account = chance.choice((*SENDERS, *SENDERS, POOR) if may_fail else SENDERS)
        nonce = self._nonce(account.address)
        price = chance.choice((BASE_FEE, 2 * BASE_FEE, 3 * BASE_FEE))
        fields: dict[str, Any] = {"nonce": nonce, "chainId": CHAIN, "value": 0, "gas": 500_000}
        if chance.random() < 0.1:
            fields |= {"data": creation(chance.choice([*DEPLOYED])), "gas": 3_000_000}
        else:
            to, fields["data"] = self._target()
            fields["to"] = to_checksum(to)
        if chance.random() < 0.3:
            fields["value"] = chance.choice((1, 10**12, 10**15))
        fields |= self._fees(account, nonce, price, is_plain="to" not in fields or not may_fail)
        if may_fail and "authorizationList" not in fields and chance.random() < 0.15:
            fields |= chance.choice(
                (
                    {"nonce": max(0, nonce - 1)},
                    {"gas": 20_000},
                    {"gas": 2**25},
                    {"value": 10**24},
                    # Of a legacy one Anvil does not mind.
                    {"chainId": 5} if "type" in fields else {"gas": 20_000},
                    {"gasPrice": 1} if "gasPrice" in fields else {"maxFeePerGas": 1},
                )
            )
        raw = account.sign_transaction(fields).raw_transaction.to_0x_hex()
        return ("eth_sendRawTransaction", [raw])

    def _fees(self, account: LocalAccount, nonce: int, price: int, *, is_plain: bool) -> dict[str, Any]:
        chance = self._chance
        kind = chance.choice((0, 1, 2, 2) if is_plain else (0, 1, 2, 2, 4))
        listed: dict[str, Any] = {"accessList": []}
        if chance.random() < 0.5:
            listed = {"accessList": [{"address": self._contract(), "storageKeys": [f"0x{1:064x}"]}]}
        if kind == 0:
            return {"gasPrice": price}
        if kind == 1:
            return {"type": 1, "gasPrice": price, **listed}
        market = {"maxFeePerGas": 2 * price, "maxPriorityFeePerGas": chance.choice((0, 1, price)), **listed}
        if kind == 2:
            return {"type": 2, **market}
        other = chance.choice(SENDERS)
        right = {
            "chainId": chance.choice((0, CHAIN, CHAIN, 5)),
            "address": to_checksum(chance.choice((self._contract(), "0x" + "00" * 20))),
            "nonce": self._nonce(other.address) + (other == account),
        }
        return {"type": 4, **market, "authorizationList": [other.sign_authorization(right)]}

    # --- test actions --------------------------------------------------------------------------------

    def _change(self) -> Asked:
        chance, contract = self._chance, self._contract()
        address = chance.choice((*STRANGERS, contract))
        fees = {"maxFeePerGas": hex(2 * BASE_FEE), "maxPriorityFeePerGas": "0x1", "gas": hex(200_000)}
        to, data = self._target()
        snapshot = self.snapshots[-1] if self.snapshots and chance.random() < 0.8 else "0x99"
        changes: Sequence[Asked] = (
            ("anvil_setBalance", [address, hex(chance.choice((0, 1, 10**18)))]),
            # Not of others: an empty account is gone once it is touched (EIP-161). Anvil keeps its storage.
            ("anvil_setStorageAt", [contract, hex(chance.randrange(4)), f"0x{chance.choice(_NUMBERS):064x}"]),
            ("anvil_setCode", [STRANGERS[0], chance.choice(("0x00", "0x60005460010160005500"))]),
            ("anvil_setNonce", [IMPERSONATED, hex(self._nonce(IMPERSONATED) + 1)]),
            ("anvil_mine", [hex(chance.randrange(1, 4))]),
            ("evm_snapshot", []),
            ("evm_revert", [snapshot]),
            ("anvil_impersonateAccount", [IMPERSONATED]),
            ("anvil_stopImpersonatingAccount", [IMPERSONATED]),
            ("eth_sendTransaction", [{"from": IMPERSONATED, "to": to, "data": data, **fees}]),
        )
        return chance.choice(changes)

    # --- what they are made of -----------------------------------------------------------------------

    def _nonce(self, address: str) -> int:
        return int(self._ask("eth_getTransactionCount", address, "pending"), 16)

    def _contract(self) -> str:
        return self._chance.choice([*ADDRESSES.values()])

    def _address(self) -> str:
        accounts = [each.address.lower() for each in (*SENDERS, POOR)]
        contracts = (self._contract(), self._contract())
        return self._chance.choice((*contracts, *accounts, *STRANGERS, _SHA256))

    def _target(self) -> tuple[str, str]:
        """An address, and the data of a call of it."""
        chance = self._chance
        if chance.random() < 0.15:
            return self._address(), chance.choice(("0x", "0x12345678", "0x" + chance.randbytes(40).hex()))
        name = chance.choice([*ADDRESSES])
        functions = [
            entry
            for entry in CONTRACTS[name]["abi"]
            if entry["type"] == "function" and entry["name"] not in _VARYING
        ]
        entry = chance.choice(functions)
        values = [self._value(each) for each in entry["inputs"]]
        return ADDRESSES[name], "0x" + encode_call(parse_function(entry), values).hex()

    def _value(self, declared: dict[str, Any]) -> Any:
        chance, kind = self._chance, declared["type"]
        if kind == "tuple[]":
            count = chance.randrange(3)
            return [[self._address(), chance.choice((0, 1)), b""] for _ in range(count)]
        if kind == "address":
            return self._address()
        if kind.startswith("uint"):
            return chance.choice(_NUMBERS) % 2 ** int(kind[4:] or 256)
        if kind == "bool":
            return chance.random() < 0.5
        if kind == "string":
            return chance.choice(("", "Hello", "x" * 40))
        size = int(kind[5:] or chance.choice((0, 4, 65)))
        return chance.randbytes(size)
