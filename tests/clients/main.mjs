// Plays the flows of scripts with one version of a client, and prints what became of them as JSON.

import { asked, strangers } from "./guard.mjs";
import { methods } from "./observed.mjs";
import { play } from "./play.mjs";

const [client, version, ...scripts] = process.argv.slice(2);
const played = {};
for (const script of scripts) played[script] = await play(script, version);
const found = { scripts: played, strangers: [...strangers], methods: methods(client), asked: [...asked] };
console.log(JSON.stringify(found));
// A client may keep sockets open; nothing is left to wait for.
process.exit(0);
