"""The same with unittest: `python -m unittest`."""

from shop_requests import Shop

from mockserver.testing.unittest_case import MockServerTestCase

EMAIL = "ada@example.com"
LOST_ANSWER = """
name: lost answer
rules:
  - when: CreateTransaction
    then: {fault: {connection_reset_by_peer: {effect: done, times: 1}}}
"""


class TestShop(MockServerTestCase):
    scenario = "../shop.yaml"

    def setUp(self):
        super().setUp()
        project = self.mock_project
        self.shop = Shop(project.url, project.secret_key, project.publishable_key)
        self.addCleanup(self.shop.http.close)
        self.till = project.captured["till"]["id"], project.captured["sponsorship"]["id"]

    def test_customer_signs_in_by_code(self):
        first = self.sign_in()
        user = self.shop.who_is(first["token"])
        self.assertEqual((user["id"], user["email"]), (first["user"]["id"], EMAIL))

        self.assertEqual(self.sign_in()["user"]["id"], first["user"]["id"])

    def test_sponsored_payment_confirms(self):
        paid = self.shop.pay("order-16", *self.till)
        self.assertEqual(paid["status"], "sent")

        self.mock_project.clock.advance(2)
        confirmed = self.shop.transaction(paid["id"])
        self.assertEqual(confirmed["status"], "successful")
        self.assertTrue(confirmed["receipt"]["transactionHash"])
        spent = self.mock_project.budget(self.till[1])["spent_wei"]
        self.assertEqual(spent, confirmed["receipt"]["gasFee"])

    def test_lost_answer_is_retried_once(self):
        self.mock_project.load(LOST_ANSWER)
        paid = self.shop.pay("order-17", *self.till)

        page = self.shop.transactions()
        self.assertEqual(page["total"], 1)
        self.assertEqual(page["data"][0]["id"], paid["id"])
        headers = {"x-idempotency-key": "order-17"}
        self.mock_project.verify("CreateTransaction", headers=headers, exactly=2)

    def sign_in(self):
        self.shop.send_code(EMAIL)
        code = self.mock_project.outbox.latest(to=EMAIL)["code"]
        return self.shop.sign_in(EMAIL, code)
