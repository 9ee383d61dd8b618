import { describe, expect, test } from "vitest";

import { mockTest } from "wallet-api-double/vitest";

import { passing } from "../passing.js";

const base = Object.assign(test, { describe });
passing({ base, expect, mockTest, outage: "../outage.yaml" });
