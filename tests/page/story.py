"""A story with something to see in every view, the same each time: for the screenshots and for the looks."""

from typing import Any

from httpx import Client

from mockserver.testing.project import MockProject

CHAIN = 80002
COUPON = f"0x{0xC0FFEE:040x}"

SCENARIO = """\
name: a rough evening
about: The catalogue is away once, bob's request gets no answer, and the shop's list is changed.

rules:
  - name: catalogue is away once
    when: {call: GetContracts, nth: 2}
    then: {answer: {status: 503, headers: {retry-after: "1"}}}

  - name: no answer for bob
    when: {call: CreatePlayer, body: {name: bob}}
    then: {fault: {empty_response: {}}}

  - name: only for the shop
    when: {call: GetContracts, query: {name: shop}}
    then: {patch: {total: 7}}
"""


def tell_story(client: Client, shop: MockProject) -> str:
    """Use the API as a small shop would; returns the id of its transaction."""
    send_mail(client, shop, "ada@example.com")
    coupon = client.post("/v1/contracts", json={"name": "Coupon", "chainId": CHAIN, "address": COUPON}).json()
    client.get("/v1/contracts")
    shop.load(SCENARIO)
    for _ in range(3):
        client.get("/v1/contracts", params={"limit": 10})
    client.get("/v1/contracts/con_unknown")
    client.post("/v1/players", json={"name": "ada", "description": "the first customer"})
    transaction = send_coupon(client, shop, coupon["address"])
    send_mail(client, shop, "grace@example.com")
    return transaction


def send_coupon(client: Client, shop: MockProject, coupon: str) -> str:
    """A sponsored transaction of a backend wallet; returns its id."""
    account = _post(client, "/v2/accounts/backend", {"chainType": "EVM"}, auth=shop.wallet_auth)
    owner = {"user": account["walletId"], "account": account["id"]}
    account = _post(
        client,
        "/v2/accounts",
        {"accountType": "Delegated Account", "chainType": "EVM", "chainId": CHAIN, **owner},
        shop.wallet_auth,
    )
    rules = [
        _rule({"type": "ethValue", "operator": ">", "ethValue": "5"}, action="reject"),
        _rule({"type": "evmNetwork", "operator": "in", "chainIds": [CHAIN]}),
    ]
    policy = _post(client, "/v2/policies", {"scope": "project", "description": "Coupons", "rules": rules})
    strategy = {"sponsorSchema": "pay_for_user"}
    sponsorship = _post(
        client, "/v2/fee-sponsorship", {"name": "Shop", "policyId": policy["id"], "strategy": strategy}
    )
    body = {
        "chainId": CHAIN,
        "accountId": account["id"],
        "calls": [{"to": coupon, "value": "1"}],
        "feeSponsorshipId": sponsorship["id"],
    }
    shop.fund(CHAIN, account["address"], 10**18)
    return str(_post(client, "/v2/transactions", body, auth=shop.wallet_auth)["id"])


def send_mail(client: Client, shop: MockProject, to: str) -> None:
    """Let the service mail a code."""
    client.post(
        "/iam/v2/auth/email-otp/send-verification-otp",
        json={"email": to, "type": "sign-in"},
        headers={"authorization": "", "x-project-key": shop.publishable_key},
    )


def _rule(criterion: dict[str, Any], action: str = "accept") -> dict[str, Any]:
    return {"action": action, "operation": "sponsorEvmTransaction", "criteria": [criterion]}


def _post(client: Client, path: str, body: Any, auth: Any = None) -> Any:
    answer = client.post(path, json=body, auth=auth)
    assert answer.is_success, answer.text
    return answer.json()
