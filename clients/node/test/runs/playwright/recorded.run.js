import { expect, test as base } from "@playwright/test";

import { mockTest } from "wallet-api-double/playwright";

import { recorded } from "../recorded.js";

recorded({ base, expect, mockTest, outage: "outage.yaml" });
