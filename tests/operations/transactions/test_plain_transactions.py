"""Transactions of externally owned accounts, judged by eth_account."""

from eth_account import Account as EthAccount
from eth_account.typed_transactions import TypedTransaction
from httpx import Client

from mockserver.domain.chains import ledger
from mockserver.state.project import Project
from tests.accounts import account_of
from tests.operations.transactions.helpers import (
    AMOY,
    BASE,
    THERE,
    create,
    events,
    signature_of,
    submit,
    whole,
)
from tests.signing import fee_market_fields, owner_of


def test_a_plain_accounts_transaction_is_that_of_eth_account(api: Client, project: Project) -> None:
    account = account_of(project, "plain", held_by="User")
    row = create(api, account, calls=[{"to": THERE, "value": "5", "data": "0x0102", "dataSuffix": "0x03"}])
    assert row["status"] == "awaiting_signature"
    sent = row["execution"]
    fields = fee_market_fields(sent, AMOY) | {"accessList": []}
    assert sent["data"] == "0x010203"
    assert TypedTransaction.from_dict(fields).hash().hex() == row["nextAction"]["hash"][2:]
    signed = owner_of(project, account).sign_transaction(fields)
    assert EthAccount.recover_transaction(signed.raw_transaction) == account.address == sent["from"]
    done = submit(api, row, signature_of(project, account, row)).json()
    assert done["status"] == "successful"
    assert "nextAction" not in done
    hashed = "0x" + bytes(signed.hash).hex()
    assert done["execution"]["transactionHash"] == done["receipt"]["transactionHash"] == hashed


def test_an_account_in_custody_answers_with_its_receipt(api: Client, project: Project) -> None:
    account = account_of(project, "plain")
    row = create(api, account)
    assert (row["object"], row["status"]) == ("transaction", "successful")
    assert row["updatedAt"] == row["createdAt"] + 2
    receipt = row["receipt"]
    assert receipt["gasUsed"] == "21000"
    assert receipt["gasFee"] == str(21000 * 1_100_000_000)
    assert "l1GasUsed" not in receipt
    assert receipt["to"] == THERE
    assert (row["costUsd"], row["walletId"]) == ("0.05775", account.wallet_id)
    for absent in ("timeline", "account", "feeSponsorship", "feeSponsorshipId", "nextAction"):
        assert absent not in row
    assert "logs" not in receipt
    shown = whole(api, row)
    assert events(shown) == ["new", "sent", "successful"]
    assert shown["account"]["id"] == account.id
    assert shown["receipt"]["logs"] == []
    assert "feeSponsorship" not in shown


def test_nonces_follow_each_other_and_balances_go_down(api: Client, project: Project) -> None:
    account = account_of(project, "plain")
    rows = [create(api, account, BASE) for _ in range(3)]
    assert [row["execution"]["nonce"] for row in rows] == [0, 1, 2]
    spent = sum(1000 + int(row["receipt"]["gasFee"]) + int(row["receipt"]["l1GasFee"]) for row in rows)
    assert ledger.chain_account(project, BASE, account.address).balance == 10**18 - spent
    assert ledger.chain_account(project, BASE, THERE).balance == 3000
    numbers = [row["receipt"]["blockNumber"] for row in rows]
    assert numbers == [numbers[0], numbers[0] + 1, numbers[0] + 2]
