// Prints the operations that a version of the Node SDK exports one by one: names and what they request, as JSON.

import * as sdk from "@openfort/openfort-node";

const REQUEST = /url: `?"?([^`",]+)`?"?,\s*method: "([A-Z]+)"/;

function* operations(exported) {
  for (const [name, member] of Object.entries(exported)) {
    const found = typeof member === "function" && REQUEST.exec(member.toString());
    if (found) yield [name, `${found[2]} ${found[1].replaceAll(/\$\{[^}]+\}/g, "X")}`];
  }
}

console.log(JSON.stringify(Object.fromEntries([...operations(sdk), ...operations(sdk.authApi)])));
