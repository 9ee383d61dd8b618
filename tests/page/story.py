"""A story with something to see in every view, the same each time: for the screenshots and for the looks."""

import httpx

from mockserver.testing.project import MockProject

SCENARIO = """\
name: a rough evening
about: The catalogue is away once, one contract is unknown, and the list of players is slow.

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


def tell_story(client: httpx.Client, shop: MockProject) -> str:
    """Use the API as a small shop would; returns the id of its transaction."""
    send_mail(client, shop, "ada@example.com")
    client.post("/v1/contracts", json={"name": "Shop coupon", "chainId": 80002, "address": f"0x{0xC0:040x}"})
    client.get("/v1/contracts")
    shop.load(SCENARIO)
    for _ in range(3):
        client.get("/v1/contracts", params={"limit": 10})
    client.get("/v1/contracts/con_unknown")
    client.post("/v1/players", json={"name": "ada", "description": "the first customer"})
    send_mail(client, shop, "grace@example.com")
    return ""


def send_mail(client: httpx.Client, shop: MockProject, to: str) -> None:
    """Let the service mail a code."""
    client.post(
        "/iam/v2/auth/email-otp/send-verification-otp",
        json={"email": to, "type": "sign-in"},
        headers={"authorization": "", "x-project-key": shop.publishable_key},
    )
