/**
 * The words that run it: those of the variable, or else the first of the commands that is this program.
 *
 * @returns {Promise<string[] | undefined>}
 */
export function findCommand(): Promise<string[] | undefined>;
export const COMMAND_VARIABLE: "MOCKSERVER_COMMAND";
/** In which order it is looked for. */
export const ORDER: string;
/** What is said when nothing runs it. */
export const HOW_TO_GET_IT: string;
