"""Session keys in lists, whose they are, and requests that are refused."""

from collections.abc import Callable
from typing import Any

from httpx import Client

from mockserver.domain.identity.users import user_of_email
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.state.project import Project
from tests.accounts import account_of
from tests.operations.responses import error_of, ok
from tests.operations.session_keys.helpers import (
    AMOY,
    STRANGER,
    THERE,
    granted,
    intent_of,
    post,
    shown,
    sign_intent,
    submit,
)
from tests.signing import sign_hash
from tests.tables import cases


def test_an_owner_outside_of_the_mock_gets_an_account(api: Client, project: Project) -> None:
    session = ok(post(api, project, externalOwnerAddress=STRANGER.address))
    digest = session["nextAction"]["payload"]["signableHash"]
    assert ok(submit(api, session, sign_hash(STRANGER, digest)))["isActive"] is True


def test_a_players_keys_are_listed_newest_first(api: Client, project: Project) -> None:
    account = account_of(project)
    first = ok(post(api, project, player=account.wallet_id))
    second = ok(post(api, project, player=account.wallet_id, address=STRANGER.address))
    ok(post(api, project, account=account_of(project, held_by="User").id))
    listed = ok(api.get("/v1/sessions", params={"player": account.wallet_id}))
    assert [row["id"] for row in listed["data"]] == [second["id"], first["id"]]
    assert error_of(api.get("/v1/sessions/ses_none"))[:2] == (404, "session_key_not_found")


def test_a_key_is_revoked_by_its_id_too(api: Client, project: Project) -> None:
    session = ok(post(api, project, account=account_of(project).id))
    elsewhere = post(api, project, "/revoke", address=session["id"], chainId=1)
    assert error_of(elsewhere) == (400, "chain_of_other_mode", "chainId")
    assert ok(post(api, project, "/revoke", address=session["id"]))["isActive"] is False


def test_a_user_grants_and_revokes_keys_of_their_own(
    api: Client, project: Project, visitor: Client, signed_in: Callable[[str], dict[str, str]]
) -> None:
    visitor.headers.update(signed_in("ann@example.com"))
    user = user_of_email(project, "ann@example.com")
    assert user is not None
    account = account_of(project, held_by="User", wallet=wallet_of_user(project, user))
    session = granted(visitor, project, account)
    foreign = granted(api, project, account_of(project, held_by="User"))
    assert session["account"] == {"id": account.id}
    assert error_of(post(visitor, project, "/revoke", address=foreign["id"]))[0] == 404
    assert ok(post(visitor, project, "/revoke"))["nextAction"]
    assert error_of(submit(visitor, foreign, "0x" + "11" * 65))[:2] == (404, "session_key_not_found")


def test_only_the_latest_ten_intents_are_shown(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    session = granted(api, project, account)
    made = [ok(sign_intent(api, intent_of(api, account)))["id"] for _ in range(11)]
    assert [each["id"] for each in shown(api, session)["transactionIntents"]] == made[:0:-1]


@cases(
    "members, refused",
    ({}, (400, "invalid_parameters", "player")),
    ({"account": "acc_none"}, (404, "account_not_found", "account")),
    ({"player": "pla_none"}, (404, "wallet_not_found", "player")),
    ({"validAfter": 5, "validUntil": 5}, (400, "invalid_parameters", "validUntil")),
    ({"validAfter": 5, "validUntil": 6}, (400, "invalid_parameters", "validUntil")),
    ({"address": "0x12"}, (400, "invalid_parameters", "address")),
    ({"address": "0x" + "00" * 20}, (400, "invalid_parameters", "address")),
    ({"whitelist": ["0x12"], "player": ""}, (400, "invalid_parameters", "player")),
    ({"chainId": 1}, (400, "chain_of_other_mode", "chainId")),
)
def test_a_refused_key_leaves_no_trace(
    api: Client, project: Project, members: dict[str, Any], refused: tuple[int, str, str]
) -> None:
    before = project.entropy.draws(), [len(table) for table in project.tables], len(project.timers)
    assert error_of(post(api, project, **members)) == refused
    after = project.entropy.draws(), [len(table) for table in project.tables], len(project.timers)
    assert after == before


def test_what_only_the_account_can_tell_is_refused_too(api: Client, project: Project) -> None:
    plain = account_of(project, "plain", held_by="User")
    assert error_of(post(api, project, account=plain.id)) == (400, "invalid_parameters", "account")
    account = account_of(project, held_by="User")
    wrong = post(api, project, account=account.id, whitelist=[THERE, "0x12"])
    assert error_of(wrong) == (400, "invalid_parameters", "whitelist[1]")
    ok(post(api, project, account=account.id))
    assert error_of(post(api, project, account=account.id)) == (409, "session_key_already_exists", "address")


def test_a_contract_of_another_chain_is_on_no_whitelist(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    body = {"name": "Coin", "chainId": 11155111, "address": THERE}
    elsewhere = ok(api.post("/v1/contracts", json=body))["id"]
    here = ok(api.post("/v1/contracts", json={**body, "chainId": AMOY}))["id"]
    wrong = post(api, project, account=account.id, whitelist=[here, elsewhere])
    assert error_of(wrong) == (400, "invalid_parameters", "whitelist[1]")
    assert "the contract is on chain 11155111, not 80002" in wrong.text
    assert ok(post(api, project, account=account.id, whitelist=[here]))["whitelist"] == [THERE]


def test_a_wrong_request_is_refused_before_an_existing_key(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    granted(api, project, account)
    elsewhere = post(api, project, account=account.id, chainId=84532)
    assert error_of(elsewhere) == (400, "invalid_parameters", "chainId")
    unknown = post(api, project, account=account.id, policy="pol_unknown")
    assert error_of(unknown) == (404, "fee_sponsorship_not_found", "policy")


def test_who_has_a_plain_key_alone_is_named_as_asked(api: Client, project: Project) -> None:
    plain = account_of(project, "plain", held_by="User")
    assert error_of(post(api, project, account=plain.id)) == (400, "invalid_parameters", "account")
    assert error_of(post(api, project, player=plain.wallet_id)) == (400, "invalid_parameters", "player")


def test_the_same_idempotency_key_makes_one_key(api: Client, project: Project) -> None:
    api.headers["x-idempotency-key"] = "once"
    account = account_of(project)
    first = ok(post(api, project, account=account.id, validAfter=1, validUntil=2**40))
    assert ok(post(api, project, account=account.id, validAfter=1, validUntil=2**40)) == first
    assert len(project.session_keys.rows) == 1


def test_a_key_is_revoked_by_address_for_a_named_account_only(api: Client, project: Project) -> None:
    ok(post(api, project, account=account_of(project).id))
    assert error_of(post(api, project, "/revoke"))[::2] == (400, "player")


def test_a_user_without_an_account_there_has_no_keys_there(
    api: Client, visitor: Client, project: Project, signed_in: Callable[[str], dict[str, str]]
) -> None:
    granted(api, project, account_of(project, held_by="User"))
    visitor.headers.update(signed_in("grace@example.com"))
    assert error_of(post(visitor, project, "/revoke")) == (404, "session_key_not_found", "address")
