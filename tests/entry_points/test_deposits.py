"""Deposits, nonces and hashes at the native entry points come out as at the official ones."""

from typing import Any

import pytest

from mockserver.chain.abi.functions import Function, encode_call
from mockserver.chain.user_operations import (
    ENTRY_POINTS,
    PACKED_OPERATION,
    PACKED_OPERATION_06,
    UserOperation,
    packed_fields,
)
from mockserver.domain.chains import deposits
from tests.entry_points.operations import Drawn, complete
from tests.entry_points.sides import CHAIN, ETHER, TOKEN, Side
from tests.operations.responses import ok
from tests.tables import cases

pytestmark = pytest.mark.clients

HOLDER, OTHER = "0x" + "d0" * 20, "0x" + "d1" * 20


def data_of(function: str, *arguments: object) -> str:
    return "0x" + encode_call(Function.parse(function), arguments).hex()


def read(side: Side, data: str, sender: str = HOLDER) -> Any:
    return side.node("eth_call", {"from": sender, "to": side.entry_point, "data": data})


def send(side: Side, data: str, value: int = 0) -> Any:
    """What a transaction of the holder emits, or why it is refused."""
    asked = {"from": HOLDER, "to": side.entry_point, "data": data, "value": hex(value)}
    sent = side.node("eth_sendTransaction", asked)
    if isinstance(sent, dict):
        return sent["data"]
    receipt = side.node("eth_getTransactionReceipt", sent)
    return receipt["status"], [(log["address"], log["topics"], log["data"]) for log in receipt["logs"]]


def sides(version: str) -> tuple[Side, Side]:
    made = Side.with_code(version), Side.of(version)
    for side in made:
        side.fund(HOLDER)
        side.node("anvil_impersonateAccount", HOLDER)
    return made


def history(side: Side, operation: UserOperation) -> list[Any]:
    packed = PACKED_OPERATION_06 if side.version == "0.6" else PACKED_OPERATION
    hashed = data_of(f"getUserOpHash({packed})", tuple(packed_fields(operation, side.version)))
    nonce = data_of("getNonce(address,uint192)", HOLDER, 7)
    return [
        send(side, "0x", 5000),
        send(side, data_of("depositTo(address)", OTHER), 300),
        send(side, data_of("withdrawTo(address,uint256)", OTHER, 1000)),
        send(side, data_of("withdrawTo(address,uint256)", OTHER, 4001)),
        *(read(side, data_of("balanceOf(address)", each)) for each in (HOLDER, OTHER)),
        read(side, data_of("getDepositInfo(address)", HOLDER)),
        *(side.node("eth_getBalance", each) for each in (OTHER, side.entry_point)),
        send(side, data_of("incrementNonce(uint192)", 7)),
        read(side, nonce),
        read(side, hashed),
        read(side, data_of("noSuchFunction()")),
    ]


@cases("version", *ENTRY_POINTS)
def test_deposits_and_views_are_those_of_the_official_one(version: str) -> None:
    official, native = sides(version)
    unsigned = complete(official, Drawn(0, 5, ((TOKEN, 1, b"\1\2"),), True, None))
    assert history(native, unsigned) == history(official, unsigned)
    assert deposits.deposit_of(native.project, CHAIN, native.entry_point, HOLDER) == 4000


def test_a_native_entry_point_takes_gas_from_deposits_first() -> None:
    side = sides("0.7")[1]
    sender = side.account.address
    send(side, data_of("depositTo(address)", sender), ETHER // 2)
    side.fund(sender, 0)
    row = transact(side, {"to": OTHER, "value": "0"})
    assert row["status"] == "successful"
    assert side.deposit_of(sender) == ETHER // 2 - int(row["receipt"]["gasFee"])
    assert sum(each.balance - each.issued for each in side.project.chains.accounts) == 0


def test_what_is_reserved_for_gas_is_not_withdrawn() -> None:
    side = Side.of("0.7")
    side.fund(HOLDER)
    side.node("anvil_impersonateAccount", HOLDER)
    sender = side.account.address
    send(side, data_of("depositTo(address)", sender), ETHER // 2)
    side.fund(sender, 0)
    taken = data_of("withdrawTo(address,uint256)", OTHER, ETHER // 2)
    row = transact(side, {"to": side.entry_point, "data": taken})
    assert (row["status"], row["receipt"]["error"]["reason"]) == ("reverted", "Withdraw amount too large")
    assert side.deposit_of(sender) == ETHER // 2 - int(row["receipt"]["gasFee"])


def test_accounts_without_code_deposit_and_withdraw() -> None:
    side = Side.of("0.8")
    sender = side.account.address
    transact(side, {"to": side.entry_point, "value": "70", "data": data_of("depositTo(address)", OTHER)})
    transact(side, {"to": side.entry_point, "value": str(ETHER // 2)})
    held = [int(read(side, data_of("balanceOf(address)", each)), 16) for each in (OTHER, sender)]
    assert held == [70, ETHER // 2]
    taken, refused = (
        transact(side, {"to": side.entry_point, "data": data_of("withdrawTo(address,uint256)", OTHER, wei)})
        for wei in (1000, 9**20)
    )
    assert (taken["status"], side.node("eth_getBalance", OTHER)) == ("successful", hex(1000))
    assert refused["receipt"]["error"]["reason"] == "Withdraw amount too large"


def test_paymasters_have_what_the_bundler_takes_from() -> None:
    side = Side.of("0.7")
    paymaster = deposits.paymaster_address(side.project)
    before = side.deposit_of(paymaster)
    assert before == side.project.settings.sponsor_deposit_wei
    side.fund(HOLDER)
    side.node("anvil_impersonateAccount", HOLDER)
    send(side, data_of("depositTo(address)", paymaster), 500)
    shown = ok(side.http.get(f"/_mock/projects/-/chains/{CHAIN}"))
    assert side.deposit_of(paymaster) == before + 500 == int(shown["paymaster_deposit_wei"])
    refused = side.node("eth_call", {"to": side.entry_point, "data": "0x765e827f"})
    assert "from the bundler only" in refused["message"]


def transact(side: Side, *calls: Any) -> Any:
    body = {"chainId": CHAIN, "accountId": side.account.id, "calls": list(calls)}
    row = ok(side.http.post("/v2/transactions", json=body))
    return ok(side.http.get(f"/v2/transactions/{row['id']}"))
