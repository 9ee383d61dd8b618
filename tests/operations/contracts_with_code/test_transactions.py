"""Transactions to contracts with code: what they change, cost, emit and why they are reverted."""

from decimal import Decimal

from httpx import Client

from mockserver.domain.chains import ledger
from mockserver.domain.policies.net_change import net_change
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.onchain import CallRecord
from mockserver.state.project import Project
from tests.accounts import AccountKind
from tests.fates import add_fate
from tests.operations.contracts_with_code.chain import AMOY, CONTROL, THERE, Chain
from tests.operations.responses import ok
from tests.tables import cases

ETHER = 10**18
KINDS = cases("kind", "plain", "Simple", "CaliburV9")


@KINDS
def test_a_transaction_executes_the_code(api: Client, project: Project, kind: AccountKind) -> None:
    chain = Chain.of(api, project, kind)
    token = chain.deploy("Token", "Gold", "GLD", "1000", sender=chain.account.address)
    row = chain.send(token, "transfer", THERE, "300")
    assert row["status"] == "successful"
    own = [log for log in row["receipt"]["logs"] if log["address"] == token["address"]]
    assert [int(log["data"], 16) for log in own] == [300]
    assert [chain.read(token, "balanceOf", who) for who in (chain.account.address, THERE)] == ["700", "300"]
    assert chain.read(token, "name") == "Gold"


@KINDS
def test_a_revert_is_decoded_and_changes_nothing(api: Client, project: Project, kind: AccountKind) -> None:
    chain = Chain.of(api, project, kind)
    token = chain.deploy("Token", "Gold", "GLD", "3", sender=chain.account.address)
    row = chain.send(token, "transfer", THERE, "10")
    assert row["status"] == "reverted"
    error = row["receipt"]["error"]
    assert error["name"] == "ERC20InsufficientBalance"
    assert error["reason"] == f"ERC20InsufficientBalance({chain.account.address}, 3, 10)"
    assert chain.read(token, "balanceOf", THERE) == "0"
    assert chain.trace(row)["failure"] == f"reverted in Token.transfer: {error['reason']}"


def test_gas_is_what_executing_took(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    counter = chain.deploy("Counter", "0")
    cheap, dear = chain.send(counter, "push", "1"), chain.send(counter, "push", "20")
    used = [int(row["receipt"]["gasUsed"]) for row in (cheap, dear)]
    # Each further element is a new slot of storage: 20,000 and a cold access.
    assert used[1] - used[0] > 19 * 22_100 - 20_000
    cleared = int(chain.send(counter, "clear")["receipt"]["gasUsed"])
    assert cleared < used[1] // 4, "clearing is refunded"
    estimated = ok(
        api.post(
            "/v2/transactions/estimate",
            json={
                "chainId": AMOY,
                "accountId": chain.account.id,
                "calls": [
                    {"contractId": counter["contract_id"], "functionName": "push", "functionArgs": ["20"]}
                ],
            },
        )
    )
    assert int(estimated["estimatedTXGas"]) > 19 * 22_100


def test_coins_go_where_the_code_sends_them(api: Client, project: Project) -> None:
    chain = Chain.of(api, project, "Simple")
    bank = chain.deploy("Bank", True)
    before = ledger.chain_account(project, AMOY, chain.account.address).balance
    assert chain.send(bank, "deposit", value=str(ETHER // 10))["status"] == "successful"
    assert chain.address(bank["address"])["balance_wei"] == str(ETHER // 10)
    assert chain.send(bank, "withdraw")["status"] == "successful"
    after = ledger.chain_account(project, AMOY, chain.account.address).balance
    assert 0 < before - after < ETHER // 100, "only gas is gone"
    assert sum(row.balance - row.issued for row in project.chains.accounts) == 0


def test_calls_of_a_batch_are_undone_together(api: Client, project: Project) -> None:
    chain = Chain.of(api, project, "Simple")
    counter, reverts = chain.deploy("Counter", "5"), chain.deploy("Reverts")
    add = {"contractId": counter["contract_id"], "functionName": "increment"}
    fail = {"contractId": reverts["contract_id"], "functionName": "text"}
    row = chain.send_calls(add, fail)
    assert (row["status"], row["receipt"]["error"]["reason"]) == ("reverted", "plain text")
    assert chain.read(counter, "count") == "5"
    assert chain.send_calls(add, add)["status"] == "successful"
    assert chain.read(counter, "count") == "7"


def test_a_fate_wins_over_the_code(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    counter = chain.deploy("Counter", "0")
    add_fate(project, "reverted", options={"reason": "because"})
    row = chain.send(counter, "increment")
    assert (row["status"], row["receipt"]["error"]["reason"]) == ("reverted", "because")
    assert chain.read(counter, "count") == "0"


def test_a_reorganized_transaction_executes_again(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    counter = chain.deploy("Counter", "0")
    add_fate(project, "reorged")
    body = {
        "chainId": AMOY,
        "accountId": chain.account.id,
        "calls": [{"contractId": counter["contract_id"], "functionName": "increment"}],
        "waitForReceipt": False,
    }
    ok(api.post("/v2/transactions", json=body))
    TIMER_LOOP.advance(project, project.clock.now_ms + 2_000)
    assert chain.read(counter, "count") == "0", "it is in a block that will be taken back"
    TIMER_LOOP.advance(project, project.clock.now_ms + 10_000)
    assert chain.read(counter, "count") == "1"


def test_code_calls_tokens_that_are_simulated(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    coin = "0x" + "22" * 20
    ok(api.post("/v1/contracts", json={"name": "USD", "chainId": AMOY, "address": coin}))
    batch = chain.deploy("Batch")
    ok(
        api.put(
            f"{CONTROL}/addresses/{batch['address']}", json={"tokens": [{"contract": coin, "balance": "9"}]}
        )
    )
    transfer = bytes.fromhex("a9059cbb") + bytes.fromhex(THERE[2:]).rjust(32, b"\0") + (4).to_bytes(32, "big")
    row = chain.send(batch, "execute", [[coin, "0", "0x" + transfer.hex()]])
    assert row["status"] == "successful"
    assert [log["address"] for log in row["receipt"]["logs"]] == [coin]
    assert chain.address(THERE)["tokens"][0]["balance"] == "4"
    ok(api.put("/_mock/projects/-/settings", json={"strict_token_balances": True}))
    again = chain.send(batch, "execute", [[coin, "0", "0x" + transfer[:-1].hex() + "09"]])
    assert again["receipt"]["error"]["name"] == "CallFailed"
    assert chain.address(THERE)["tokens"][0]["balance"] == "4"


def test_net_changes_are_what_the_code_moves(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    ok(api.put("/_mock/projects/-/settings", json={"native_price_usd": "2"}))
    bank = chain.deploy("Bank", False)
    deposit = CallRecord(bank["address"], ETHER // 2, bytes.fromhex("d0e30db0"), {})
    sender = chain.account.address
    assert net_change(project, AMOY, sender, [deposit]) == Decimal(1)
    # What is put in and taken out at once is no change.
    withdraw = CallRecord(bank["address"], 0, bytes.fromhex("3ccfd60b"), {})
    assert net_change(project, AMOY, sender, [deposit, withdraw]) == 0
    assert chain.address(bank["address"])["balance_wei"] == "0"


def test_a_trace_has_each_call_with_those_that_it_made(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    factory = chain.deploy("Factory")
    row = chain.send(factory, "make", "7", "0x" + "ab" * 32)
    first, made = chain.trace(row)["calls"]
    assert first["call"] == f"Factory.make(7, 0x{'ab' * 32})"
    assert (made["depth"], made["kind"], made["sender"]) == (1, "CREATE2", factory["address"])
    assert chain.trace(row)["failure"] is None
    assert chain.trace({"id": row["receipt"]["transactionHash"]}) == chain.trace(row)


def test_hostile_code_costs_what_it_may(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    ok(api.put("/_mock/projects/-/settings", json={"contract_gas_limit": 200_000}))
    reverts = chain.deploy("Reverts")
    row = chain.send(reverts, "loop")
    assert (row["status"], row["receipt"]["error"]["reason"]) == ("reverted", "out of gas")
    for name, reason in (("loop", "out of gas"), ("text", "plain text")):
        refused = api.get(f"/v1/contracts/{reverts['contract_id']}/read", params={"functionName": name})
        assert refused.status_code == 400
        assert f"the contract reverts with {reason}" in refused.json()["error"]["message"]
    assert len(chain.send(reverts, "big")["receipt"]["error"]["reason"]) < 1_000
