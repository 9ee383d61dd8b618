/**
 * Record a project from now on, masked, if that is asked for.
 *
 * @param {MockServer} server
 * @param {MockProject} project
 * @param {Recording} options
 */
export function beginRecording(server: MockServer, project: MockProject, { record, recordDir }: Recording): Promise<void>;
/**
 * What the report of a failed test says of its recording.
 *
 * @param {MockProject} project
 */
export function recordingSection(project: MockProject): {
    title: string;
    lines: string[];
}[];
/**
 * End the recording of a project before it is deleted, and keep it if it is to be kept.
 *
 * @param {MockProject} project
 * @param {boolean} hasFailed
 */
export function endRecording(project: MockProject, hasFailed: boolean): Promise<void>;
/**
 * Which recordings of tests are kept.
 */
export type Recording = {
    /**
     * those of tests that failed, or all; what MOCKSERVER_RECORD_TESTS says unless given
     */
    record?: "failed" | "all" | undefined;
    /**
     * where to; `.mockserver/recordings`
     */
    recordDir?: string | undefined;
};
export type Recorded = {
    server: MockServer;
    file: string;
    keepsAll: boolean;
    problem?: string;
};
import type { MockServer } from "./client.js";
import type { MockProject } from "./project.js";
