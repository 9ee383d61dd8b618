"""A consumer with a mistake of each kind. Its tests pass."""

import contextlib
import time
from typing import Any

import httpx
import pytest

from mockserver.testing.project import MockProject

TRANSACTIONS, CONTRACTS, POLICIES = "/v2/transactions", "/v1/contracts", "/v2/policies"
CODES = "/iam/v2/auth/email-otp"
RULE = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
LOST = "{fault: {connection_reset_by_peer: {effect: done, times: 1}}}"
ONCE = f"rules: [{{when: CreateContract, then: {LOST}, optional: true}}]"


class PaymentError(Exception):
    """What a consumer's own code raises."""


def post(api: httpx.Client, path: str, body: object, **headers: str) -> dict[str, Any]:
    """Post, and raise an error of the consumer's own for whatever fails."""
    try:
        answer = api.post(path, json=body, headers=headers)
        made: dict[str, Any] = answer.raise_for_status().json()
    except (httpx.HTTPError, ValueError) as error:
        raise PaymentError from error
    return made


# --- what exploring finds --------------------------------------------------------------------------------


def test_retries_without_a_key(mock_api: httpx.Client, payment: Any) -> None:
    for _ in range(3):
        with contextlib.suppress(PaymentError):
            made = post(mock_api, TRANSACTIONS, payment)
            break
    else:
        raise PaymentError
    assert made["status"] == "successful"


def test_retries_with_another_key(mock_api: httpx.Client, payment: Any) -> None:
    for attempt in range(3):
        with contextlib.suppress(PaymentError):
            made = post(mock_api, TRANSACTIONS, payment, **{"x-idempotency-key": f"order-{attempt}"})
            break
    else:
        raise PaymentError
    assert made["status"] == "successful"


def test_does_not_look_whether_it_reverted(mock_api: httpx.Client, payment: Any) -> None:
    assert post(mock_api, TRANSACTIONS, payment)["id"]


def test_takes_a_dropped_one_for_paid(mock_api: httpx.Client, payment: Any) -> None:
    assert post(mock_api, TRANSACTIONS, payment)["status"] != "reverted"


def test_takes_one_that_is_sent_for_paid(mock_api: httpx.Client, payment: Any) -> None:
    assert post(mock_api, TRANSACTIONS, payment)["status"] in ("sent", "successful")


def test_polls_without_an_end(mock_api: httpx.Client, payment: Any) -> None:
    made = post(mock_api, TRANSACTIONS, payment)
    while made["status"] == "sent":
        made = mock_api.get(f"{TRANSACTIONS}/{made['id']}").json()
    assert made["status"] == "successful"


def test_tries_again_for_ever(mock_api: httpx.Client, contract: Any) -> None:
    while True:
        with contextlib.suppress(PaymentError):
            post(mock_api, CONTRACTS, contract)
            return
        time.sleep(0.01)


def test_swallows_an_outage(mock_api: httpx.Client, contract: Any) -> None:
    answer = mock_api.post(CONTRACTS, json=contract)
    assert answer.status_code in (200, 503)


def test_swallows_a_rate_limit(mock_api: httpx.Client, contract: Any) -> None:
    answer = mock_api.post(CONTRACTS, json=contract)
    assert answer.status_code in (200, 429)


def test_swallows_a_server_error(mock_api: httpx.Client, contract: Any) -> None:
    answer = mock_api.post(CONTRACTS, json=contract)
    assert answer.status_code in (200, 500)


def test_swallows_a_broken_connection(mock_api: httpx.Client, contract: Any) -> None:
    with contextlib.suppress(httpx.TransportError):
        assert mock_api.post(CONTRACTS, json=contract).status_code == 200


def test_swallows_any_exception(mock_api: httpx.Client, contract: Any) -> None:
    with contextlib.suppress(Exception):
        post(mock_api, CONTRACTS, contract)


def test_does_not_catch_a_broken_answer(mock_api: httpx.Client, contract: Any) -> None:
    made = mock_api.post(CONTRACTS, json=contract).json()
    if "error" in made:
        raise PaymentError
    assert made["name"] == "Token"


def test_reads_a_member_that_an_error_lacks(mock_api: httpx.Client) -> None:
    assert mock_api.get(CONTRACTS).json()["data"] == []


def test_reads_the_text_of_an_error(mock_api: httpx.Client, payment: Any) -> None:
    try:
        assert post(mock_api, TRANSACTIONS, payment)["status"] == "successful"
    except PaymentError as error:
        raise PaymentError(error.__cause__.response.json()["error"]["code"]) from None  # type: ignore[union-attr]


def test_does_not_look_whether_signing_out_succeeded(mock_api: httpx.Client, signed_in: Any) -> None:
    with contextlib.suppress(httpx.HTTPError):
        mock_api.post("/iam/v2/auth/sign-out", json={}, headers=signed_in)


def test_does_not_look_whether_a_policy_is_off(mock_api: httpx.Client) -> None:
    made = post(mock_api, POLICIES, {"scope": "project", "rules": [RULE]})
    with contextlib.suppress(httpx.HTTPError):
        mock_api.post(f"{POLICIES}/{made['id']}", json={"enabled": False})


def test_does_not_look_whether_a_contract_is_gone(mock_api: httpx.Client, contract: Any) -> None:
    made = post(mock_api, CONTRACTS, contract)
    with contextlib.suppress(httpx.HTTPError):
        mock_api.delete(f"{CONTRACTS}/{made['id']}")


def test_expects_a_session_to_last(mock_api: httpx.Client, signed_in: Any) -> None:
    found = mock_api.get("/iam/v2/auth/get-session", headers=signed_in).json()
    assert found["user"]["email"] == "ada@example.com"


def test_sends_an_order_without_a_key(mock_api: httpx.Client, payment: Any) -> None:
    assert post(mock_api, TRANSACTIONS, payment)["status"] == "successful"


def test_expects_a_code_to_last(mock_project: MockProject, mock_api: httpx.Client) -> None:
    headers, who = mock_project.headers(), {"email": "ada@example.com"}
    mock_api.post(f"{CODES}/send-verification-otp", json={**who, "type": "sign-in"}, headers=headers)
    code = [*mock_project.outbox][-1]["code"] if [*mock_project.outbox] else ""
    answer = mock_api.post("/iam/v2/auth/sign-in/email-otp", json={**who, "otp": code}, headers=headers)
    assert answer.status_code in (200, 400)


def test_works_a_webhook_off_each_time(
    mock_project: MockProject, mock_api: httpx.Client, handlers: list[Any]
) -> None:
    def handle(_: httpx.Request) -> None:
        post(mock_api, POLICIES, {"scope": "project", "rules": [RULE]})

    handlers.append(handle)
    post(mock_api, "/v1/subscriptions/test", {})
    mock_project.webhooks.deliver()


test_works_a_webhook_off_unverified = test_works_a_webhook_off_each_time


def test_works_the_second_webhook_off_each_time(
    mock_project: MockProject, mock_api: httpx.Client, handlers: list[Any]
) -> None:
    seen: list[httpx.Request] = []

    def handle(request: httpx.Request) -> None:
        seen.append(request)
        if request.content != seen[0].content:
            post(mock_api, POLICIES, {"scope": "project", "rules": [RULE]})

    handlers.append(handle)
    post(mock_api, "/v1/subscriptions/test", {})
    mock_project.webhooks.deliver()
    mock_project.clock.advance(seconds=1)
    post(mock_api, "/v1/subscriptions/test", {})
    mock_project.webhooks.deliver()
    if not seen:
        pytest.fail("no webhook")


# --- what the linter finds -------------------------------------------------------------------------------


@pytest.mark.mockserver(scenario=ONCE)
def test_lint_no_idempotency_key(mock_api: httpx.Client, contract: Any) -> None:
    with pytest.raises(httpx.ReadError):
        mock_api.post(CONTRACTS, json=contract)
    mock_api.post(CONTRACTS, json=contract)


def test_lint_retry_after_error(mock_api: httpx.Client) -> None:
    for _ in range(3):
        mock_api.post(CONTRACTS, json={"name": "T", "chainId": 1})


@pytest.mark.mockserver(scenario="rules: [{when: GetContracts, then: {error: rate_limited}}]")
def test_lint_no_backoff(mock_api: httpx.Client) -> None:
    for _ in range(3):
        mock_api.get(CONTRACTS)


def test_lint_polling(mock_api: httpx.Client, payment: Any) -> None:
    made = post(mock_api, TRANSACTIONS, payment)
    for _ in range(8):
        mock_api.get(f"{TRANSACTIONS}/{made['id']}")


def test_lint_chatty_reads(mock_api: httpx.Client) -> None:
    for _ in range(30):
        mock_api.get(POLICIES)


def test_lint_no_paging(mock_api: httpx.Client, contract: Any) -> None:
    for number in range(12):
        post(mock_api, CONTRACTS, {**contract, "name": f"T{number}", "address": f"0x{number:040x}"})
    assert len(mock_api.get(CONTRACTS, params={"limit": 5}).json()["data"]) == 5


def test_lint_secret_key_in_browser(mock_api: httpx.Client) -> None:
    mock_api.get(CONTRACTS, headers={"origin": "https://shop.example"})


def test_lint_expired_token(mock_api: httpx.Client, signed_in: Any) -> None:
    mock_api.post("/iam/v2/auth/sign-out", json={}, headers=signed_in)
    for _ in range(2):
        mock_api.get("/iam/v2/auth/list-accounts", headers=signed_in)


def test_lint_wrong_key(mock_project: Any, mock_api: httpx.Client) -> None:
    mock_api.get(CONTRACTS, headers={"authorization": f"Bearer {mock_project.publishable_key}"})


def test_lint_deprecated(mock_api: httpx.Client) -> None:
    mock_api.get("/iam/v1/oauth")


def test_lint_unknown_members(mock_api: httpx.Client, contract: Any) -> None:
    mock_api.post(CONTRACTS, json={**contract, "adress": "0x"})


def test_lint_other_idempotency_header(mock_api: httpx.Client, contract: Any) -> None:
    mock_api.post(CONTRACTS, json=contract, headers={"idempotency-key": "1"})


def test_lint_unchecked_status(mock_api: httpx.Client) -> None:
    made = mock_api.post(CONTRACTS, json={}).json()
    mock_api.get(f"{CONTRACTS}/{made.get('id', 'undefined')}")
