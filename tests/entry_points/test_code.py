"""An entry point with code validates and executes user operations, with accounts that have code or none."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eth_utils import keccak

from mockserver.chain.account_calls import execute_call
from mockserver.chain.evm import interpreter
from mockserver.chain.user_operations import ENTRY_POINTS, UserOperation, rpc_shape
from mockserver.domain.chains import ledger
from mockserver.domain.chains.executing_ahead import AheadExecutor
from mockserver.domain.transactions import mining
from mockserver.server.assembly import assemble
from mockserver.state.world import World
from mockserver.testing.client import MockServer
from tests.accounts import AccountKind, account_of
from tests.entry_points.operations import THERE, Drawn, complete, data_of, sign
from tests.entry_points.sides import CHAIN, COUNTER, REVERTS, Side, official, path_of
from tests.operations.responses import ok
from tests.tables import cases
from tests.transport import InProcessTransport

pytestmark = pytest.mark.clients

INCREMENT = (COUNTER, 0, data_of("Counter", "increment"))
FAIL = (REVERTS, 0, data_of("Reverts", "text"))
_KINDS: dict[str, AccountKind] = {"0.6": "UpgradeableV6", "0.7": "Simple", "0.9": "CaliburV9"}


def operation_of(side: Side, *calls: Any, flaw: str | None = None) -> UserOperation:
    return complete(side, Drawn(None, 0, calls or (INCREMENT,), False, flaw))


def send(side: Side, operation: UserOperation) -> Any:
    return side.bundle("eth_sendUserOperation", rpc_shape(operation, side.version), side.entry_point)


def receipt_of(side: Side, sent: Any) -> Any:
    assert isinstance(sent, str), sent
    return side.bundle("eth_getUserOperationReceipt", sent)


def count_of(side: Side) -> int:
    return int(side.read(COUNTER, data_of("Counter", "count")), 16)


@cases("version", *ENTRY_POINTS)
def test_a_scenario_puts_an_entry_point_by_its_artifact(version: str, tmp_path: Path) -> None:
    artifact = path_of(version, "EntryPoint")
    file = tmp_path / "real.yaml"
    file.write_text(f"""
given:
  - call: DeployContract
    path: {{chain: {CHAIN}}}
    body: {{artifact: {artifact}, entry_point: "{version}"}}
""")
    mock = MockServer("http://mock", transport=InProcessTransport(assemble(World()))).create_project()
    mock.load(file)
    shown = mock.call("GET", f"/chains/{CHAIN}/addresses/{ENTRY_POINTS[version]}")
    assert (shown["deployed"], len(shown["code"]) > 20_000) == (True, True)


@cases("version", *ENTRY_POINTS)
def test_estimated_limits_are_enough(version: str) -> None:
    estimate_and_send(version)


def test_what_takes_long_is_estimated_and_bundled_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[Any] = []
    take = AheadExecutor._take

    def note(executor: AheadExecutor, what: Any) -> Any:
        taken.append(take(executor, what))
        return taken[-1]

    monkeypatch.setattr(AheadExecutor, "_take", note)
    monkeypatch.setattr(interpreter, "_STEPS_IN_A_SLICE", 700)
    monkeypatch.setattr(mining, "_LONG_GAS", 1)
    estimate_and_send("0.7")
    assert len([kept for kept in taken if kept is not None]) >= 3, "the estimate, the check, the block"


def estimate_and_send(version: str) -> None:
    side = Side.with_code(version)
    unsigned = replace(operation_of(side), call_gas_limit=0, verification_gas_limit=0)
    # The signature is of other limits: an estimate does not mind.
    given = side.bundle("eth_estimateUserOperationGas", rpc_shape(unsigned, version), side.entry_point)
    limits = {name: int(text, 16) for name, text in given.items()}
    operation = replace(
        unsigned,
        call_gas_limit=limits["callGasLimit"],
        verification_gas_limit=limits["verificationGasLimit"],
        pre_verification_gas=limits["preVerificationGas"],
    )
    receipt = receipt_of(side, send(side, replace(operation, signature=sign(side, operation, None))))
    assert receipt["success"] is True
    assert count_of(side) == 6
    assert int(receipt["actualGasUsed"], 16) < sum(limits.values())


def test_an_estimate_tells_what_the_calls_revert_with() -> None:
    side = Side.with_code("0.7")
    shape = rpc_shape(operation_of(side, FAIL), "0.7")
    error = side.bundle("eth_estimateUserOperationGas", shape, side.entry_point)
    assert (error["code"], "plain text" in error["message"]) == (-32521, True)
    assert side.nonce_of(side.account.address) == 0


def test_the_code_of_an_account_refuses_a_signature() -> None:
    side = Side.with_code("0.7")
    refused = send(side, operation_of(side, flaw="signature of another key"))
    assert (refused["code"], refused["message"]) == (-32507, "AA24 signature error")
    assert receipt_of(side, send(side, operation_of(side)))["success"] is True


def test_operations_that_wait_are_numbered_on() -> None:
    side = Side.with_code("0.8")
    side.bundle("debug_bundler_setBundlingMode", "manual")
    first = operation_of(side)
    sent = [send(side, first)]
    second = replace(first, nonce=1)
    sent.append(send(side, replace(second, signature=sign(side, second, None))))
    assert side.nonce_of(first.sender) == 0
    assert side.bundle("debug_bundler_sendBundleNow").startswith("0x")
    assert [receipt_of(side, each)["success"] for each in sent] == [True, True]
    assert (side.nonce_of(first.sender), count_of(side)) == (2, 7)


def test_a_fate_has_the_calls_revert() -> None:
    side = Side.with_code("0.7")
    fate = {"outcome": "reverted", "reason": "paused"}
    assert side.http.post("/_mock/projects/-/fates", json=fate).status_code == 201
    receipt = receipt_of(side, send(side, operation_of(side)))
    assert (receipt["success"], receipt["reason"], count_of(side)) == (False, "paused", 5)
    assert side.nonce_of(side.account.address) == 1


def test_a_snapshot_has_the_nonces_and_deposits() -> None:
    side = Side.with_code("0.6")
    snapshot = side.http.post("/_mock/projects/-/snapshots", json={"name": "before"}).json()["id"]
    sent = send(side, operation_of(side))
    assert side.deposit_of(side.account.address) > 0
    ok(side.http.post(f"/_mock/projects/-/snapshots/{snapshot}/restore"))
    assert (side.nonce_of(side.account.address), side.deposit_of(side.account.address)) == (0, 0)
    assert send(side, operation_of(side)) == sent


def test_a_deposit_pays_for_an_account_without_coins() -> None:
    side = Side.with_code("0.7")
    donor = "0x" + "d0" * 20
    side.fund(donor)
    side.node("anvil_impersonateAccount", donor)
    data = f"0xb760faf9{side.account.address[2:].lower():0>64}"
    deposit = {"from": donor, "to": side.entry_point, "data": data, "value": hex(10**17), "gas": "0x30000"}
    side.node("eth_sendTransaction", deposit)
    side.fund(side.account.address, 0)
    assert receipt_of(side, send(side, operation_of(side)))["success"] is True
    row = transact(side, side.account.id, {"to": COUNTER, "data": "0xd09de08a"})
    assert (row["status"], count_of(side)) == ("successful", 7)


def deposit_slot(holder: str) -> int:
    return int.from_bytes(keccak(bytes.fromhex(holder[2:]).rjust(32, b"\0") + bytes(32)), "big")


def transact(side: Side, account_id: str, *calls: Any, **members: Any) -> Any:
    body = {"chainId": CHAIN, "accountId": account_id, "calls": list(calls), **members}
    row = ok(side.http.post("/v2/transactions", json=body))
    return ok(side.http.get(f"/v2/transactions/{row['id']}", params={"expand": ["logs"]}))


@cases("version", *_KINDS)
def test_accounts_without_code_are_validated_natively(version: str) -> None:
    side = Side.of(version)
    side.deploy(official(version, "EntryPoint"), entry_point=version)
    account = account_of(side.project, _KINDS[version], chain=CHAIN)
    sponsorship = side.http.get("/v2/fee-sponsorship").json()["data"][0]["id"]
    increment = {"to": COUNTER, "data": "0xd09de08a"}
    failing = {"to": REVERTS, "data": "0x" + FAIL[2].hex()}
    rows = [
        transact(side, account.id, {"to": THERE, "value": "5"}, increment),
        transact(side, account.id, increment, failing),
        transact(side, account.id, increment, feeSponsorshipId=sponsorship),
    ]
    assert [row["status"] for row in rows] == ["successful", "reverted", "successful"]
    assert rows[1]["receipt"]["error"]["reason"] == "plain text"
    assert (count_of(side), side.node("eth_getBalance", THERE)) == (7, "0x5")
    assert side.nonce_of(account.address) == 3
    assert {log["address"] for log in rows[0]["receipt"]["logs"]} >= {side.entry_point}
    trace = ok(side.http.get(f"/_mock/projects/-/transactions/{rows[0]['id']}/trace"))["calls"]
    assert trace[0]["to"] == side.entry_point
    assert sum(row.balance - row.issued for row in side.project.chains.accounts) == 0


def test_an_account_with_code_sends_transactions_of_the_api() -> None:
    side = Side.with_code("0.7")
    row = transact(side, side.account.id, {"to": THERE, "value": "1"}, {"to": COUNTER, "data": "0xd09de08a"})
    assert (row["status"], count_of(side)) == ("successful", 6)
    assert ledger.code_at(side.project, CHAIN, side.account.address)
    poor = transact(side, side.account.id, {"to": THERE, "value": str(10**20)})
    assert (poor["status"], poor["receipt"]["error"]["reason"]) == ("reverted", "execution reverted")
    side.fund(side.account.address, 0)
    side.node(
        "anvil_setStorageAt", side.entry_point, hex(deposit_slot(side.account.address)), "0x" + "00" * 32
    )
    poor = transact(side, side.account.id, {"to": THERE, "value": "1"})
    assert (poor["status"], poor["receipt"]["error"]["reason"][:4]) == ("failed", "AA21")


def test_without_code_again_the_double_goes_on() -> None:
    side = Side.with_code("0.7")
    address = f"/_mock/projects/-/chains/{CHAIN}/addresses/{side.entry_point}"
    ok(side.http.put(address, json={"code": "0x"}))
    junk = replace(operation_of(side), call_data=execute_call(THERE, 0, b""))
    assert receipt_of(side, send(side, replace(junk, signature=sign(side, junk, None))))["success"] is True
