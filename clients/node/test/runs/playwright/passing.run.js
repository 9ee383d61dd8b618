import { expect, test as base } from "@playwright/test";

import { mockTest } from "wallet-api-double/playwright";

import { passing } from "../passing.js";

passing({ base, expect, mockTest, outage: "outage.yaml" });
