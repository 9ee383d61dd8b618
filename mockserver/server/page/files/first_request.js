/** What an empty journal offers: a first request, and the variables that clients read. */

import { call, get, ofProject, server } from "./api.js";
import { quote } from "./curl.js";
import { button, command, copy, fill, h } from "./dom.js";

/** @param {HTMLElement} place @param {string} project */
export async function offerFirstRequest(place, project) {
  const { secret_key: secret, publishable_key: publishable } = await get(ofProject(project));
  const curl = `curl ${quote(`${server}/v1/contracts`)} -H 'Authorization: Bearer ${secret}'`;
  const variables = {
    OPENFORT_BASE_URL: server,
    OPENFORT_SECRET_KEY: secret,
    OPENFORT_PUBLISHABLE_KEY: publishable,
    MOCKSERVER_URL: server,
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quote(value)}`);
  // Asked for only now: that registers it.
  const withWallet = async () => {
    const { wallet_secret: wallet } = await call("POST", ofProject(project, "/wallet-secret"));
    await copy([...lines, `OPENFORT_WALLET_SECRET=${quote(wallet)}`].join("\n"));
  };
  fill(
    place,
    h("h2", {}, "No requests yet"),
    h("p", {}, "They appear here as they arrive. Send one:"),
    command(curl, "Copy the command"),
    h("p", {}, "or let a client read where the server is and the keys of this project:"),
    command(lines.join("\n"), "Copy the variables"),
    button("Copy with the wallet secret", withWallet),
  );
}
