// The report of a failed test, as the server makes it.

import { ControlApiError } from "./connection.js";

/** @import { MockProject } from "./project.js" */
/** @import { ReportSection } from "./entries.js" */

/**
 * The sections that have something to say; none about a deleted project.
 *
 * @param {MockProject} project
 * @param {Readonly<Record<string, unknown>>} params the query, such as `since`
 * @returns {Promise<ReportSection[]>}
 */
export async function readReport(project, params) {
  try {
    return (await project.call("GET", "/report", { params })).sections;
  } catch (error) {
    if (error instanceof ControlApiError) return [];
    throw error;
  }
}

/**
 * What there is to say about the exchanges after number `since`; empty about a deleted project.
 *
 * @param {MockProject} project
 * @param {{ since?: number }} [options]
 */
export async function reportText(project, { since = 0 } = {}) {
  return textOf(await readReport(project, { since }));
}

/** @param {readonly Pick<ReportSection, "title" | "lines">[]} sections */
export function textOf(sections) {
  return sections.map(({ title, lines }) => [`--- ${title} ---`, ...lines].join("\n")).join("\n");
}
