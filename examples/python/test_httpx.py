"""The tests of shop_httpx.py, with the fixtures of the pytest plugin."""

import pytest
from shop_httpx import Shop

EMAIL = "ada@example.com"
LOST_ANSWER = """
name: lost answer
rules:
  - when: CreateTransaction
    then: {fault: {connection_reset_by_peer: {effect: done, times: 1}}}
"""

pytestmark = pytest.mark.mockserver(scenario="../shop.yaml")


@pytest.fixture
def shop(mock_project):
    shop = Shop(mock_project.url, mock_project.secret_key, mock_project.publishable_key)
    yield shop
    shop.http.close()


@pytest.fixture
def till(mock_project):
    """The account that pays, and the sponsorship that pays for its gas."""
    captured = mock_project.captured
    return captured["till"]["id"], captured["sponsorship"]["id"]


def test_customer_signs_in_by_code(mock_project, shop):
    def sign_in():
        shop.send_code(EMAIL)
        return shop.sign_in(EMAIL, mock_project.outbox.latest(to=EMAIL)["code"])

    first = sign_in()
    user = shop.who_is(first["token"])
    assert (user["id"], user["email"]) == (first["user"]["id"], EMAIL)

    assert sign_in()["user"]["id"] == first["user"]["id"]


def test_sponsored_payment_confirms(mock_project, shop, till):
    paid = shop.pay("order-16", *till)
    assert paid["status"] == "sent"

    mock_project.clock.advance(2)
    confirmed = shop.transaction(paid["id"])
    assert confirmed["status"] == "successful"
    assert confirmed["receipt"]["transactionHash"]
    assert mock_project.budget(till[1])["spent_wei"] == confirmed["receipt"]["gasFee"]


def test_lost_answer_is_retried_once(mock_project, shop, till):
    mock_project.load(LOST_ANSWER)
    paid = shop.pay("order-17", *till)

    page = shop.transactions()
    assert page["total"] == 1
    assert page["data"][0]["id"] == paid["id"]
    mock_project.verify("CreateTransaction", headers={"x-idempotency-key": "order-17"}, exactly=2)
