"""Policies that decide what a backend wallet signs."""

from typing import Any

from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct
from httpx import Client

from mockserver.state.project import Project
from tests.accounts import account_of
from tests.operations.policies_bind.helpers import (
    AMOY,
    HASH,
    OTHER,
    THERE,
    Allow,
    message,
    refused,
    sign,
    to,
    unsigned,
    wallet,
)
from tests.tables import cases


def kept(project: Project) -> list[object]:
    """Everything that outlives a request but the tokens that signed requests spend."""
    return [tuple(table) for table in project.tables if table is not project.wallets.spent_tokens]


def test_without_policies_everything_is_signed(backend: Client) -> None:
    account = wallet(backend)
    for data in (HASH, message("hello"), unsigned(THERE)):
        assert sign(backend, account, data).status_code == 200


def test_a_message_is_signed_if_a_pattern_matches_it(backend: Client, allow: Allow) -> None:
    account = wallet(backend)
    allow("signEvmMessage", {"type": "evmMessage", "operator": "match", "pattern": "^[0-9]+ apples$"})
    signed = sign(backend, account, message("12 apples"))
    assert signed.status_code == 200
    signer = EthAccount.recover_message(
        encode_defunct(text="12 apples"), signature=signed.json()["signature"]
    )
    assert signer == account["address"]
    assert "signEvmMessage" in refused(sign(backend, account, message("a pear")))
    # A policy about messages does not matter for hashes.
    assert sign(backend, account, HASH).status_code == 200


def test_a_refused_signature_leaves_no_trace(backend: Client, project: Project, allow: Allow) -> None:
    account = wallet(backend)
    allow("signEvmHash", action="reject")
    before = kept(project)
    refused(sign(backend, account, HASH))
    assert kept(project) == before


@cases(
    "criterion, accepted, rejected",
    (to(THERE), unsigned(THERE), unsigned(OTHER)),
    ({"type": "ethValue", "operator": "<=", "ethValue": "5"}, unsigned(OTHER, 5), unsigned(OTHER, 6)),
    (
        {
            "type": "evmData",
            "operator": "<=",
            "abi": '[{"type":"function","name":"mint","inputs":[{"name":"n","type":"uint256"}]}]',
            "functionName": "mint",
            "args": {"n": "9"},
        },
        unsigned(THERE, data=bytes.fromhex("a0712d68") + (9).to_bytes(32, "big")),
        unsigned(THERE, data=bytes.fromhex("a0712d68") + (10).to_bytes(32, "big")),
    ),
    ids=["evmAddress", "ethValue", "evmData"],
)
def test_a_transaction_is_signed_for_what_it_does(
    backend: Client, allow: Allow, criterion: dict[str, Any], accepted: str, rejected: str
) -> None:
    account = wallet(backend)
    allow("signEvmTransaction", criterion)
    assert sign(backend, account, accepted).status_code == 200
    assert "signEvmTransaction" in refused(sign(backend, account, rejected))


def test_an_accounts_policy_binds_that_account_alone(backend: Client, allow: Allow) -> None:
    bound, free = wallet(backend), wallet(backend)
    allow("signEvmHash", action="reject", scope="account", accountId=bound["id"])
    refused(sign(backend, bound, HASH))
    assert sign(backend, free, HASH).status_code == 200


def test_an_account_policy_without_accounts_binds_every_one(backend: Client, allow: Allow) -> None:
    first, second = wallet(backend), wallet(backend)
    allow("signEvmHash", action="reject", scope="account")
    assert refused(sign(backend, first, HASH))
    assert refused(sign(backend, second, HASH))


def test_a_disabled_policy_is_not_in_force(backend: Client, api: Client, allow: Allow) -> None:
    account, policy = wallet(backend), allow("signEvmHash", action="reject")
    refused(sign(backend, account, HASH))
    api.post(f"/v2/policies/{policy}", json={"enabled": False})
    assert sign(backend, account, HASH).status_code == 200


def test_a_policy_that_only_sponsors_denies_nothing(backend: Client, project: Project, allow: Allow) -> None:
    allow("sponsorEvmTransaction", to(OTHER))
    assert sign(backend, wallet(backend), HASH).status_code == 200
    sent = {"chainId": AMOY, "accountId": account_of(project).id, "calls": [{"to": THERE}]}
    assert backend.post("/v2/transactions", json=sent).json()["status"] == "successful"


def test_a_message_of_many_digits_is_signed(backend: Client, allow: Allow) -> None:
    account = wallet(backend)
    allow("signEvmMessage", {"type": "evmMessage", "operator": "match", "pattern": "^1+$"})
    assert (
        sign(backend, account, "0x" + (b"\x19Ethereum Signed Message:\n" + b"1" * 5000).hex()).status_code
        == 200
    )
    assert sign(backend, account, message("1" * 5000)).status_code == 200
