/** The views by their names in addresses, in the order of the navigation. */

import { ChainView } from "./chain.js";
import { ClockView } from "./clock.js";
import { CoverageView } from "./coverage.js";
import { JournalView } from "./journal.js";
import { OutboxView } from "./outbox.js";
import { ProjectsView } from "./projects.js";
import { RecordingsView } from "./recordings.js";
import { ScenariosView } from "./scenarios.js";
import { SearchView } from "./search.js";
import { SnapshotsView } from "./snapshots.js";
import { TablesView } from "./tables.js";
import { TimelineView } from "./timeline.js";
import { WebhooksView } from "./webhooks.js";

/**
 * @typedef {Pick<import("./view.js").View, "update" | "key" | "dispose"> & { element: HTMLElement }} View
 * @type {Record<string, { title: string, make: new (context: import("./main.js").Context) => View }>}
 */
export const VIEWS = {
  journal: { title: "Journal", make: JournalView },
  outbox: { title: "Outbox", make: OutboxView },
  webhooks: { title: "Webhooks", make: WebhooksView },
  clock: { title: "Clock", make: ClockView },
  chain: { title: "Chains", make: ChainView },
  tables: { title: "Tables", make: TablesView },
  errors: { title: "Errors", make: CoverageView },
  scenarios: { title: "Scenarios", make: ScenariosView },
  timeline: { title: "Timeline", make: TimelineView },
  snapshots: { title: "Snapshots", make: SnapshotsView },
  recordings: { title: "Recordings", make: RecordingsView },
  search: { title: "Search", make: SearchView },
  projects: { title: "Projects", make: ProjectsView },
};
