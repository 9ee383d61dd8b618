// What the flows of all clients share: each is played, and what failed is printed at the end.
import assert from "node:assert/strict";

export const timeout = 20_000;
export const failed = [];

export async function flow(name, play) {
  try {
    await play();
  } catch (error) {
    failed.push(`${name}: ${error.stack ?? error}`);
  }
}

export async function until(holds) {
  for (const end = Date.now() + timeout; !holds(); await new Promise((resolve) => setTimeout(resolve, 20))) {
    assert.ok(Date.now() < end, `timed out waiting until ${holds}`);
  }
}

export function report() {
  console.log(JSON.stringify(failed));
  process.exit(0);
}
