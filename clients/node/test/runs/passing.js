/** What passes, whatever runs it. */
export function passing({ base, expect, mockTest, outage }) {
  const test = mockTest(base);
  const away = mockTest(base, { scenario: outage });
  const inside = mockTest(base, {
    scenario: { rules: [{ name: "away", when: "GetContracts", then: { answer: 503 } }] },
  });
  const idle = mockTest(base, { scenario: outage, unusedRules: "allow" });
  const later = mockTest(base, {
    clock: "2030-01-01T00:00:00Z",
    settings: { one_time_code: "123456" },
    seed: "mine",
  });

  const ask = ({ url, secretKey }) =>
    fetch(`${url}/v1/contracts`, { headers: { authorization: `Bearer ${secretKey}` } });

  base.describe("a suite", () => {
    test("has a project", async ({ mockProject }) => {
      expect(mockProject.name).toMatch(/^a-suite-has-a-project-[0-9a-f]{12}$/);
      expect((await ask(mockProject)).status).toBe(200);
      expect(await mockProject.clock.now()).toBe("2026-01-01T00:00:00.000Z");
    });
  });

  test("another project", async ({ mockProject, mockServer }) => {
    expect(await mockProject.journal.count()).toBe(0);
    expect(await mockServer.ready()).toBe(true);
  });

  away("a scenario beside the test", async ({ mockProject }) => {
    expect((await ask(mockProject)).status).toBe(503);
  });

  inside("a scenario as an object", async ({ mockProject }) => {
    expect((await ask(mockProject)).status).toBe(503);
  });

  idle("rules that need not fire", async ({ mockProject }) => {
    expect(mockProject.loaded.length).toBe(1);
  });

  later("options", async ({ mockProject }) => {
    expect(await mockProject.clock.now()).toBe("2030-01-01T00:00:00.000Z");
    expect((await mockProject.change({})).one_time_code).toBe("123456");
  });

  test("the environment", async ({ mockEnv, mockProject }) => {
    expect(process.env.OPENFORT_SECRET_KEY).toBe(mockProject.secretKey);
    expect(mockEnv.OPENFORT_BASE_URL).toBe(mockProject.url);
  });

  test("the environment is as before", () => {
    expect(process.env.OPENFORT_SECRET_KEY).toBeUndefined();
  });
}
