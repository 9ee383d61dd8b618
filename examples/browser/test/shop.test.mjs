import { expect } from "vitest";

import { test } from "./page.js";

const ADA = "ada@example.com";

/** Signs in as a customer does, with the code from the mail; the id of the user. */
async function signIn(page, mockProject) {
  await page.getByLabel("E-mail").fill(ADA);
  await page.getByRole("button", { name: "Send me a code" }).click();
  await page.getByLabel("Code").waitFor();
  const { code } = await mockProject.outbox.latest({ to: ADA });
  await page.getByLabel("Code").fill(code);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText(ADA).waitFor();
  return page.locator("#customer").getAttribute("data-id");
}

/** Buys, and waits until the page says what became of it; what the page knows of the payment. */
async function buy(page, status) {
  await page.getByRole("button", { name: "Buy" }).click();
  await page.getByText(status, { exact: true }).waitFor();
  return page.locator("#payment").evaluate((payment) => ({ ...payment.dataset }));
}

test("customer signs in by code", async ({ openShop, mockProject }) => {
  const first = await signIn(await openShop(), mockProject);
  const [mail] = await mockProject.outbox.list();
  expect(mail.to).toBe(ADA);

  const again = await signIn(await openShop(), mockProject);
  expect(again).toBe(first);
});

test("sponsored payment confirms", async ({ openShop, mockProject }) => {
  const page = await openShop("order-16");
  await signIn(page, mockProject);
  await buy(page, "sent");

  await mockProject.clock.advance(2);
  await page.getByText("confirmed", { exact: true }).waitFor();
  const { transactionHash, gasFee } = await page
    .locator("#payment")
    .evaluate((payment) => ({ ...payment.dataset }));
  expect(transactionHash).toMatch(/^0x/);
  const { sponsorship } = await mockProject.captured();
  expect((await mockProject.budget(sponsorship.id)).spent_wei).toBe(gasFee);
});

test("lost answer is retried once", async ({ openShop, mockProject }) => {
  const page = await openShop("order-17");
  await signIn(page, mockProject);
  const fault = { connection_reset_by_peer: { effect: "done", times: 1 } };
  await mockProject.load({
    name: "lost answer",
    rules: [{ when: "CreateTransactionIntent", then: { fault } }],
  });

  const { id } = await buy(page, "sent");

  const headers = { authorization: `Bearer ${mockProject.secretKey}` };
  const { data } = await (await fetch(`${mockProject.url}/v1/transaction_intents`, { headers })).json();
  expect(data.map((intent) => intent.id)).toEqual([id]);
  await mockProject.verify("CreateTransactionIntent", {
    headers: { "x-idempotency-key": "order-17" },
    exactly: 2,
  });
});
