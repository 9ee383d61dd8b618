/** What leaves a recording, and what leaves none, whatever runs it. */
export function recorded({ base, expect, mockTest, outage }) {
  const recordDir = process.env.RECORD_DIR;
  const scenario = { given: [{ call: "createBackendWallet", body: { chainType: "EVM" } }] };
  const test = mockTest(base, { scenario, recordDir });
  const unused = mockTest(base, { scenario: outage, recordDir });

  const ask = ({ url, secretKey }) =>
    fetch(`${url}/v1/contracts`, { headers: { authorization: `Bearer ${secretKey}` } });

  test("passes", async ({ mockProject }) => {
    expect((await ask(mockProject)).status).toBe(200);
  });

  test("fails", async ({ mockProject }) => {
    expect((await ask(mockProject)).status).toBe(999);
  });

  unused("has a rule that never fires", async ({ mockProject }) => {
    await mockProject.env();
  });
}
