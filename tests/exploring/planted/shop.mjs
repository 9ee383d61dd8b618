/** A consumer in JavaScript with a mistake of each kind: `node shop.mjs NAME` makes one, `node shop.mjs careful NAME` makes none. */

import { createServer } from "node:http";

const { MOCKSERVER_URL, OPENFORT_SECRET_KEY, OPENFORT_PUBLISHABLE_KEY } = process.env;
const TRANSACTIONS = "/v2/transactions";
const CONTRACTS = "/v1/contracts";
const POLICIES = "/v2/policies";
const IAM = "/iam/v2/auth";
const POLICY = {
  scope: "project",
  rules: [{ action: "accept", operation: "sponsorEvmTransaction", criteria: [] }],
};
const CONTRACT = { name: "Token", chainId: 84532, address: `0x${"cd".repeat(20)}` };
const ADA = { email: "ada@example.com" };
const AGAIN = [408, 425, 429, 500, 502, 503, 504];

class ShopError extends Error {}

function send(method, path, body, headers = {}) {
  const given = {
    authorization: `Bearer ${OPENFORT_SECRET_KEY}`,
    "content-type": "application/json",
    ...headers,
  };
  return fetch(MOCKSERVER_URL + path, { method, headers: given, body: body && JSON.stringify(body) });
}

/** Call with retries and one key for all of them; an error of the consumer's own for whatever fails. */
async function call(method, path, body, headers = {}) {
  const key = { "x-idempotency-key": crypto.randomUUID() };
  let reason = "no answer";
  for (let attempt = 0; attempt < 4; attempt++) {
    const answer = await send(method, path, body, { ...key, ...headers }).catch(() => null);
    reason = answer?.status ?? reason;
    if (!answer || AGAIN.includes(answer.status)) continue;
    if (!answer.ok) break;
    const made = await answer.json().catch(() => null);
    if (made) return made;
  }
  throw new ShopError(`${method} ${path}: ${reason}`);
}

async function payment() {
  const { id } = await call("POST", "/v1/accounts", { chainId: 84532 });
  return { chainId: 84532, accountId: id, calls: [{ to: `0x${"ab".repeat(20)}`, value: "7" }] };
}

async function signedIn() {
  const user = { ...ADA, password: "correct horse battery", name: "Ada" };
  const { token } = await call("POST", `${IAM}/sign-up/email`, user, asUser(OPENFORT_PUBLISHABLE_KEY));
  return asUser(OPENFORT_PUBLISHABLE_KEY, token);
}

function asUser(key, token = key) {
  return { authorization: `Bearer ${token}`, "x-project-key": key };
}

/** What a project has, by the control API. */
function ask(path, method = "GET") {
  return send(method, `/_mock/projects/-${path}`).then((answer) => answer.json());
}

async function sentCode() {
  const body = { ...ADA, type: "sign-in" };
  await call("POST", `${IAM}/email-otp/send-verification-otp`, body, asUser(OPENFORT_PUBLISHABLE_KEY));
  return { ...ADA, otp: (await ask("/outbox?order=desc")).data[0].code };
}

/** Take webhooks until all of them have arrived or are lost. */
async function listen(handle) {
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    await handle(body);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const target = `http://127.0.0.1:${server.address().port}/hooks`;
  await call("POST", "/v1/subscriptions", { topic: "test", triggers: [{ target, type: "webhook" }] });
  await call("POST", "/v1/subscriptions/test");
  const isOpen = ({ status }) => status === "due" || status === "waiting";
  while ((await ask("/webhooks/deliveries")).data.some(isOpen))
    await new Promise((resolve) => setTimeout(resolve, 5));
  server.close();
  server.closeAllConnections();
}

/** Pay again until there is an answer, with the headers of each attempt. */
async function payAgain(headersOf) {
  const body = await payment();
  for (let attempt = 0; attempt < 3; attempt++) {
    const answer = await send("POST", TRANSACTIONS, body, headersOf(attempt)).catch(() => null);
    if (answer?.ok) return answer.json();
  }
  throw new ShopError("not paid");
}

/** Pay, and take it for paid if its status is one of these. */
async function payAs(...statuses) {
  const { status } = await call("POST", TRANSACTIONS, await payment());
  if (!statuses.includes(status)) throw new ShopError(`not paid: ${status}`);
}

/** Register a contract, and look at nothing if the answer has one of these statuses. */
async function registerOr(...statuses) {
  const answer = await send("POST", CONTRACTS, CONTRACT);
  if (!answer.ok && !statuses.includes(answer.status)) throw new ShopError(answer.status);
}

const MISTAKES = {
  retries_without_a_key: () => payAgain(() => ({})),
  retries_with_another_key: () => payAgain((attempt) => ({ "x-idempotency-key": `order-${attempt}` })),
  sends_an_order_without_a_key: async () => void (await send("POST", TRANSACTIONS, await payment())),
  does_not_look_whether_it_reverted: () => payAs("successful", "reverted"),
  takes_a_dropped_one_for_paid: () => payAs("successful", "failed"),
  takes_one_that_is_sent_for_paid: () => payAs("successful", "sent"),
  async polls_without_an_end() {
    let made = await call("POST", TRANSACTIONS, await payment());
    while (made.status === "sent") made = await call("GET", `${TRANSACTIONS}/${made.id}`);
  },
  async tries_again_for_ever() {
    while (!(await send("POST", CONTRACTS, CONTRACT)).ok);
  },
  swallows_an_outage: () => registerOr(503),
  swallows_a_rate_limit: () => registerOr(429),
  swallows_a_server_error: () => registerOr(500),
  swallows_a_wrong_chain: () => registerOr(400, 404, 422),
  swallows_a_broken_connection: () => send("POST", CONTRACTS, CONTRACT).catch(() => null),
  swallows_any_exception: () => call("POST", CONTRACTS, CONTRACT).catch(() => null),
  does_not_catch_a_broken_connection: () => send("POST", CONTRACTS, CONTRACT),
  does_not_catch_a_broken_answer: async () =>
    void (await (await send("POST", CONTRACTS, CONTRACT)).json()).name,
  reads_json_of_a_gateway: async () => void (await (await send("GET", CONTRACTS)).json()),
  reads_a_member_that_an_error_lacks: async () =>
    void (await (await send("GET", CONTRACTS)).json()).data.length,
  async makes_a_policy_without_a_key() {
    for (let attempt = 0; attempt < 3; attempt++)
      if (await send("POST", POLICIES, POLICY).catch(() => null)) return;
  },
  async does_not_look_whether_a_policy_is_off() {
    const { id } = await call("POST", POLICIES, POLICY);
    await send("POST", `${POLICIES}/${id}`, { enabled: false });
  },
  async does_not_look_whether_a_contract_is_gone() {
    const { id } = await call("POST", CONTRACTS, CONTRACT);
    await send("DELETE", `${CONTRACTS}/${id}`);
  },
  async does_not_look_whether_signing_out_succeeded() {
    await send("POST", `${IAM}/sign-out`, {}, await signedIn());
  },
  async expects_a_session_to_last() {
    const answer = await send("GET", `${IAM}/get-session`, undefined, await signedIn());
    if ((await answer.json()).user.email !== ADA.email) throw new ShopError("another user");
  },
  async expects_a_code_to_last() {
    await send("POST", `${IAM}/sign-in/email-otp`, await sentCode(), asUser(OPENFORT_PUBLISHABLE_KEY));
  },
  works_a_webhook_off_each_time: () => listen(() => call("POST", POLICIES, POLICY)),
};

/** The same without the mistakes, by the operation that they are about. */
const CAREFUL = {
  CreateTransaction: () => payAs("successful"),
  CreateContract: () => call("POST", CONTRACTS, CONTRACT),
  GetContracts: async () => void (await call("GET", CONTRACTS)).data.length,
  CreatePolicyV2: () => call("POST", POLICIES, POLICY),
  async UpdatePolicyV2() {
    const { id } = await call("POST", POLICIES, POLICY);
    await call("POST", `${POLICIES}/${id}`, { enabled: false });
  },
  async DeleteContract() {
    const { id } = await call("POST", CONTRACTS, CONTRACT);
    await call("DELETE", `${CONTRACTS}/${id}`);
  },
  signOut: async () => void (await call("POST", `${IAM}/sign-out`, {}, await signedIn())),
  async getUserSession() {
    const found = await call("GET", `${IAM}/get-session`, undefined, await signedIn());
    if (found.user?.email !== ADA.email) throw new ShopError("another user");
  },
  async signInEmailOTP() {
    await call("POST", `${IAM}/sign-in/email-otp`, await sentCode(), asUser(OPENFORT_PUBLISHABLE_KEY));
  },
  async "webhook test"() {
    const seen = new Set();
    await listen(async (body) => {
      if (seen.has(body)) return;
      seen.add(body);
      await call("POST", POLICIES, POLICY);
    });
  },
};

const [name, flow] = process.argv.slice(2);
await (name === "careful" ? CAREFUL[flow] : MISTAKES[name])();
