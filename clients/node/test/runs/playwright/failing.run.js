import { expect, test as base } from "@playwright/test";

import { mockTest } from "wallet-api-double/playwright";

import { failing } from "../failing.js";

failing({ base, expect, mockTest, outage: "outage.yaml" });
