"""Funding sessions, pay links, and the on-ramp."""

from collections.abc import Callable
from typing import Any

from tests.regression.story import Story

ZERO = "0x" + "00" * 20
TARGET = {
    "chain": "eip155:84532",
    "currency": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    "address": "0x" + "11" * 20,
}
METHOD: dict[str, Any] = {
    "type": "evm",
    "source": {"chain": "eip155:80002", "currency": ZERO, "amount": str(10**16)},
}
PURCHASE = {
    "destinationCurrency": "usdc",
    "destinationNetwork": "base",
    "sourceAmount": "100",
    "sourceCurrency": "USD",
}


def funding(story: Story) -> None:
    """Sessions that are paid, too late or too little, and those that are not."""
    project = story.project("funding")
    pk, path = project.publishable, "/v2/funding/sessions"
    for query in ("", "?livemode=false", "?livemode=x"):
        project.call("GET", f"/v2/funding/chains{query}", None, {})
    made = [
        project.call("POST", path, {"target": TARGET, **more}, pk)
        for more in (
            {},
            {"paymentMethod": METHOD, "strict": True, "amountUnits": "7000000", "metadata": {"order": "1"}},
            {"paymentMethod": METHOD, "externalId": "order-1"},
            {"externalId": "order-1"},
            {"paymentMethod": {**METHOD, "type": "solana"}},
            {"target": {**TARGET, "chain": "eip155:1"}},
        )
    ]
    chosen, strict, other = made[:3]
    for secret in (chosen["clientSecret"], "wrong"):
        chosen_by = {"clientSecret": secret, "paymentMethod": METHOD}
        project.call("POST", f"{path}/{chosen['id']}/payment_methods", chosen_by, pk)
        project.call("GET", f"{path}/{chosen['id']}?clientSecret={secret}", None, pk)
    control = f"/_mock/projects/{project.id}/funding/sessions"
    for row, body in ((chosen, {}), (chosen, {}), (other, {"amount": "1"}), (other, {"amount": "x"})):
        project.call("POST", f"{control}/{row['id']}/pay", body)
    project.advance(24 * 3600)
    project.call("POST", f"{control}/{strict['id']}/pay", {})
    project.advance(2)
    for row in (chosen, strict, other):
        project.call("GET", f"{path}/{row['id']}?clientSecret={row['clientSecret']}", None, pk)


def buying(story: Story) -> None:
    """Pay links and purchases, and the page on which they are paid."""
    project = story.project("buying")
    pk, address = project.publishable, TARGET["address"]
    for more in ({}, {"provider": "stripe"}, {"destinationNetwork": "mars"}):
        project.call("POST", "/v1/onramp/quotes", {**PURCHASE, **more}, pk)
    bought = {**PURCHASE, "provider": "coinbase", "destinationAddress": address}
    made = project.call("POST", "/v1/onramp/sessions", bought, pk)
    row = project.call("POST", "/v2/funding/sessions", {"target": TARGET}, pk)
    linked = {"sessionId": row["id"], "clientSecret": row["clientSecret"]}
    for amount in ("5", "1"):
        project.call("POST", "/v2/funding/pay_link", {**linked, "amount": amount}, pk)
    for found in (made["sessionId"], row["id"]):
        page = f"/_mock/projects/{project.id}/pay/{found}?asset=USDC"
        project.answer("GET", page, None, {})
        for _ in range(2):
            project.answer("POST", page, {"amount": "99"}, {})


JOURNEYS: tuple[Callable[[Story], None], ...] = (funding, buying)
