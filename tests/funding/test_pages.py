"""Pay links, the on-ramp, and the page to which both lead."""

from typing import Any

from httpx import Client, Response

from mockserver.state.project import Project
from tests.funding.sessions import HERE, TARGET, ZERO, advance, balance, begin, look, post
from tests.tables import cases

PURCHASE = {
    "provider": "coinbase",
    "destinationCurrency": "usdc",
    "destinationNetwork": "base",
    "destinationAddress": HERE,
    "sourceAmount": "100",
    "redirectUrl": "https://shop.example/thanks",
}
QUOTE = {
    "sourceCurrency": "USD",
    "destinationCurrency": "ETH",
    "destinationNetwork": "base",
    "sourceAmount": "100",
}


def link(api: Client, project: Project, row: dict[str, Any], **members: Any) -> Any:
    body = {"sessionId": row["id"], "clientSecret": row["clientSecret"], "amount": "5", **members}
    return post(api, project, "/v2/funding/pay_link", body)


def submit(api: Client, url: str, **form: str) -> Response:
    return api.post(url, data=form, headers={"authorization": ""}, follow_redirects=False)


def test_a_link_leads_to_a_page_that_pays(api: Client, project: Project) -> None:
    row = begin(api, project)
    url = link(api, project, row, amount="12.5")["url"]
    page = api.get(url, headers={"authorization": ""})
    assert page.headers["content-type"].startswith("text/html")
    assert 'value="12.5"' in page.text
    paid = submit(api, url, amount="12.5", decision="pay")
    page = api.get(paid.headers["location"], headers={"authorization": ""})
    assert "Status: processing" in page.text
    assert "<form" not in page.text
    advance(api, 2)
    assert (look(api, project, row)["status"], balance(api)) == ("succeeded", 12_500_000)


def test_a_payment_on_the_page_can_bounce(api: Client, project: Project) -> None:
    row = begin(api, project)
    submit(api, link(api, project, row)["url"], amount="5", decision="bounce")
    advance(api, 2)
    assert (look(api, project, row)["status"], balance(api)) == ("bounced", 0)
    assert submit(api, link(api, project, row)["url"], amount="5").status_code == 409


@cases(
    "members, param", ({"amount": "4.99"}, "amount"), ({"asset": "BTC"}, "asset"), ({"amount": "x"}, "amount")
)
def test_a_wrong_link_is_refused(api: Client, project: Project, members: dict[str, Any], param: str) -> None:
    assert link(api, project, begin(api, project), **members)["error"]["param"] == param


def test_a_page_shows_texts_as_texts(api: Client, project: Project) -> None:
    url = link(api, project, begin(api, project))["url"]
    page = api.get(f"{url.partition('?')[0]}?asset=<b>&amount=%22><i>", headers={"authorization": ""})
    assert "<b>" not in page.text
    assert "<i>" not in page.text


def test_a_purchase_is_paid_on_the_page(api: Client, project: Project) -> None:
    made = post(api, project, "/v1/onramp/sessions", PURCHASE)
    assert made["quote"]["destinationAmount"] == "99.000000"
    paid = submit(api, made["onrampUrl"], amount="99.000000")
    assert (paid.status_code, paid.headers["location"]) == (302, "https://shop.example/thanks")
    advance(api, 2)
    row = {"id": made["sessionId"], "clientSecret": made["clientSecret"]}
    assert (look(api, project, row)["status"], balance(api)) == ("succeeded", 99_000_000)


def test_a_purchase_without_an_amount_has_no_quote(api: Client, project: Project) -> None:
    body = {name: PURCHASE[name] for name in PURCHASE if name not in ("sourceAmount", "redirectUrl")}
    made = post(api, project, "/v1/onramp/sessions", body)
    assert {"quote", "redirectUrl"}.isdisjoint(made)
    submit(api, made["onrampUrl"], amount="3")
    advance(api, 2)
    assert balance(api) == 3_000_000


def test_every_provider_quotes_unless_one_is_named(api: Client, project: Project) -> None:
    found = post(api, project, "/v1/onramp/quotes", QUOTE)
    assert [quote["provider"] for quote in found] == ["coinbase", "stripe"]
    assert found[0]["destinationAmount"] == "0.039600000000000000"
    one = post(api, project, "/v1/onramp/quotes", {**QUOTE, "provider": "stripe"})
    assert one == found[1]
    assert one["fees"] == [{"type": "provider", "amount": "1.50", "currency": "USD"}]


@cases(
    "members, param",
    ({"destinationNetwork": "mars"}, "destinationNetwork"),
    ({"destinationCurrency": "BTC"}, "destinationCurrency"),
    ({"sourceAmount": "-1"}, "sourceAmount"),
    ({"provider": "x"}, "provider"),
)
def test_a_wrong_quote_is_refused(api: Client, project: Project, members: dict[str, Any], param: str) -> None:
    assert post(api, project, "/v1/onramp/quotes", {**QUOTE, **members})["error"]["param"] == param


@cases(
    "members, param",
    ({"destinationNetwork": "mars"}, "destinationNetwork"),
    ({"destinationAddress": "0x1"}, "destinationAddress"),
    ({"destinationNetwork": "solana"}, "destinationAddress"),
)
def test_a_wrong_purchase_is_refused(
    api: Client, project: Project, members: dict[str, Any], param: str
) -> None:
    assert post(api, project, "/v1/onramp/sessions", {**PURCHASE, **members})["error"]["param"] == param


def test_the_largest_purchase_is_exact(api: Client, project: Project) -> None:
    most = {"sourceAmount": "999999999999999999", "destinationCurrency": "ETH"}
    made = post(api, project, "/v1/onramp/sessions", {**PURCHASE, **most})
    # 1 % is the fee, and a coin is 2,500 dollars.
    assert made["quote"]["destinationAmount"] == "395999999999999.999604000000000000"


def test_an_amount_on_the_page_is_exact(api: Client, project: Project) -> None:
    row = begin(api, project, target={**TARGET, "currency": ZERO})
    submit(api, link(api, project, row, asset="ETH")["url"], amount="100000000000.123456789012345678")
    advance(api, 2)
    assert balance(api, token=None) == 100000000000123456789012345678
