export { MockServer } from "./client.js";
export { MockClock } from "./clock.js";
export { ControlApiError } from "./connection.js";
export { MockProject } from "./project.js";
export { MockJournal, MockOutbox } from "./records.js";
export { reportText } from "./report.js";
export { reported } from "./reporting.js";
export { openServer, StartedServer, startServer } from "./starting.js";
export { VerificationError } from "./verification.js";
export { MockWebhooks } from "./webhooks.js";

/** @typedef {import("./client.js").ProjectOptions} ProjectOptions */
/** @typedef {import("./clock.js").ClockStart} ClockStart */
/** @typedef {import("./scenario-files.js").ScenarioSource} ScenarioSource */
/** @typedef {import("./starting.js").StartOptions} StartOptions */
/** @typedef {import("./entries.js").Delivery} Delivery */
/** @typedef {import("./entries.js").Exchange} Exchange */
/** @typedef {import("./entries.js").Fate} Fate */
/** @typedef {import("./entries.js").FateSpec} FateSpec */
/** @typedef {import("./entries.js").Fault} Fault */
/** @typedef {import("./entries.js").Message} Message */
/** @typedef {import("./entries.js").OperationId} OperationId */
/** @typedef {import("./entries.js").Rule} Rule */
/** @typedef {import("./entries.js").Scenario} Scenario */
/** @typedef {import("./entries.js").Settings} Settings */
/** @typedef {import("./webhooks.js").WebhookHandler} WebhookHandler */
