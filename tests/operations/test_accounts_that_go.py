"""What waits for the signature of an account ends with it, so that nothing waits for ever."""

import pytest
from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct
from httpx import Client

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.identity.users import create_user
from mockserver.domain.transactions.account_changes.removal import merge_guest
from mockserver.domain.wallets.accounts import create_contract_account, create_eoa
from mockserver.domain.wallets.wallets import create_wallet, wallet_of_user
from mockserver.state.identity import User
from mockserver.state.project import Project
from mockserver.state.wallets import Account
from tests.accounts import account_of
from tests.operations.responses import ok
from tests.tables import cases

AMOY = 80002
THERE = "0x" + "11" * 20
CALLS = [{"to": THERE, "value": "1"}]
OWNER = EthAccount.from_key(b"\x09" * 32)
REMOVED = "the account was removed before its owner signed"
DISABLED = "the account was disabled before its owner signed"


def waiting(api: Client, account: Account) -> str:
    """The id of a transaction that waits for the signature of an account."""
    made = ok(api.post("/v2/transactions", json={"chainId": AMOY, "accountId": account.id, "calls": CALLS}))
    assert made["status"] == "awaiting_signature"
    return str(made["id"])


def intent_of(api: Client, account_id: str) -> str:
    """The same, made through the older API."""
    made = ok(
        api.post(
            "/v1/transaction_intents", json={"chainId": AMOY, "account": account_id, "interactions": CALLS}
        )
    )
    assert "nextAction" in made
    return str(made["id"])


def assert_failed(api: Client, transaction_id: str, reason: str) -> None:
    ended = ok(api.get(f"/v2/transactions/{transaction_id}"))
    assert (ended["status"], ended["receipt"]["error"]["reason"]) == ("failed", reason)
    assert "nextAction" not in ended
    refused = api.post(f"/v2/transactions/{transaction_id}/signature", json={"signature": "0x" + "11" * 65})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not_awaiting_signature")


@pytest.fixture
def ada(project: Project) -> User:
    user = create_user(project, name="Ada", email="ada@example.com")
    project.undo.mark()
    return user


@cases(
    "method, path, reason",
    ("DELETE", "/v2/accounts/{}", REMOVED),
    ("POST", "/v1/accounts/{}/disable", DISABLED),
)
def test_a_user_with_a_waiting_account_can_be_deleted(
    api: Client, project: Project, ada: User, method: str, path: str, reason: str
) -> None:
    account = account_of(project, held_by="User", wallet=wallet_of_user(project, ada))
    first, second = waiting(api, account), waiting(api, account)
    assert api.delete(f"/v2/users/{ada.id}").status_code == 409
    assert api.request(method, path.format(account.id)).is_success
    for transaction_id in (first, second):
        assert_failed(api, transaction_id, reason)
    ok(api.delete(f"/v2/users/{ada.id}"))


def test_what_was_sent_goes_on_without_its_account(api: Client, project: Project, ada: User) -> None:
    account = account_of(project, held_by="User", wallet=wallet_of_user(project, ada))
    sent = waiting(api, account)
    hashed = ok(api.get(f"/v2/transactions/{sent}"))["nextAction"]["hash"]
    signature = ok(api.post(f"/_mock/projects/-/accounts/{account.id}/sign", json={"hash": hashed}))
    body = {"signature": signature["signature"], "optimistic": True}
    ok(api.post(f"/v1/transaction_intents/{sent}/signature", json=body))
    assert ok(api.get(f"/v2/transactions/{sent}"))["status"] == "sent"
    ok(api.delete(f"/v2/accounts/{account.id}"))
    ok(api.post("/_mock/projects/-/clock/advance", json={"seconds": 2}))
    assert ok(api.get(f"/v2/transactions/{sent}"))["status"] == "successful"


def test_a_session_key_that_was_to_be_registered_has_failed(api: Client, project: Project, ada: User) -> None:
    account = account_of(project, held_by="User", wallet=wallet_of_user(project, ada))
    now = project.clock.now_s
    key = {
        "address": OWNER.address,
        "chainId": AMOY,
        "account": account.id,
        "validAfter": now,
        "validUntil": now + 60,
    }
    session = ok(api.post("/v1/sessions", json=key))
    ok(api.delete(f"/v2/accounts/{account.id}"))
    (row,) = project.onchain.transactions
    assert_failed(api, row.id, REMOVED)
    assert project.session_keys.rows[session["id"]].state == "failed"


def test_a_guests_account_goes_and_leaves_nothing_to_sign(api: Client, project: Project, ada: User) -> None:
    guest = create_user(project, name="", email=None, is_anonymous=True)
    left = waiting(api, account_of(project, held_by="User", wallet=wallet_of_user(project, guest)))
    account_of(project, held_by="User", wallet=wallet_of_user(project, ada))
    merge_guest(project, guest, ada)
    project.undo.mark()
    assert_failed(api, left, REMOVED)


def test_a_backend_delegated_account_leaves_nothing_to_sign(backend: Client, project: Project) -> None:
    owner = create_eoa(project, create_wallet(project), "EVM", held_by="Developer", backend=True)
    account = create_contract_account(project, owner, AMOY, IMPLEMENTATIONS["CaliburV9"])
    project.undo.mark()
    left = intent_of(backend, account.id)
    ok(backend.delete(f"/v2/accounts/backend/{owner.id}"))
    assert_failed(backend, left, REMOVED)


def test_a_developer_account_leaves_nothing_to_sign(api: Client) -> None:
    path = "/v1/settings/developer_accounts"
    text = ok(api.get(f"{path}/message_to_sign", params={"address": OWNER.address}))["message"]
    signature = "0x" + OWNER.sign_message(encode_defunct(text=text)).signature.hex().removeprefix("0x")
    made = ok(api.post(path, json={"address": OWNER.address, "signature": signature}))
    left = intent_of(api, made["id"])
    ok(api.delete(f"{path}/{made['id']}"))
    assert_failed(api, left, REMOVED)
