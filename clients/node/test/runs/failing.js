/** What fails: an assertion, a rule that never fires, an undeclared key, whatever runs it. */
export function failing({ base, expect, mockTest, outage }) {
  const test = mockTest(base);
  const unused = mockTest(base, { scenario: outage });
  const strict = mockTest(base, { strictKeys: true });

  const ask = (path, { url, secretKey }) =>
    fetch(`${url}${path}`, { headers: { authorization: `Bearer ${secretKey}` } });

  test("an assertion", async ({ mockProject }) => {
    await mockProject.fate({ outcome: "reverted" });
    await ask("/v1/contracts/con_nowhere", mockProject);
    expect(1).toBe(2);
  });

  unused("a rule that never fires", async ({ mockProject }) => {
    await ask("/v2/accounts", mockProject);
  });

  strict("an undeclared key", async ({ mockProject }) => {
    await ask("/v1/contracts", { url: mockProject.url, secretKey: "sk_test_wrong" });
  });
}
