// What is on the page: signing in, buying, and what became of the payment.

import { Shop } from "./shop.js";

const POLL_MS = 50;
const shop = new Shop(await (await fetch("/config.json")).json());
const element = (id) => document.getElementById(id);
let email = "";

/** Does what a form is for when it is sent. */
function onSubmit(id, submit) {
  element(id).addEventListener("submit", (event) => {
    event.preventDefault();
    submit(new FormData(event.target));
  });
}

onSubmit("address", async (form) => {
  email = form.get("email");
  await shop.sendCode(email);
  element("code").hidden = false;
});

onSubmit("code", async (form) => {
  const user = await shop.signIn(email, form.get("code"));
  element("customer").textContent = user.email;
  element("customer").dataset.id = user.id;
  element("shop").hidden = false;
});

element("buy").addEventListener("click", async () => {
  const payment = await shop.pay(new URLSearchParams(location.search).get("order"));
  element("payment").dataset.id = payment.id;
  element("payment").textContent = "sent";
  await poll(payment.id);
});

/** Looks at a payment until it has its receipt. */
async function poll(id) {
  const { response } = await shop.payment(id);
  if (!response) {
    setTimeout(() => poll(id), POLL_MS);
    return;
  }
  element("payment").textContent = response.status === 1 ? "confirmed" : "failed";
  element("payment").dataset.transactionHash = response.transactionHash;
  element("payment").dataset.gasFee = response.gasFee;
}
