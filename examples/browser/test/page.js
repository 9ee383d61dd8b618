// The shop in a browser: a bundle, a server of the shop's own for it, and Chromium.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

import { build } from "esbuild";
import { chromium } from "playwright-core";
import { test as base } from "vitest";
import { mockTest } from "wallet-api-double/vitest";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const SHOP = new URL("../src/", import.meta.url);

/** Tests with `openShop`, which opens the shop for an order in a browser of its own. */
export const test = mockTest(base, { scenario: new URL("../../shop.yaml", import.meta.url) }).extend({
  bundle: [async ({}, use) => use(await bundle()), { scope: "file" }],
  browser: [provideBrowser, { scope: "file" }],
  openShop: async ({ browser, bundle, mockProject }, use) => {
    const { sponsorship } = await mockProject.captured();
    const { url, publishableKey } = mockProject;
    const config = JSON.stringify({ url, publishableKey, sponsorship: sponsorship.id });
    const server = await serve({
      "/": ["text/html", await readFile(new URL("index.html", SHOP))],
      ...bundle,
      "/config.json": ["application/json", config],
    });
    const contexts = [];
    await use(async (order = "order-1") => {
      const context = await browser.newContext();
      contexts.push(context);
      const page = await context.newPage();
      await page.goto(`http://localhost:${server.address().port}/?order=${order}`);
      return page;
    });
    for (const context of contexts) await context.close();
    server.closeAllConnections();
    server.close();
  },
});

async function bundle() {
  const options = {
    entryPoints: [new URL("app.js", SHOP).pathname],
    bundle: true,
    format: "esm",
    write: false,
  };
  const { outputFiles } = await build({
    ...options,
    define: { "process.env.NODE_ENV": '"test"' },
    logLevel: "error",
  });
  return { "/app.js": ["text/javascript", outputFiles[0].contents] };
}

async function provideBrowser({}, use) {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  await use(browser);
  await browser.close();
}

/** Serves files that are in memory, on a free port. */
async function serve(files) {
  const server = createServer((request, response) => {
    const [type, body] = files[new URL(request.url, "http://localhost").pathname] ?? [
      "text/plain",
      "not found",
    ];
    response.writeHead(200, { "content-type": type }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
