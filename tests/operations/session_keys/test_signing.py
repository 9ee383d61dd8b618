"""What a session key signs, and what it does not."""

from httpx import Client

from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.project import Project
from tests.accounts import account_of
from tests.operations.responses import error_of, ok
from tests.operations.session_keys.helpers import (
    AMOY,
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

ELSEWHERE = "0x" + "22" * 20


@cases("eip191", False, True)
def test_an_active_key_signs_for_its_account(api: Client, project: Project, eip191: bool) -> None:
    account = account_of(project, held_by="User")
    session = granted(api, project, account)
    done = ok(sign_intent(api, intent_of(api, account), eip191=eip191))
    assert done["response"]["status"] == 1
    assert shown(api, session)["transactionIntents"][0] == {"id": done["id"]}


def test_a_key_signs_the_newer_transactions_as_well(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    granted(api, project, account)
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE, "value": "1"}]}
    row = ok(api.post("/v2/transactions", json=body))
    signature = sign_hash(SESSION, row["nextAction"]["hash"])
    done = ok(api.post(f"/v2/transactions/{row['id']}/signature", json={"signature": signature}))
    assert done["status"] == "successful"


def test_the_last_use_ends_a_key(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    session = granted(api, project, account, limit=2)
    for left in (True, False):
        ok(sign_intent(api, intent_of(api, account)))
        assert shown(api, session)["isActive"] is left
    intent = intent_of(api, account)
    assert error_of(sign_intent(api, intent)) == (409, "session_key_limit_reached", "signature")
    assert api.get(f"/v1/transaction_intents/{intent['id']}").json() == intent


def test_a_refused_signature_uses_nothing_up(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    session = granted(api, project, account, limit=1, whitelist=[THERE])
    assert error_of(sign_intent(api, intent_of(api, account, ELSEWHERE)))[0] == 409
    used = intent_of(api, account)
    ok(sign_intent(api, used))
    assert error_of(sign_intent(api, used))[:2] == (409, "not_awaiting_signature")
    assert shown(api, session)["isActive"] is False


def test_a_key_signs_within_its_window_alone(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
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


@cases("targets", (ELSEWHERE,), (THERE, ELSEWHERE))
def test_a_key_stays_on_its_whitelist(api: Client, project: Project, targets: tuple[str, ...]) -> None:
    account = account_of(project, held_by="User")
    granted(api, project, account, whitelist=[THERE])
    refused = sign_intent(api, intent_of(api, account, *targets))
    assert error_of(refused) == (409, "session_key_not_whitelisted", "signature")
    ok(sign_intent(api, intent_of(api, account, THERE, THERE)))


def test_a_key_that_is_not_active_signs_nothing(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    ok(post(api, project, account=account.id))
    intent = intent_of(api, account)
    assert error_of(sign_intent(api, intent))[:2] == (409, "session_key_inactive")
    assert error_of(sign_intent(api, intent, STRANGER))[:2] == (409, "invalid_signature")


def test_a_key_of_another_account_signs_nothing(api: Client, project: Project) -> None:
    granted(api, project, account_of(project, held_by="User"))
    refused = sign_intent(api, intent_of(api, account_of(project, held_by="User")))
    assert error_of(refused)[:2] == (409, "invalid_signature")


def test_a_revoked_key_signs_nothing_and_may_be_granted_anew(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    session = granted(api, project, account)
    revoking = ok(post(api, project, "/revoke", account=account.id))
    ok(submit(api, session, owner_signs(project, account, revoking)))
    intent = intent_of(api, account)
    assert error_of(sign_intent(api, intent))[:2] == (409, "session_key_inactive")
    assert granted(api, project, account)["id"] != session["id"]
    ok(sign_intent(api, intent))
