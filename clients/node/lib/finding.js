// Finding what runs the command `mockserver` on this machine.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { promisify } from "node:util";

const run = promisify(execFile);
/** @type {{ version: string }} */
const { version } = createRequire(import.meta.url)("../package.json");

export const COMMAND_VARIABLE = "MOCKSERVER_COMMAND";
const REQUIREMENT = `mockserver@${version}`;
const COMMANDS = [
  ["mockserver"],
  ["uvx", REQUIREMENT],
  ["uv", "tool", "run", REQUIREMENT],
  ["python3", "-m", "mockserver"],
  ["python", "-m", "mockserver"],
];

/** In which order it is looked for. */
export const ORDER = [`$${COMMAND_VARIABLE}`, ...COMMANDS.map((words) => words.join(" "))].join(", ");

/** What is said when nothing runs it. */
export const HOW_TO_GET_IT = `there is no mockserver here; tried in this order: ${ORDER}. It comes
- with uv, which fetches it on the first start: https://docs.astral.sh/uv/
- by pip install ${REQUIREMENT.replace("@", "==")}, in a virtual environment that is activated
- as an executable of its releases, on the path or named by ${COMMAND_VARIABLE}`;

/**
 * The words that run it: those of the variable, or else the first of the commands that is this program.
 *
 * @returns {Promise<string[] | undefined>}
 */
export async function findCommand() {
  const named = process.env[COMMAND_VARIABLE]?.trim();
  if (named) return existsSync(named) ? [named] : named.split(/\s+/);
  for (const [program = "", ...first] of COMMANDS) {
    // There is another product of this name.
    const answer = await run(program, [...first, "--version"]).catch(() => ({ stdout: "" }));
    if (/^mockserver \d/.test(answer.stdout)) return [program, ...first];
  }
  return undefined;
}
