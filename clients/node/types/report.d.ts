/** @import { MockProject } from "./project.js" */
/** @import { ReportSection } from "./entries.js" */
/**
 * The sections that have something to say; none about a deleted project.
 *
 * @param {MockProject} project
 * @param {Readonly<Record<string, unknown>>} params the query, such as `since`
 * @returns {Promise<ReportSection[]>}
 */
export function readReport(project: MockProject, params: Readonly<Record<string, unknown>>): Promise<ReportSection[]>;
/**
 * What there is to say about the exchanges after number `since`; empty about a deleted project.
 *
 * @param {MockProject} project
 * @param {{ since?: number }} [options]
 */
export function reportText(project: MockProject, { since }?: {
    since?: number;
}): Promise<string>;
/** @param {readonly Pick<ReportSection, "title" | "lines">[]} sections */
export function textOf(sections: readonly Pick<ReportSection, "title" | "lines">[]): string;
import type { MockProject } from "./project.js";
import type { ReportSection } from "./entries.js";
