/** What leaves a recording, and what leaves none, whatever runs it. */
export function recorded({ base, expect, mockTest }) {
  const test = mockTest(base, {
    scenario: { given: [{ call: "createBackendWallet", body: { chainType: "EVM" } }] },
    recordDir: process.env.RECORD_DIR,
  });

  const ask = ({ url, secretKey }) =>
    fetch(`${url}/v1/contracts`, { headers: { authorization: `Bearer ${secretKey}` } });

  test("passes", async ({ mockProject }) => {
    expect((await ask(mockProject)).status).toBe(200);
  });

  test("fails", async ({ mockProject }) => {
    expect((await ask(mockProject)).status).toBe(999);
  });
}
