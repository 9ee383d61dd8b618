"""Session keys that register and revoke session keys."""

from typing import Any

from eth_account import Account as EthAccount
from eth_account.signers.local import LocalAccount
from httpx import Client

from mockserver.state.project import Project
from tests.accounts import account_of
from tests.operations.responses import error_of, ok
from tests.operations.session_keys.helpers import (
    SESSION,
    STRANGER,
    THERE,
    granted,
    intent_of,
    owner_signs,
    post,
    shown,
    sign_intent,
    submit,
)
from tests.signing import sign_hash
from tests.tables import cases


def key_signs(answer: Any, signer: LocalAccount = SESSION) -> str:
    return sign_hash(signer, answer["nextAction"]["payload"]["signableHash"])


def test_a_valid_key_registers_and_revokes_others(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    session = granted(api, project, account, limit=2)
    other = ok(post(api, project, account=account.id, address=STRANGER.address))
    assert ok(submit(api, other, key_signs(other)))["isActive"] is True
    revoking = ok(post(api, project, "/revoke", account=account.id, address=STRANGER.address))
    assert ok(submit(api, other, key_signs(revoking)))["isActive"] is False
    assert shown(api, session)["isActive"] is False
    assert len(shown(api, other)["transactionIntents"]) == 2
    third = ok(post(api, project, account=account.id, address=STRANGER.address))
    assert error_of(submit(api, third, key_signs(third)))[:2] == (409, "session_key_limit_reached")


def test_a_key_makes_others_only_if_its_account_is_whitelisted(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
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


def test_a_key_without_its_account_in_the_list_revokes_none(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    granted(api, project, account, whitelist=[THERE])
    other = EthAccount.from_key(b"\x07" * 32)
    kept = granted(api, project, account, address=other.address)
    revoking = ok(post(api, project, "/revoke", account=account.id, address=other.address))
    refused = submit(api, kept, key_signs(revoking))
    assert error_of(refused) == (409, "session_key_not_whitelisted", "signature")
    assert shown(api, kept)["isActive"] is True
    assert ok(submit(api, kept, owner_signs(project, account, revoking)))["isActive"] is False


@cases("members", {}, {"whitelist": [THERE]}, {"limit": 1})
def test_a_key_gives_itself_up(api: Client, project: Project, members: dict[str, Any]) -> None:
    account = account_of(project, held_by="User")
    session = granted(api, project, account, **members)
    revoking = ok(post(api, project, "/revoke", account=account.id))
    assert ok(submit(api, session, key_signs(revoking)))["isActive"] is False
    assert granted(api, project, account)["isActive"] is True


def test_a_key_does_not_register_itself(api: Client, project: Project) -> None:
    session = ok(post(api, project, account=account_of(project, held_by="User").id))
    refused = submit(api, session, key_signs(session))
    assert error_of(refused) == (409, "session_key_inactive", "signature")
    assert shown(api, session) == session


def test_a_key_without_whitelist_calls_it_for_keys_only(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    granted(api, project, account)
    refused = sign_intent(api, intent_of(api, account, account.address))
    assert error_of(refused) == (409, "session_key_not_whitelisted", "signature")
