import { expect, test as base } from "vitest";
import { mockTest } from "wallet-api-double/vitest";

import { Shop } from "../src/shop.js";

const ADA = "ada@example.com";

const test = mockTest(base, { scenario: new URL("../../shop.yaml", import.meta.url) });

/** Signs in as a customer does, with the code from the mail. */
async function signIn(shop, mockProject) {
  await shop.sendCode(ADA);
  const { code } = await mockProject.outbox.latest({ to: ADA });
  return shop.signIn(ADA, code);
}

/** What a payment needs: the shop's account, and who pays for gas. */
async function tillOf(shop, mockProject) {
  const { sponsorship } = await mockProject.captured();
  return { till: await shop.openTill(), sponsorship: sponsorship.id };
}

test("customer signs in by code", async ({ mockProject }) => {
  const shop = new Shop(mockProject);
  const first = await signIn(shop, mockProject);
  expect(await shop.whoIs(first.token)).toMatchObject({ id: first.user.id, email: ADA });

  const again = await signIn(shop, mockProject);
  expect(again.user.id).toBe(first.user.id);
});

test("sponsored payment confirms", async ({ mockProject }) => {
  const shop = new Shop(mockProject);
  const payer = await tillOf(shop, mockProject);
  const paid = await shop.pay("order-16", payer);
  expect(paid.response).toBeUndefined();

  await mockProject.clock.advance(2);
  const { response } = await shop.payment(paid.id);
  expect(response).toMatchObject({ status: 1, transactionHash: expect.stringMatching(/^0x/) });
  const { spent_wei } = await mockProject.budget(payer.sponsorship);
  expect(spent_wei).toBe(response.gasFee);
});

test("lost answer is retried once", async ({ mockProject }) => {
  const shop = new Shop(mockProject);
  const payer = await tillOf(shop, mockProject);
  const fault = { connection_reset_by_peer: { effect: "done", times: 1 } };
  await mockProject.load({
    name: "lost answer",
    rules: [{ when: "CreateTransactionIntent", then: { fault } }],
  });

  const paid = await shop.pay("order-17", payer);

  expect((await shop.payments()).map(({ id }) => id)).toEqual([paid.id]);
  const headers = { "x-idempotency-key": "order-17" };
  await mockProject.verify("CreateTransactionIntent", { headers, exactly: 2 });
});
