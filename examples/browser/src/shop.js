// A shop in the browser. It knows the API and its official client, and nothing of the mock server.

import { Openfort } from "@openfort/openfort-js";

const CHAIN = 80002;
const CALL = { to: "0x00000000000000000000000000000000000000a1", value: "1000" };
const ATTEMPTS = 3;

export class Shop {
  #config;
  #openfort;

  /** @param {{ url: string, publishableKey: string, sponsorship: string }} config */
  constructor(config) {
    this.#config = config;
    this.#openfort = new Openfort({
      baseConfiguration: { publishableKey: config.publishableKey },
      overrides: { backendUrl: config.url },
      disableTelemetry: true,
    });
  }

  /** Mails a code to sign in with. */
  async sendCode(email) {
    await this.#openfort.auth.requestEmailOtp({ email });
  }

  /** Takes the code from the mail; the user. The first sign-in makes them. */
  async signIn(email, code) {
    await this.#openfort.auth.logInWithEmailOtp({ email, otp: code });
    return this.#openfort.user.get();
  }

  /** Pays once from the customer's account. If no answer came, it asks again: with the same key, nothing is paid twice. */
  async pay(order) {
    const payment = {
      chainId: CHAIN,
      policy: this.#config.sponsorship,
      interactions: [CALL],
      optimistic: true,
    };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#call("POST", "/v1/transaction_intents", payment, { "x-idempotency-key": order });
      } catch (error) {
        // fetch throws a TypeError when the connection breaks.
        if (!(error instanceof TypeError) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** A payment by its id; its `response` is the receipt, once it is confirmed. */
  payment(id) {
    return this.#call("GET", `/v1/transaction_intents/${id}`);
  }

  /** A call as the customer who is signed in. */
  async #call(method, path, body, headers = {}) {
    const answer = await fetch(`${this.#config.url}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        "x-project-key": this.#config.publishableKey,
        authorization: `Bearer ${await this.#openfort.getAccessToken()}`,
        ...headers,
      },
      body: body && JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}
