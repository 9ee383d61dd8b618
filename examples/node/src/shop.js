// The backend of a shop. It knows the API and its official client, and nothing of the mock server.

import Openfort from "@openfort/openfort-node";

const CHAIN = 80002;
const TILL_CALL = { to: "0x00000000000000000000000000000000000000a1", value: "1000" };

export class Shop {
  #url;
  #publishableKey;
  #openfort;

  /** @param {{ url: string, secretKey: string, publishableKey: string }} project */
  constructor({ url, secretKey, publishableKey }) {
    this.#url = url;
    this.#publishableKey = publishableKey;
    this.#openfort = new Openfort(secretKey, { basePath: url, publishableKey });
  }

  /** Mails a code to sign in with. */
  async sendCode(email) {
    await this.#auth("email-otp/send-verification-otp", { email, type: "sign-in" });
  }

  /** Takes the code from the mail: a session, with its `token` and `user`. The first sign-in makes the user. */
  signIn(email, code) {
    return this.#auth("sign-in/email-otp", { email, otp: code });
  }

  /** Whose token it is. */
  async whoIs(token) {
    return (await this.#openfort.iam.getSession({ accessToken: token })).user;
  }

  /** Opens the account that the shop pays from; its id. */
  async openTill() {
    return (await this.#openfort.accounts.v1.create({ chainId: CHAIN })).id;
  }

  /** Pays once, with gas that a sponsorship pays for. The client asks again if no answer came, with the same key. */
  pay(order, { till, sponsorship }) {
    const payment = {
      chainId: CHAIN,
      account: till,
      policy: sponsorship,
      interactions: [TILL_CALL],
      optimistic: true,
    };
    return this.#openfort.transactionIntents.create(payment, { idempotencyKey: order });
  }

  /** A payment by its id; its `response` is the receipt, once it is confirmed. */
  payment(id) {
    return this.#openfort.transactionIntents.get(id);
  }

  /** All payments, newest first. */
  async payments() {
    return (await this.#openfort.transactionIntents.list()).data;
  }

  /** Users sign in with the publishable key: the client for servers has no part for that. */
  async #auth(path, body) {
    const answer = await fetch(`${this.#url}/iam/v2/auth/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-project-key": this.#publishableKey },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}
