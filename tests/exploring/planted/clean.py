"""The same consumer without the mistakes, with retries and random data. Nothing is found."""

import contextlib
import uuid
from typing import Any

import httpx
import pytest

from mockserver.crypto.webhook_signatures import SIGNATURE_HEADER, sign_webhook
from mockserver.testing.project import MockProject

CODES = "/iam/v2/auth/email-otp"
TRANSACTIONS, CONTRACTS, POLICIES = "/v2/transactions", "/v1/contracts", "/v2/policies"
RULE = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
LIMITED = "rules: [{when: GetContracts, then: {limit: {count: 1, per: 1s}}, optional: true}]"
AGAIN = (408, 425, 429, 500, 502, 503, 504)


class ShopError(Exception):
    """What a consumer's own code raises."""


def call(api: httpx.Client, method: str, path: str, body: object = None, **headers: str) -> Any:
    """Call with retries, and raise an error of the consumer's own for whatever fails."""
    given = {**headers, "x-idempotency-key": str(uuid.uuid4())} if method == "POST" else headers
    for _ in range(4):
        try:
            answer = api.request(method, path, json=body, headers=given)
            if answer.status_code in AGAIN:
                continue
            return answer.raise_for_status().json() if answer.content else {}
        except (httpx.TransportError, ValueError):
            continue
        except httpx.HTTPStatusError as error:
            raise ShopError(f"{method} {path}: {error.response.status_code}") from error
    raise ShopError(f"{method} {path}: the service is away")


def pay(api: httpx.Client, payment: object) -> Any:
    """Pay, and raise an error for whatever is not paid."""
    made = call(api, "POST", TRANSACTIONS, payment)
    for _ in range(3):
        if made.get("status") != "sent":
            break
        made = call(api, "GET", f"{TRANSACTIONS}/{made['id']}")
    if made.get("status") != "successful":
        raise ShopError(f"not paid: {made.get('status')}")
    return made


def test_pays(mock_api: httpx.Client, payment: Any) -> None:
    assert pay(mock_api, {**payment, "calls": [{**payment["calls"][0], "data": "0x" + uuid.uuid4().hex}]})


def test_pays_twice_on_purpose(mock_api: httpx.Client, payment: Any) -> None:
    assert pay(mock_api, payment)["id"] != pay(mock_api, payment)["id"]


def test_registers_a_contract(mock_api: httpx.Client, contract: Any) -> None:
    made = call(mock_api, "POST", CONTRACTS, contract)
    assert call(mock_api, "GET", f"{CONTRACTS}/{made['id']}")["name"] == "Token"


def test_turns_a_policy_off(mock_api: httpx.Client) -> None:
    made = call(mock_api, "POST", POLICIES, {"scope": "project", "rules": [RULE]})
    call(mock_api, "POST", f"{POLICIES}/{made['id']}", {"enabled": False})
    assert not call(mock_api, "GET", f"{POLICIES}/{made['id']}")["enabled"]


def test_signs_out(mock_api: httpx.Client, signed_in: Any) -> None:
    assert call(mock_api, "POST", "/iam/v2/auth/sign-out", {}, **signed_in) == {"success": True}


def test_works_a_webhook_off_once(
    mock_project: MockProject, mock_api: httpx.Client, handlers: list[Any]
) -> None:
    seen: set[bytes] = set()

    def handle(request: httpx.Request) -> int:
        signature = sign_webhook(mock_project.env["OPENFORT_WEBHOOK_SECRET"], request.content)
        if request.headers[SIGNATURE_HEADER] != signature:
            return 400
        if request.content not in seen:
            seen.add(request.content)
            call(mock_api, "POST", POLICIES, {"scope": "project", "rules": [RULE]})
        return 200

    handlers.append(handle)
    call(mock_api, "POST", "/v1/subscriptions/test", {})
    mock_project.webhooks.deliver()
    assert call(mock_api, "GET", POLICIES)["data"]


def test_asks_for_another_code(mock_project: MockProject, mock_api: httpx.Client) -> None:
    headers, who = mock_project.headers(), {"email": "ada@example.com"}
    for _ in range(2):
        call(mock_api, "POST", f"{CODES}/send-verification-otp", {**who, "type": "sign-in"}, **headers)
        body = {**who, "otp": [*mock_project.outbox][-1]["code"]}
        with contextlib.suppress(ShopError):
            assert call(mock_api, "POST", "/iam/v2/auth/sign-in/email-otp", body, **headers)["user"]
            return
    raise ShopError("no code was right")


@pytest.mark.mockserver(
    scenario="rules: [{when: GetContracts, then: {limit: {count: 1, per: 1s}}, optional: true}]"
)
def test_reads(mock_api: httpx.Client) -> None:
    assert call(mock_api, "GET", CONTRACTS)["data"] == []
