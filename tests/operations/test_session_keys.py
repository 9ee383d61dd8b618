"""Session keys through the API: hashes and signatures judged by eth_account."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from eth_abi import encode
from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct
from eth_utils import keccak

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.identity.users import user_of_email
from mockserver.domain.transactions.fates import add_fate
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.domain.wallets.accounts import create_contract_account, create_eoa
from mockserver.domain.wallets.custody import key_of
from mockserver.domain.wallets.wallets import create_wallet, wallet_of_user
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Custody, Wallet

AMOY = 80002
THERE = "0x" + "11" * 20
ELSEWHERE = "0x" + "22" * 20
SESSION = EthAccount.from_key(b"\x05" * 32)
STRANGER = EthAccount.from_key(b"\x06" * 32)


def account_of(
    project: Project,
    held_by: Custody = "User",
    kind: str = "UpgradeableV6",
    wallet: Wallet | None = None,
    backend: bool = False,
) -> Account:
    owner = create_eoa(project, wallet or create_wallet(project), "EVM", held_by=held_by, backend=backend)
    if kind != "plain":
        owner = create_contract_account(project, owner, AMOY, IMPLEMENTATIONS[kind])  # type: ignore[index]
    project.undo.mark()
    return owner


def post(api: httpx.Client, project: Project, path: str = "", **members: Any) -> httpx.Response:
    now_s = project.clock.now_s
    window = {"validAfter": now_s, "validUntil": now_s + 3600}
    body = {"address": SESSION.address, "chainId": AMOY, **(window if not path else {}), **members}
    return api.post(f"/v1/sessions{path}", json=body)


def ok(response: httpx.Response) -> Any:
    assert response.status_code == 200, response.text
    return response.json()


def error_of(response: httpx.Response) -> tuple[int, str, str | None]:
    error = response.json()["error"]
    return response.status_code, error["code"], error.get("param")


def owner_signs(project: Project, account: Account, answer: Any) -> str:
    key = key_of(project, account)
    assert key is not None
    digest = answer["nextAction"]["payload"]["signableHash"]
    return "0x" + bytes(EthAccount.unsafe_sign_hash(digest, key.secret).signature).hex()


def submit(api: httpx.Client, session: Any, signature: str, **members: Any) -> httpx.Response:
    return api.post(f"/v1/sessions/{session['id']}/signature", json={"signature": signature, **members})


def granted(api: httpx.Client, project: Project, account: Account, **members: Any) -> Any:
    """A session key of a user's account, registered with the owner's signature."""
    session = ok(post(api, project, account=account.id, **members))
    return ok(submit(api, session, owner_signs(project, account, session)))


def shown(api: httpx.Client, session: Any, **query: str) -> Any:
    return ok(api.get(f"/v1/sessions/{session['id']}", params=query))


def intent_of(api: httpx.Client, account: Account, *targets: str) -> Any:
    interactions = [{"to": target, "value": "1"} for target in targets or (THERE,)]
    body = {"chainId": AMOY, "account": account.id, "interactions": interactions}
    return ok(api.post("/v1/transaction_intents", json=body))


def sign_intent(
    api: httpx.Client, intent: Any, signer: Any = SESSION, eip191: bool = False
) -> httpx.Response:
    digest = intent["nextAction"]["payload"]["signableHash"]
    signed = signer.sign_message(encode_defunct(hexstr=digest)) if eip191 else signer.unsafe_sign_hash(digest)
    signature = {"signature": "0x" + bytes(signed.signature).hex()}
    return api.post(f"/v1/transaction_intents/{intent['id']}/signature", json=signature)


# --- life ----------------------------------------------------------------------------------------------


def test_a_key_of_a_custodial_account_is_active_at_once(api: httpx.Client, project: Project) -> None:
    account = account_of(project, "Developer")
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


def test_a_users_key_is_active_once_its_owner_has_signed(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
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
    revoked = ok(submit(api, session, owner_signs(project, account, revoking)))
    assert revoked["isActive"] is False
    assert error_of(post(api, project, "/revoke", account=account.id))[:2] == (409, "session_key_inactive")


def test_the_account_is_called_to_register_the_key(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    session = ok(post(api, project, account=account.id, limit=2, whitelist=[THERE]))
    types = ["address", "uint48", "uint48", "uint48", "address[]"]
    window = [int(session["validAfter"]), int(session["validUntil"])]
    arguments = encode(types, [SESSION.address, *window, 2, [THERE]])
    register = keccak(f"registerSessionKey({','.join(types)})".encode())[:4] + arguments
    outer = ["address", "uint256", "bytes"]
    execute = keccak(b"execute(address,uint256,bytes)")[:4] + encode(outer, [account.address, 0, register])
    assert session["nextAction"]["payload"]["userOperation"]["callData"] == "0x" + execute.hex()


def test_the_publishable_key_is_enough_to_hand_in_a_signature(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    session = ok(post(api, project, account=account.id))
    api.headers["authorization"] = f"Bearer {project.publishable_key}"
    signature = owner_signs(project, account, session)
    assert ok(submit(api, session, signature, optimistic=True))["isActive"] is True


def test_a_strangers_signature_registers_nothing(api: httpx.Client, project: Project) -> None:
    session = ok(post(api, project, account=account_of(project).id))
    digest = session["nextAction"]["payload"]["signableHash"]
    signature = "0x" + bytes(STRANGER.unsafe_sign_hash(digest).signature).hex()
    assert error_of(submit(api, session, signature)) == (409, "invalid_signature", "signature")
    assert shown(api, session) == session


def test_a_key_expires_by_the_projects_clock(api: httpx.Client, project: Project) -> None:
    session = granted(api, project, account_of(project))
    until_ms = int(session["validUntil"]) * 1000
    TIMER_LOOP.advance(project, until_ms - 1)
    assert shown(api, session)["isActive"] is True
    TIMER_LOOP.advance(project, until_ms)
    assert shown(api, session)["isActive"] is False


@pytest.mark.parametrize("outcome", ["reverted", "failed", "dropped"])
def test_a_key_whose_registration_fails_is_not_active(
    api: httpx.Client, project: Project, outcome: str
) -> None:
    add_fate(project, outcome)
    project.undo.mark()
    session = ok(post(api, project, account=account_of(project, "Developer").id))
    assert session["isActive"] is False
    assert "nextAction" not in session


def test_a_key_whose_revocation_reverts_stays_active(api: httpx.Client, project: Project) -> None:
    account = account_of(project, "Developer")
    ok(post(api, project, account=account.id))
    add_fate(project, "reverted")
    project.undo.mark()
    assert ok(post(api, project, "/revoke", account=account.id))["isActive"] is True


def test_a_key_whose_registration_reverts_under_its_revocation_stays_inactive(
    api: httpx.Client, project: Project
) -> None:
    account = account_of(project, "Developer")
    add_fate(project, "reverted", count=2)
    project.undo.mark()
    session = ok(post(api, project, account=account.id, optimistic=True))
    ok(post(api, project, "/revoke", account=account.id, optimistic=True))
    TIMER_LOOP.advance(project, project.clock.now_ms + 10_000)
    whole = shown(api, session, expand="transactionIntents")
    assert [each["response"]["status"] for each in whole["transactionIntents"]] == [0, 0]
    assert whole["isActive"] is False


def test_a_backend_wallets_delegated_account_is_signed_for_by_its_wallet(
    api: httpx.Client, project: Project
) -> None:
    account = account_of(project, "Developer", "CaliburV9", backend=True)
    assert granted(api, project, account)["isActive"] is True


def test_a_key_that_waits_for_its_owner_is_revoked_and_granted_anew(
    api: httpx.Client, project: Project
) -> None:
    account = account_of(project)
    abandoned = ok(post(api, project, account=account.id))
    revoked = ok(post(api, project, "/revoke", account=account.id))
    assert (revoked["id"], revoked["isActive"]) == (abandoned["id"], False)
    assert "nextAction" not in revoked
    again = granted(api, project, account)
    assert (again["isActive"], again["id"] == abandoned["id"]) == (True, False)


@pytest.mark.parametrize(
    "path",
    ["/v1/sessions/{session}", "/v1/transaction_intents/{intent}", "/v2/transactions/{intent}"],
)
def test_what_would_have_registered_a_revoked_key_is_not_signed_any_more(
    api: httpx.Client, project: Project, path: str
) -> None:
    account = account_of(project)
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


def test_what_is_wrong_with_a_revocation_comes_before_what_became_of_the_key(
    api: httpx.Client, project: Project
) -> None:
    account = account_of(project)
    waiting = ok(post(api, project, account=account.id))
    unknown = post(api, project, "/revoke", account=account.id, policy="pol_unknown")
    assert error_of(unknown) == (404, "fee_sponsorship_not_found", "policy")
    assert shown(api, waiting) == waiting


# --- finding -------------------------------------------------------------------------------------------


def test_an_owner_outside_of_the_mock_gets_an_account(api: httpx.Client, project: Project) -> None:
    session = ok(post(api, project, externalOwnerAddress=STRANGER.address))
    digest = session["nextAction"]["payload"]["signableHash"]
    signature = "0x" + bytes(STRANGER.unsafe_sign_hash(digest).signature).hex()
    assert ok(submit(api, session, signature))["isActive"] is True


def test_a_players_keys_are_listed_newest_first(api: httpx.Client, project: Project) -> None:
    account = account_of(project, "Developer")
    first = ok(post(api, project, player=account.wallet_id))
    second = ok(post(api, project, player=account.wallet_id, address=STRANGER.address))
    ok(post(api, project, account=account_of(project).id))
    listed = ok(api.get("/v1/sessions", params={"player": account.wallet_id}))
    assert [row["id"] for row in listed["data"]] == [second["id"], first["id"]]
    assert error_of(api.get("/v1/sessions")) == (400, "invalid_parameters", "player")
    assert error_of(api.get("/v1/sessions/ses_none"))[:2] == (404, "session_key_not_found")


def test_a_key_is_revoked_by_its_id_too(api: httpx.Client, project: Project) -> None:
    session = ok(post(api, project, account=account_of(project, "Developer").id))
    assert ok(post(api, project, "/revoke", address=session["id"]))["isActive"] is False


def test_a_key_ends_with_its_account(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    session = granted(api, project, account)
    waiting = ok(post(api, project, account=account.id, address=STRANGER.address))
    assert api.delete(f"/v2/accounts/{account.id}").status_code == 200
    assert (shown(api, session)["isActive"], "nextAction" in shown(api, waiting)) == (False, False)
    refused = submit(api, waiting, "0x" + "11" * 65)
    assert error_of(refused)[:2] == (409, "not_awaiting_signature")
    TIMER_LOOP.advance(project, project.clock.now_ms + 4_000_000)
    assert shown(api, session)["isActive"] is False


def test_a_key_ends_with_its_user(api: httpx.Client, project: Project) -> None:
    player = ok(api.post("/v1/accounts", json={"chainId": AMOY}))["player"]["id"]
    session = ok(post(api, project, player=player))
    assert session["isActive"] is True
    assert api.delete(f"/v2/users/{player}").status_code == 200
    assert shown(api, session)["isActive"] is False


def test_a_key_whose_account_is_gone_is_not_revoked(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    session = granted(api, project, account)
    assert api.delete(f"/v2/accounts/{account.id}").status_code == 200
    refused = api.post("/v1/sessions/revoke", json={"address": session["id"], "chainId": AMOY})
    assert error_of(refused) == (404, "account_not_found", "address")


def test_a_user_grants_and_revokes_keys_of_their_own(
    api: httpx.Client, project: Project, visitor: httpx.Client, signed_in: Callable[[str], dict[str, str]]
) -> None:
    visitor.headers.update(signed_in("ann@example.com"))
    user = user_of_email(project, "ann@example.com")
    assert user is not None
    account = account_of(project, wallet=wallet_of_user(project, user))
    session = granted(visitor, project, account)
    foreign = granted(api, project, account_of(project))
    assert session["account"] == {"id": account.id}
    assert error_of(post(visitor, project, "/revoke", address=foreign["id"]))[0] == 404
    assert ok(post(visitor, project, "/revoke"))["nextAction"]
    assert error_of(submit(visitor, foreign, "0x" + "11" * 65))[:2] == (404, "session_key_not_found")


def test_only_the_latest_ten_intents_are_shown(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    session = granted(api, project, account)
    made = [ok(sign_intent(api, intent_of(api, account)))["id"] for _ in range(11)]
    assert [each["id"] for each in shown(api, session)["transactionIntents"]] == made[:0:-1]


@pytest.mark.parametrize(
    ("members", "refused"),
    [
        ({}, (400, "invalid_parameters", "player")),
        ({"account": "acc_none"}, (404, "account_not_found", "account")),
        ({"player": "pla_none"}, (404, "wallet_not_found", "player")),
        ({"validAfter": 5, "validUntil": 5}, (400, "invalid_parameters", "validUntil")),
        ({"validAfter": 5, "validUntil": 6}, (400, "invalid_parameters", "validUntil")),
        ({"limit": 0}, (400, "invalid_parameters", "limit")),
        ({"address": "0x12"}, (400, "invalid_parameters", "address")),
        ({"address": "0x" + "00" * 20}, (400, "invalid_parameters", "address")),
        ({"whitelist": ["0x12"], "player": ""}, (400, "invalid_parameters", "player")),
        ({"chainId": 1}, (400, "chain_of_other_mode", "chainId")),
    ],
)
def test_a_refused_key_leaves_no_trace(
    api: httpx.Client, project: Project, members: dict[str, Any], refused: tuple[int, str, str]
) -> None:
    before = project.entropy.draws(), [len(table) for table in project.tables()], len(project.timers)
    assert error_of(post(api, project, **members)) == refused
    after = project.entropy.draws(), [len(table) for table in project.tables()], len(project.timers)
    assert after == before


def test_what_only_the_account_can_tell_is_refused_too(api: httpx.Client, project: Project) -> None:
    plain = account_of(project, kind="plain")
    assert error_of(post(api, project, account=plain.id)) == (400, "invalid_parameters", "account")
    account = account_of(project)
    wrong = post(api, project, account=account.id, whitelist=[THERE, "0x12"])
    assert error_of(wrong) == (400, "invalid_parameters", "whitelist[1]")
    ok(post(api, project, account=account.id))
    assert error_of(post(api, project, account=account.id)) == (409, "session_key_already_exists", "address")


def test_a_contract_of_another_chain_is_on_no_whitelist(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    body = {"name": "Coin", "chainId": 11155111, "address": THERE}
    elsewhere = ok(api.post("/v1/contracts", json=body))["id"]
    here = ok(api.post("/v1/contracts", json={**body, "chainId": AMOY}))["id"]
    wrong = post(api, project, account=account.id, whitelist=[here, elsewhere])
    assert error_of(wrong) == (400, "invalid_parameters", "whitelist[1]")
    assert "the contract is on chain 11155111, not 80002" in wrong.text
    assert ok(post(api, project, account=account.id, whitelist=[here]))["whitelist"] == [THERE]


def test_what_is_wrong_with_a_request_comes_before_the_key_that_is_there(
    api: httpx.Client, project: Project
) -> None:
    account = account_of(project)
    granted(api, project, account)
    elsewhere = post(api, project, account=account.id, chainId=84532)
    assert error_of(elsewhere) == (400, "invalid_parameters", "chainId")
    unknown = post(api, project, account=account.id, policy="pol_unknown")
    assert error_of(unknown) == (404, "fee_sponsorship_not_found", "policy")


def test_who_has_a_plain_key_alone_is_named_as_they_were_asked_for(
    api: httpx.Client, project: Project
) -> None:
    plain = account_of(project, kind="plain")
    by_account = post(api, project, account=plain.id)
    assert error_of(by_account) == (400, "invalid_parameters", "account")
    by_player = post(api, project, player=plain.wallet_id)
    assert error_of(by_player) == (400, "invalid_parameters", "player")


def test_the_same_idempotency_key_makes_one_key(api: httpx.Client, project: Project) -> None:
    api.headers["x-idempotency-key"] = "once"
    account = account_of(project, "Developer")
    first = ok(post(api, project, account=account.id, validAfter=1, validUntil=2**40))
    assert ok(post(api, project, account=account.id, validAfter=1, validUntil=2**40)) == first
    assert len(project.session_keys.rows) == 1


# --- signing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("eip191", [False, True])
def test_an_active_key_signs_for_its_account(api: httpx.Client, project: Project, eip191: bool) -> None:
    account = account_of(project)
    session = granted(api, project, account)
    done = ok(sign_intent(api, intent_of(api, account), eip191=eip191))
    assert done["response"]["status"] == 1
    assert shown(api, session)["transactionIntents"][0] == {"id": done["id"]}


def test_a_key_signs_the_newer_transactions_as_well(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    granted(api, project, account)
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE, "value": "1"}]}
    row = ok(api.post("/v2/transactions", json=body))
    signature = "0x" + bytes(SESSION.unsafe_sign_hash(row["nextAction"]["hash"]).signature).hex()
    done = ok(api.post(f"/v2/transactions/{row['id']}/signature", json={"signature": signature}))
    assert done["status"] == "successful"


def test_the_last_use_ends_a_key(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    session = granted(api, project, account, limit=2)
    for left in (True, False):
        ok(sign_intent(api, intent_of(api, account)))
        assert shown(api, session)["isActive"] is left
    intent = intent_of(api, account)
    refused = sign_intent(api, intent)
    assert error_of(refused) == (409, "session_key_limit_reached", "signature")
    again = api.get(f"/v1/transaction_intents/{intent['id']}").json()
    assert again == intent


def test_a_refused_signature_uses_nothing_up(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    session = granted(api, project, account, limit=1, whitelist=[THERE])
    assert error_of(sign_intent(api, intent_of(api, account, ELSEWHERE)))[0] == 409
    used = intent_of(api, account)
    ok(sign_intent(api, used))
    assert error_of(sign_intent(api, used))[:2] == (409, "not_awaiting_signature")
    assert shown(api, session)["isActive"] is False


def test_a_key_signs_within_its_window_alone(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    now_s = project.clock.now_s
    session = granted(api, project, account, validAfter=now_s + 60, validUntil=now_s + 120)
    intent = intent_of(api, account)
    assert error_of(sign_intent(api, intent))[:2] == (409, "session_key_not_yet_valid")
    TIMER_LOOP.advance(project, (now_s + 60) * 1000)
    ok(sign_intent(api, intent))
    late = intent_of(api, account)
    TIMER_LOOP.advance(project, (now_s + 120) * 1000)
    assert error_of(sign_intent(api, late))[:2] == (409, "session_key_expired")
    assert shown(api, session)["isActive"] is False


@pytest.mark.parametrize("targets", [(ELSEWHERE,), (THERE, ELSEWHERE)])
def test_a_key_calls_nothing_off_its_whitelist(
    api: httpx.Client, project: Project, targets: tuple[str, ...]
) -> None:
    account = account_of(project)
    granted(api, project, account, whitelist=[THERE])
    refused = sign_intent(api, intent_of(api, account, *targets))
    assert error_of(refused) == (409, "session_key_not_whitelisted", "signature")
    ok(sign_intent(api, intent_of(api, account, THERE, THERE)))


def key_signs(answer: Any, signer: Any = SESSION) -> str:
    digest = answer["nextAction"]["payload"]["signableHash"]
    return "0x" + bytes(signer.unsafe_sign_hash(digest).signature).hex()


def test_a_valid_key_registers_and_revokes_others(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    session = granted(api, project, account, limit=2)
    other = ok(post(api, project, account=account.id, address=STRANGER.address))
    assert ok(submit(api, other, key_signs(other)))["isActive"] is True
    revoking = ok(post(api, project, "/revoke", account=account.id, address=STRANGER.address))
    assert ok(submit(api, other, key_signs(revoking)))["isActive"] is False
    assert shown(api, session)["isActive"] is False
    assert len(shown(api, other)["transactionIntents"]) == 2
    third = ok(post(api, project, account=account.id, address=STRANGER.address))
    assert error_of(submit(api, third, key_signs(third)))[:2] == (409, "session_key_limit_reached")


def test_a_key_with_a_whitelist_makes_other_keys_only_if_its_account_is_on_it(
    api: httpx.Client, project: Project
) -> None:
    account = account_of(project)
    granted(api, project, account, whitelist=[THERE])
    other = ok(post(api, project, account=account.id, address=STRANGER.address))
    refused = submit(api, other, key_signs(other))
    assert error_of(refused) == (409, "session_key_not_whitelisted", "signature")
    assert shown(api, other)["isActive"] is False
    ok(submit(api, other, owner_signs(project, account, other)))
    listed = EthAccount.from_key(b"\x07" * 32)
    granted(api, project, account, address=listed.address, whitelist=[account.address])
    revoking = ok(post(api, project, "/revoke", account=account.id, address=STRANGER.address))
    assert ok(submit(api, other, key_signs(revoking, listed)))["isActive"] is False


@pytest.mark.parametrize("members", [{}, {"whitelist": [THERE]}, {"limit": 1}])
def test_a_key_gives_itself_up(api: httpx.Client, project: Project, members: dict[str, Any]) -> None:
    account = account_of(project)
    session = granted(api, project, account, **members)
    revoking = ok(post(api, project, "/revoke", account=account.id))
    assert ok(submit(api, session, key_signs(revoking)))["isActive"] is False
    assert granted(api, project, account)["isActive"] is True


def test_a_key_does_not_register_itself(api: httpx.Client, project: Project) -> None:
    session = ok(post(api, project, account=account_of(project).id))
    refused = submit(api, session, key_signs(session))
    assert error_of(refused) == (409, "session_key_inactive", "signature")
    assert shown(api, session) == session


def test_a_key_without_a_whitelist_calls_the_account_itself_for_keys_alone(
    api: httpx.Client, project: Project
) -> None:
    account = account_of(project)
    granted(api, project, account)
    refused = sign_intent(api, intent_of(api, account, account.address))
    assert error_of(refused) == (409, "session_key_not_whitelisted", "signature")


def test_a_key_that_is_not_active_signs_nothing(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    ok(post(api, project, account=account.id))
    intent = intent_of(api, account)
    assert error_of(sign_intent(api, intent))[:2] == (409, "session_key_inactive")
    assert error_of(sign_intent(api, intent, STRANGER))[:2] == (409, "invalid_signature")


def test_a_key_of_another_account_signs_nothing(api: httpx.Client, project: Project) -> None:
    granted(api, project, account_of(project))
    refused = sign_intent(api, intent_of(api, account_of(project)))
    assert error_of(refused)[:2] == (409, "invalid_signature")


def test_a_revoked_key_signs_nothing_and_may_be_granted_anew(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    session = granted(api, project, account)
    revoking = ok(post(api, project, "/revoke", account=account.id))
    ok(submit(api, session, owner_signs(project, account, revoking)))
    intent = intent_of(api, account)
    assert error_of(sign_intent(api, intent))[:2] == (409, "session_key_inactive")
    assert granted(api, project, account)["id"] != session["id"]
    ok(sign_intent(api, intent))
