import { expect, test as base } from "vitest";

import { mockTest } from "wallet-api-double/vitest";

import { recorded } from "../recorded.js";

recorded({ base, expect, mockTest, outage: "../outage.yaml" });
