#!/usr/bin/env node
// The command of this package: runs `mockserver` with its arguments, its signals and its exit code.

import { spawn } from "node:child_process";
import { constants } from "node:os";

import { findCommand, HOW_TO_GET_IT, ORDER } from "./finding.js";

const NOT_FOUND = 127;
/** @type {NodeJS.Signals[]} */
const OF_TERMINALS = ["SIGINT", "SIGQUIT", "SIGHUP"];

const words = process.argv.slice(2);
if (words.length === 0 || ["-h", "--help"].includes(words[0] ?? "")) {
  console.log(`The first of these that is there runs with the same arguments: ${ORDER}.\n`);
}
const [program, ...first] = (await findCommand()) ?? [];
if (program === undefined) {
  console.error(HOW_TO_GET_IT);
  process.exit(NOT_FOUND);
}
const child = spawn(program, [...first, ...words], { stdio: "inherit" });
for (const name of OF_TERMINALS) {
  // A terminal sends them to the child as well, for which a second one would be another signal.
  process.on(name, () => process.stdin.isTTY || child.kill(name));
}
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("error", (error) => {
  console.error(`cannot run ${program}: ${error.message}`);
  process.exit(NOT_FOUND);
});
child.on("exit", (status, signal) => process.exit(status ?? 128 + (signal ? constants.signals[signal] : 0)));
