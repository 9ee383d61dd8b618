// The server-side client, and a project's wallet secret for it.

import { generateKeyPairSync, randomUUID } from "node:crypto";

import Openfort, { registerWalletSecret } from "@openfort/openfort-node";
import { SignJWT } from "jose";

import { observed } from "./observed.mjs";

/** A client of a project. What it is told holds for the whole process, so make one per flow. */
export function backend(mock, walletSecret) {
  return observed(
    "node",
    new Openfort(mock.secretKey, {
      basePath: mock.url,
      publishableKey: mock.publishableKey,
      walletSecret: walletSecret?.secret,
    }),
  );
}

/** A client whose project has a wallet secret, newly registered. */
export async function backendWithWallets(mock) {
  const walletSecret = newWalletSecret();
  const openfort = backend(mock, walletSecret);
  await registerWalletSecret(await possession(walletSecret, "register-secret", {
    publicKey: walletSecret.publicKey,
    keyId: walletSecret.keyId,
  }, mock));
  return { openfort, walletSecret };
}

/** A P-256 key pair: the secret as the client takes it, the public key as the API does. */
export function newWalletSecret() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    keyId: `ws_${randomUUID()}`,
    secret: privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
    publicKey: publicKey.export({ type: "spki", format: "pem" }),
    privateKey,
  };
}

/** A body with the token that proves that its sender has the new key. */
export async function possession({ privateKey }, action, body, mock) {
  const sorted = JSON.stringify(body, Object.keys(body).sort());
  const digest = await crypto.subtle.digest("SHA-256", Buffer.from(sorted));
  const claims = {
    uris: [`POST ${new URL(mock.url).host}/v2/accounts/backend/${action}`],
    reqHash: Buffer.from(digest).toString("hex"),
  };
  const now = Math.floor(Date.now() / 1000);
  const walletAuthToken = await new SignJWT(claims)
    .setProtectedHeader({ alg: "ES256", typ: "JWT" })
    .setIssuedAt(now)
    .setNotBefore(now)
    .setJti(randomUUID().replaceAll("-", ""))
    .sign(privateKey);
  return { ...body, walletAuthToken };
}

/** What the mock says about an error; before 0.10 the client hands its whole answer on instead of the message. */
export const textOf = ({ errorMessage, message }) => errorMessage?.message ?? errorMessage ?? message;
