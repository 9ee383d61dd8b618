"""Session keys of developer accounts, which delegate to a contract that knows the keys (EIP-7702)."""

from typing import Any

import pytest
from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct
from httpx import Client

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.chains import ledger
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.project import Project
from tests.fates import add_fate
from tests.operations.responses import error_of, ok
from tests.operations.session_keys.helpers import AMOY, STRANGER, THERE, post, shown, sign_intent, submit
from tests.operations.sponsoring import free_sponsorship
from tests.signing import sign_hash

PATH = "/v1/settings/developer_accounts"
OWNER = EthAccount.from_key(b"\x09" * 32)
ERA_SEPOLIA = 300


@pytest.fixture
def generated(api: Client) -> str:
    """A developer account whose key the service has."""
    return str(ok(api.post(PATH, json={}))["id"])


@pytest.fixture
def registered(api: Client) -> str:
    """A developer account whose owner signs by themselves."""
    text = ok(api.get(f"{PATH}/message_to_sign", params={"address": OWNER.address}))["message"]
    signature = OWNER.sign_message(encode_defunct(text=text)).signature.to_0x_hex()
    return str(ok(api.post(PATH, json={"address": OWNER.address, "signature": signature}))["id"])


def intent_of(api: Client, account: str, **members: Any) -> Any:
    body = {"chainId": AMOY, "account": account, "interactions": [{"to": THERE, "value": "1"}], **members}
    return ok(api.post("/v1/transaction_intents", json=body))


def owner_signs(answer: Any) -> str:
    return sign_hash(OWNER, answer["nextAction"]["payload"]["signableHash"])


def granted(api: Client, project: Project, account: str, **members: Any) -> Any:
    session = ok(post(api, project, account=account, **members))
    return ok(submit(api, session, owner_signs(session)))


def test_a_generated_accounts_key_is_active(api: Client, project: Project, generated: str) -> None:
    session = ok(post(api, project, account=generated, limit=2))
    assert (session["isActive"], session["account"]) == (True, {"id": generated})
    assert shown(api, session) == session
    revoked = ok(post(api, project, "/revoke", account=generated))
    assert (revoked["isActive"], len(revoked["transactionIntents"])) == (False, 2)


def test_the_first_key_delegates_the_account(api: Client, project: Project, registered: str) -> None:
    assert intent_of(api, registered)["abstractionType"] == "standard"
    session = ok(post(api, project, account=registered))
    assert session["isActive"] is False
    payload = session["nextAction"]["payload"]
    assert payload["signableHash"] == payload["userOperationHash"]
    assert ok(submit(api, session, owner_signs(session)))["isActive"] is True
    delegate = ledger.chain_account(project, AMOY, OWNER.address).delegate
    assert delegate == IMPLEMENTATIONS["CaliburV9"].address
    assert intent_of(api, registered)["abstractionType"] == "accountAbstractionV9"


def test_a_key_signs_for_the_account_until_its_limit(api: Client, project: Project, registered: str) -> None:
    session = granted(api, project, registered, limit=1)
    intent = intent_of(api, registered)
    assert error_of(sign_intent(api, intent, STRANGER))[1] == "invalid_signature"
    assert ok(sign_intent(api, intent))["response"]["status"] == 1
    assert shown(api, session)["isActive"] is False
    again = intent_of(api, registered)
    assert error_of(sign_intent(api, again))[1] == "session_key_limit_reached"
    assert ok(sign_intent(api, again, OWNER))["response"]["status"] == 1


def test_an_owner_alone_signs_a_plain_one(api: Client, project: Project, registered: str) -> None:
    plain = intent_of(api, registered)
    granted(api, project, registered)
    assert error_of(sign_intent(api, plain))[:2] == (409, "invalid_signature")
    assert ok(sign_intent(api, plain, OWNER))["response"]["status"] == 1


def test_the_registration_can_be_sponsored(api: Client, project: Project, generated: str) -> None:
    policy = free_sponsorship(project)
    session = ok(post(api, project, account=generated, policy=policy))
    whole = shown(api, session, expand="transactionIntents")["transactionIntents"][0]
    assert (session["isActive"], whole["policy"]) == (True, {"id": policy})


def test_a_key_is_revoked_by_its_id(api: Client, project: Project, registered: str) -> None:
    session = granted(api, project, registered)
    body = {"address": session["id"], "chainId": AMOY}
    revoking = ok(api.post("/v1/sessions/revoke", json=body))
    assert ok(submit(api, session, owner_signs(revoking)))["isActive"] is False


def test_a_waiting_key_is_revoked_at_once(api: Client, project: Project, registered: str) -> None:
    session = ok(post(api, project, account=registered))
    assert ok(post(api, project, "/revoke", account=registered))["isActive"] is False
    assert error_of(submit(api, session, owner_signs(session)))[1] == "not_awaiting_signature"


def test_a_key_ends_with_its_account(api: Client, project: Project, registered: str) -> None:
    session = granted(api, project, registered)
    waiting = ok(post(api, project, account=registered, address=STRANGER.address))
    assert api.delete(f"{PATH}/{registered}").status_code == 200
    assert (shown(api, session)["isActive"], "nextAction" in shown(api, waiting)) == (False, False)
    TIMER_LOOP.advance(project, project.clock.now_ms + 4_000_000)
    gone = api.post("/v1/sessions/revoke", json={"address": session["id"], "chainId": AMOY})
    assert error_of(gone) == (404, "account_not_found", "address")


def test_a_reverted_registration_delegates(api: Client, project: Project, registered: str) -> None:
    add_fate(project, "reverted")
    project.undo.mark()
    assert granted(api, project, registered)["isActive"] is False
    assert intent_of(api, registered)["abstractionType"] == "accountAbstractionV9"


def test_no_delegation_means_no_developer_keys(api: Client, project: Project, generated: str) -> None:
    refused = post(api, project, account=generated, chainId=ERA_SEPOLIA)
    assert error_of(refused) == (400, "implementation_not_available", "chainId")
    assert len(project.session_keys.rows) == 0
