import { expect, test as base } from "vitest";

import { mockTest } from "wallet-api-double/vitest";

import { failing } from "../failing.js";

failing({ base, expect, mockTest, outage: "../outage.yaml" });
