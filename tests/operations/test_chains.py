"""The simulated chains when a test turns the screws: prices, reorganizations, coins out of nowhere."""

from typing import Any

import pytest
from httpx import Client

from mockserver.domain.chains import ledger
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.project import Project
from mockserver.state.wallets import Account
from tests.accounts import AccountKind, account_of
from tests.fates import add_fate
from tests.tables import cases

AMOY, BASE = 80002, 84532
THERE = "0x" + "11" * 20
TOKEN = "0x" + "22" * 20
GWEI = 10**9


def create(api: Client, account: Account, chain: int = AMOY, **members: Any) -> Any:
    mint = {"to": TOKEN, "functionName": "mint(address,uint256)", "functionArgs": [THERE, "5"]}
    body = {"chainId": chain, "accountId": account.id, "calls": [mint], **members}
    made = api.post("/v2/transactions", json=body)
    assert made.status_code == 200, made.text
    return made.json()


def whole(api: Client, row: Any) -> Any:
    expand = {"expand": ["timeline", "logs", "userOperation"]}
    return api.get(f"/v2/transactions/{row['id']}", params=expand).json()


def events(row: Any) -> list[str]:
    return [event["event"] for event in row["timeline"]]


def set_chain(api: Client, chain: int, **prices: Any) -> None:
    answer = api.put("/_mock/projects/-/settings", json={"chains": {str(chain): prices}})
    assert answer.status_code == 200, answer.text


# --- prices --------------------------------------------------------------------------------------------


def test_the_chains_that_are_known_by_name_have_a_currency(api: Client) -> None:
    answer = api.get("/_mock/networks").json()
    assert answer["total"] == len(answer["data"])
    known = {each["chain_id"]: each for each in answer["data"]}
    usdc = "0x41e94eb019c0762f9bfcf9fb1e58725bfb0e7582"
    amoy = {"chain_id": AMOY, "name": "Polygon Amoy", "testnet": True, "currency": "POL", "usdc": usdc}
    assert known[AMOY] == amoy
    assert known[100]["usdc"] is None


def test_gas_costs_what_the_chain_is_set_to(api: Client, project: Project) -> None:
    account = account_of(project, "plain", chain=BASE)
    set_chain(api, BASE, base_fee_wei=7, priority_fee_wei=2, l1_gas_price_wei=3, native_price_usd="10")
    row = create(api, account, BASE)
    receipt = row["receipt"]
    assert int(receipt["gasFee"]) == 9 * int(receipt["gasUsed"])
    assert int(receipt["l1GasFee"]) == 3 * int(receipt["l1GasUsed"])
    total = int(receipt["gasFee"]) + int(receipt["l1GasFee"])
    assert float(row["costUsd"]) == pytest.approx(total * 10 / 10**18, abs=1e-8)
    shown = api.get(f"/_mock/projects/-/chains/{BASE}").json()
    assert (shown["base_fee_wei"], shown["priority_fee_wei"], shown["name"]) == ("7", "2", "Base Sepolia")


@cases("kind", "plain", "Simple")
def test_an_underpriced_one_is_mined_when_cheap(api: Client, project: Project, kind: AccountKind) -> None:
    account = account_of(project, kind)
    row = create(api, account, waitForReceipt=False)
    set_chain(api, AMOY, base_fee_wei=100 * GWEI)
    TIMER_LOOP.advance(project, project.clock.now_ms + 3600_000)
    assert whole(api, row)["status"] == "sent"
    set_chain(api, AMOY, base_fee_wei=2 * GWEI, priority_fee_wei=5 * GWEI)
    TIMER_LOOP.advance(project, project.clock.now_ms + 1)
    done = whole(api, row)
    assert done["status"] == "successful"
    # It pays what it offered for priority, and never more than it offered in all: two gwei and a tenth.
    assert int(done["receipt"]["gasFee"]) == int(done["receipt"]["gasUsed"]) * 21 * GWEI // 10


def test_prices_that_are_none_are_refused(api: Client) -> None:
    wrongs: tuple[dict[str, dict[str, object]], ...] = (
        {"84532": {"base_fee_wei": -1}},
        {"84532": {"base_fee_wei": "1"}},
        {"x": {}},
        {"1": {"fee": 1}},
    )
    for wrong in wrongs:
        answer = api.put("/_mock/projects/-/settings", json={"chains": wrong})
        assert answer.status_code == 400, wrong
        assert answer.json()["param"].startswith("chains")


# --- reorganizations -----------------------------------------------------------------------------------


@cases("kind", "plain", "Simple", "CaliburV9")
def test_a_client_sees_a_reorganization(api: Client, project: Project, kind: AccountKind) -> None:
    add_fate(project, "reorged")
    project.undo.mark()
    first = create(api, account_of(project, kind))
    assert (first["status"], "costUsd" in first) == ("successful", True)
    seen = whole(api, first)
    monitored = [] if kind == "plain" else ["indexed", "confirmed"]
    told = ["new", "sent", *monitored, "successful"]
    assert events(seen) == told
    (block,) = {(log["blockNumber"], log["blockHash"]) for log in seen["receipt"]["logs"]}
    assert block == ledger.block_at(project, AMOY, project.clock.now_ms)
    assert not any(log["removed"] for log in seen["receipt"]["logs"])

    TIMER_LOOP.advance(project, project.clock.now_ms + 4_000)
    taken_back = whole(api, first)
    assert (taken_back["status"], events(taken_back)) == ("sent", [*told, "sent"])
    assert not {"receipt", "costUsd"} & taken_back.keys()
    assert ledger.block_by_number(project, AMOY, block[0]).hash != block[1]
    intent = api.get(f"/v1/transaction_intents/{first['id']}").json()
    assert [step["toStatus"] for step in intent["transitions"]][-2:] == ["confirmed", "sent"]
    assert "response" not in intent

    TIMER_LOOP.advance(project, project.clock.now_ms + 2_000)
    again = whole(api, first)
    assert (again["status"], events(again)) == ("successful", [*told, "sent", *monitored, "successful"])
    logs = again["receipt"]["logs"]
    assert {(log["blockNumber"], log["blockHash"]) for log in logs if log.get("orphaned")} == {block}
    kept = {(log["blockNumber"], log["blockHash"]) for log in logs if "orphaned" not in log}
    assert kept == {ledger.block_at(project, AMOY, project.clock.now_ms)}
    assert [log["removed"] for log in logs] == [log.get("orphaned", False) for log in logs]
    intent = api.get(f"/v1/transaction_intents/{first['id']}").json()
    assert [step["toStatus"] for step in intent["transitions"]][-3:] == ["sent", "indexed", "confirmed"]


def test_what_is_taken_back_has_moved_nothing_yet(api: Client, project: Project) -> None:
    account = account_of(project, "plain")
    add_fate(project, "reorged")
    project.undo.mark()
    sent = create(api, account)
    assert ledger.chain_account(project, AMOY, account.address).balance == 10**18
    again = create(api, account)
    assert [each["status"] for each in (whole(api, sent), again)] == ["successful"] * 2
    assert whole(api, sent)["receipt"]["blockNumber"] <= again["receipt"]["blockNumber"]
    here = ledger.chain_account(project, AMOY, account.address)
    assert (here.reserved, here.nonce) == (0, 2)
    assert here.balance == 10**18 - sum(int(each["receipt"]["gasFee"]) for each in (whole(api, sent), again))


def test_a_transaction_may_be_lost_with_its_block(api: Client, project: Project) -> None:
    account = account_of(project, "Simple")
    add_fate(project, "reorged", options={"reincluded": False})
    project.undo.mark()
    row = create(api, account)
    assert row["status"] == "successful"
    TIMER_LOOP.advance(project, project.clock.now_ms + 4_000)
    row = whole(api, row)
    assert row["status"] == "failed"
    told = ["new", "sent", "indexed", "confirmed", "successful", "sent", "dropped", "failed"]
    assert events(row) == told
    assert "blockNumber" not in row["receipt"]
    assert {log["orphaned"] for log in row["receipt"]["logs"]} == {True}
    here = ledger.chain_account(project, AMOY, account.address)
    assert (here.balance, here.reserved) == (10**18, 0)


def test_blocks_are_taken_back_by_hand(api: Client, project: Project) -> None:
    account = account_of(project, "Simple")
    early = create(api, account)
    TIMER_LOOP.advance(project, project.clock.now_ms + 60_000)
    late = create(api, account)
    elsewhere = create(api, account_of(project, "plain", chain=BASE), BASE)
    answer = api.post(f"/_mock/projects/-/chains/{AMOY}/reorganize", json={"depth": 5}).json()
    assert answer["transactions"] == [late["id"]]
    assert answer["last_block"] - answer["first_block"] == 4
    after = whole(api, late)
    assert after["status"] == "successful"
    assert after["receipt"]["blockNumber"] == late["receipt"]["blockNumber"]
    hashes = {log["blockHash"] for log in after["receipt"]["logs"]}
    assert len(hashes) == 2
    for untouched in (early, elsewhere):
        assert not any("orphaned" in log for log in whole(api, untouched)["receipt"]["logs"])
    again = api.post(f"/_mock/projects/-/chains/{AMOY}/reorganize", json={"depth": 10_000}).json()
    assert again["transactions"] == [early["id"], late["id"]]
    assert len({log["blockHash"] for log in whole(api, late)["receipt"]["logs"]}) == 3


def test_a_reorganization_without_transactions_is_refused(api: Client, project: Project) -> None:
    path = "/_mock/projects/-/chains/{}/reorganize"
    nothing = api.post(path.format(BASE))
    assert (nothing.status_code, nothing.json()["type"]) == (409, "urn:mockserver:nothing-to-reorganize")
    assert nothing.json()["detail"].endswith("on chain 84532. The project has no transactions in any block.")
    create(api, account_of(project, "Simple"))
    assert api.post(path.format(BASE)).json()["detail"].endswith("There are transactions on chain 80002.")
    TIMER_LOOP.advance(project, project.clock.now_ms + 8_000)
    shallow = api.post(path.format(AMOY), json={"depth": 4}).json()["detail"]
    assert shallow.startswith("No transaction is in the last 4 blocks")
    assert shallow.endswith("Depth 5 reaches the latest transaction.")
    assert len(project.chains.reorganizations) == 0
    assert api.post(path.format(AMOY), json={"depth": 5}).json()["transactions"]


def places(row: Any) -> set[tuple[str, int]]:
    """The blocks and places of a transaction's logs."""
    return {(log["blockHash"], log["logIndex"]) for log in row["receipt"]["logs"]}


def test_two_transactions_never_have_the_same_place(api: Client, project: Project) -> None:
    rows = []
    for fate in ("reorged", "reorged", "successful"):
        add_fate(project, fate)
        project.undo.mark()
        rows.append(create(api, account_of(project, "Simple"), waitForReceipt=False))
    TIMER_LOOP.advance(project, project.clock.now_ms + 60_000)
    first, second, third = (whole(api, row) for row in rows)
    assert {row["status"] for row in (first, second, third)} == {"successful"}
    assert not places(first) & places(second)
    assert not places(third) & (places(first) | places(second))


def test_the_index_of_a_departed_transaction_stays_unused(api: Client, project: Project) -> None:
    sent = []
    for wait_ms, fate in ((1_000, "reorged"), (3_100, "reorged"), (100, "successful")):
        TIMER_LOOP.advance(project, project.clock.now_ms + wait_ms)
        add_fate(project, fate)
        project.undo.mark()
        sent.append(create(api, account_of(project, "plain"), waitForReceipt=False))
    TIMER_LOOP.advance(project, project.clock.now_ms + 20_000)
    found = [place for row in sent for place in places(whole(api, row))]
    assert len(found) == len(set(found)) > 6


def test_what_is_in_a_block_has_its_fate(api: Client, project: Project) -> None:
    add_fate(project, "reorged")
    project.undo.mark()
    row = create(api, account_of(project, "Simple"))
    better = {"outcome": "successful", "transaction_id": row["id"]}
    refused = api.post("/_mock/projects/-/fates", json=better)
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:mockserver:already-settled")
    TIMER_LOOP.advance(project, project.clock.now_ms + 4_000)
    assert api.post("/_mock/projects/-/fates", json={**better, "outcome": "dropped"}).status_code == 201
    TIMER_LOOP.advance(project, project.clock.now_ms + 2_000)
    assert whole(api, row)["status"] == "failed"


def test_taking_blocks_back_by_hand_names_what_was_seen_in_them(api: Client, project: Project) -> None:
    add_fate(project, "reorged")
    project.undo.mark()
    row = create(api, account_of(project, "Simple"), waitForReceipt=False)
    TIMER_LOOP.advance(project, project.clock.now_ms + 2_500)
    taken = api.post(f"/_mock/projects/-/chains/{AMOY}/reorganize", json={"depth": 2}).json()
    assert taken["transactions"] == [row["id"]]
    TIMER_LOOP.advance(project, project.clock.now_ms + 20_000)
    done = whole(api, row)
    assert done["status"] == "successful"
    orphaned = {log["blockHash"] for log in done["receipt"]["logs"] if "orphaned" in log}
    assert len(orphaned) == 2


def test_an_underpriced_transaction_is_not_provisional(api: Client, project: Project) -> None:
    add_fate(project, "reorged")
    project.undo.mark()
    row = create(api, account_of(project, "Simple"), waitForReceipt=False)
    set_chain(api, AMOY, base_fee_wei=100 * GWEI)
    TIMER_LOOP.advance(project, project.clock.now_ms + 3600_000)
    assert events(whole(api, row)) == ["new", "sent"]
    set_chain(api, AMOY, base_fee_wei=1)
    TIMER_LOOP.advance(project, project.clock.now_ms + 60_000)
    once = ["sent", "indexed", "confirmed", "successful"]
    assert events(whole(api, row)) == ["new", *once, *once]


def test_a_depth_that_is_none_is_refused(api: Client) -> None:
    for wrong in (0, -1, 10_001, "2"):
        answer = api.post(f"/_mock/projects/-/chains/{AMOY}/reorganize", json={"depth": wrong})
        assert (answer.status_code, answer.json()["param"]) == (400, "depth")


# --- coins ---------------------------------------------------------------------------------------------


def test_a_poor_account_fails_and_a_funded_one_does_not(api: Client, project: Project) -> None:
    account = account_of(project, "plain")
    path = f"/_mock/projects/-/chains/{AMOY}/addresses/{account.address}"
    assert api.put(path, json={"balance_wei": "0"}).json()["balance_wei"] == "0"
    assert create(api, account)["receipt"]["error"]["reason"].startswith("insufficient funds")
    api.put(path, json={"balance_wei": str(10**18)})
    done = create(api, account)
    assert done["status"] == "successful"
    shown = api.get(path).json()
    assert int(shown["balance_wei"]) == 10**18 - int(done["receipt"]["gasFee"])
    assert (shown["nonce"], shown["reserved_wei"]) == (1, "0")


@cases("kind, reason", ("plain", "insufficient funds"), ("Simple", "AA21"))
def test_unpayable_gas_keeps_a_transaction_out_of_the_block(
    api: Client, project: Project, kind: AccountKind, reason: str
) -> None:
    account = account_of(project, kind)
    row = create(api, account, waitForReceipt=False)
    path = f"/_mock/projects/-/chains/{AMOY}/addresses/{account.address}"
    assert int(api.get(path).json()["reserved_wei"]) > 0
    api.put(path, json={"balance_wei": "1"})
    TIMER_LOOP.advance(project, project.clock.now_ms + 2000)
    done = whole(api, row)
    assert done["status"] == "failed"
    assert done["receipt"]["error"]["reason"].startswith(reason)
    assert api.get(path).json()["balance_wei"] == "1"


def test_an_unknown_address_has_nothing(api: Client, project: Project) -> None:
    shown = api.get(f"/_mock/projects/-/chains/{AMOY}/addresses/{THERE}").json()
    assert (shown["balance_wei"], shown["tokens"], shown["deployed"]) == ("0", [], False)
    assert len(project.chains.accounts) == 0
