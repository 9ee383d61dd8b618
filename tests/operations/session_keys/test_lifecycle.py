"""How a session key is registered, expires and is revoked."""

from eth_abi import encode
from eth_account import Account as EthAccount
from eth_utils import keccak
from httpx import Client

from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.project import Project
from tests.accounts import account_of
from tests.fates import add_fate
from tests.operations.responses import error_of, ok
from tests.operations.session_keys.helpers import (
    AMOY,
    SESSION,
    STRANGER,
    THERE,
    granted,
    owner_signs,
    post,
    shown,
    submit,
)
from tests.signing import sign_hash
from tests.tables import cases


def test_a_key_of_a_custodial_account_is_active_at_once(api: Client, project: Project) -> None:
    account = account_of(project)
    session = ok(post(api, project, account=account.id, limit=3, whitelist=[THERE]))
    assert session["object"] == "session"
    assert session["isActive"] is True
    assert "nextAction" not in session
    assert session["address"] == SESSION.address
    assert session["validAfter"] == str(session["createdAt"])
    assert session["validUntil"] == str(session["createdAt"] + 3600)
    assert session["limit"] == 3
    assert session["whitelist"] == [THERE]
    assert session["account"] == {"id": account.id}
    whole = shown(api, session, expand="transactionIntents")["transactionIntents"][0]
    assert whole["response"]["status"] == 1
    revoked = ok(post(api, project, "/revoke", account=account.id))
    assert revoked["isActive"] is False
    assert len(revoked["transactionIntents"]) == 2


def test_a_users_key_is_active_once_its_owner_has_signed(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    session = ok(post(api, project, account=account.id))
    assert session["isActive"] is False
    payload = session["nextAction"]["payload"]
    assert payload["signableHash"] == payload["userOpHash"] == payload["userOperationHash"]
    signature = owner_signs(project, account, session)
    assert EthAccount._recover_hash(payload["signableHash"], signature=signature) == account.owner_address
    active = ok(submit(api, session, signature))
    assert active["isActive"] is True
    assert "nextAction" not in active
    assert error_of(submit(api, session, signature))[:2] == (409, "not_awaiting_signature")
    revoking = ok(post(api, project, "/revoke", account=account.id))
    assert revoking["isActive"] is True
    assert ok(post(api, project, "/revoke", account=account.id)) == revoking
    assert ok(submit(api, session, owner_signs(project, account, revoking)))["isActive"] is False
    assert error_of(post(api, project, "/revoke", account=account.id))[:2] == (409, "session_key_inactive")


def test_the_account_is_called_to_register_the_key(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    session = ok(post(api, project, account=account.id, limit=2, whitelist=[THERE]))
    types = ["address", "uint48", "uint48", "uint48", "address[]"]
    window = [int(session["validAfter"]), int(session["validUntil"])]
    arguments = encode(types, [SESSION.address, *window, 2, [THERE]])
    register = keccak(f"registerSessionKey({','.join(types)})".encode())[:4] + arguments
    outer = ["address", "uint256", "bytes"]
    execute = keccak(b"execute(address,uint256,bytes)")[:4] + encode(outer, [account.address, 0, register])
    assert session["nextAction"]["payload"]["userOperation"]["callData"] == "0x" + execute.hex()


def test_the_publishable_key_is_enough_to_hand_in_a_signature(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    session = ok(post(api, project, account=account.id))
    api.headers["authorization"] = f"Bearer {project.publishable_key}"
    signature = owner_signs(project, account, session)
    assert ok(submit(api, session, signature, optimistic=True))["isActive"] is True


def test_a_strangers_signature_registers_nothing(api: Client, project: Project) -> None:
    session = ok(post(api, project, account=account_of(project, held_by="User").id))
    digest = session["nextAction"]["payload"]["signableHash"]
    signature = sign_hash(STRANGER, digest)
    assert error_of(submit(api, session, signature)) == (409, "invalid_signature", "signature")
    assert shown(api, session) == session


def test_a_key_expires_by_the_projects_clock(api: Client, project: Project) -> None:
    session = granted(api, project, account_of(project, held_by="User"))
    until_ms = int(session["validUntil"]) * 1000
    TIMER_LOOP.advance(project, until_ms - 1)
    assert shown(api, session)["isActive"] is True
    TIMER_LOOP.advance(project, until_ms)
    assert shown(api, session)["isActive"] is False


@cases("outcome", "reverted", "failed", "dropped")
def test_a_key_whose_registration_fails_is_not_active(api: Client, project: Project, outcome: str) -> None:
    add_fate(project, outcome)
    project.undo.mark()
    session = ok(post(api, project, account=account_of(project).id))
    assert session["isActive"] is False
    assert "nextAction" not in session


def test_a_key_whose_revocation_reverts_stays_active(api: Client, project: Project) -> None:
    account = account_of(project)
    ok(post(api, project, account=account.id))
    add_fate(project, "reverted")
    project.undo.mark()
    assert ok(post(api, project, "/revoke", account=account.id))["isActive"] is True


def test_a_key_reverted_under_its_revocation_stays_inactive(api: Client, project: Project) -> None:
    account = account_of(project)
    add_fate(project, "reverted", count=2)
    project.undo.mark()
    session = ok(post(api, project, account=account.id, optimistic=True))
    ok(post(api, project, "/revoke", account=account.id, optimistic=True))
    TIMER_LOOP.advance(project, project.clock.now_ms + 10_000)
    whole = shown(api, session, expand="transactionIntents")
    assert [each["response"]["status"] for each in whole["transactionIntents"]] == [0, 0]
    assert whole["isActive"] is False


def test_a_wallet_signs_for_its_backend_delegated_account(api: Client, project: Project) -> None:
    assert granted(api, project, account_of(project, "CaliburV9", backend=True))["isActive"] is True


def test_a_waiting_key_is_revoked_and_granted_anew(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    abandoned = ok(post(api, project, account=account.id))
    revoked = ok(post(api, project, "/revoke", account=account.id))
    assert (revoked["id"], revoked["isActive"]) == (abandoned["id"], False)
    assert "nextAction" not in revoked
    again = granted(api, project, account)
    assert (again["isActive"], again["id"] == abandoned["id"]) == (True, False)


@cases("path", "/v1/sessions/{session}", "/v1/transaction_intents/{intent}", "/v2/transactions/{intent}")
def test_what_would_register_a_revoked_key_is_over(api: Client, project: Project, path: str) -> None:
    account = account_of(project, held_by="User")
    session = ok(post(api, project, account=account.id))
    ok(post(api, project, "/revoke", account=account.id))
    intent = session["transactionIntents"][0]["id"]
    place = path.format(session=session["id"], intent=intent)
    late = api.post(f"{place}/signature", json={"signature": owner_signs(project, account, session)})
    assert error_of(late)[:2] == (409, "not_awaiting_signature")
    row = ok(api.get(f"/v2/transactions/{intent}"))
    assert (row["status"], "nextAction" in row) == ("failed", False)
    assert row["receipt"]["error"]["reason"] == "the session key was revoked before it was registered"
    assert shown(api, session)["isActive"] is False


def test_a_wrong_revocation_is_refused_before_the_keys_state(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    waiting = ok(post(api, project, account=account.id))
    unknown = post(api, project, "/revoke", account=account.id, policy="pol_unknown")
    assert error_of(unknown) == (404, "fee_sponsorship_not_found", "policy")
    assert shown(api, waiting) == waiting


def test_a_key_ends_with_its_account(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    session = granted(api, project, account)
    waiting = ok(post(api, project, account=account.id, address=STRANGER.address))
    assert api.delete(f"/v2/accounts/{account.id}").status_code == 200
    assert (shown(api, session)["isActive"], "nextAction" in shown(api, waiting)) == (False, False)
    assert error_of(submit(api, waiting, "0x" + "11" * 65))[:2] == (409, "not_awaiting_signature")
    TIMER_LOOP.advance(project, project.clock.now_ms + 4_000_000)
    assert shown(api, session)["isActive"] is False


def test_a_key_ends_with_its_user(api: Client, project: Project) -> None:
    player = ok(api.post("/v1/accounts", json={"chainId": AMOY}))["player"]["id"]
    session = ok(post(api, project, player=player))
    assert session["isActive"] is True
    assert api.delete(f"/v2/users/{player}").status_code == 200
    assert shown(api, session)["isActive"] is False


def test_a_key_whose_account_is_gone_is_not_revoked(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    session = granted(api, project, account)
    assert api.delete(f"/v2/accounts/{account.id}").status_code == 200
    refused = api.post("/v1/sessions/revoke", json={"address": session["id"], "chainId": AMOY})
    assert error_of(refused) == (404, "account_not_found", "address")
