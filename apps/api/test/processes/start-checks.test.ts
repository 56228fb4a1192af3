import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeDataDir, removeDataDir, run, serve } from "../../testing/running-service.ts";

const newKey = () => randomBytes(32).toString("base64");

let dataDir: string;
beforeEach(() => {
  dataDir = makeDataDir();
});
afterEach(() => removeDataDir(dataDir));

async function commandOutput(args: readonly string[], environment: Record<string, string> = {}) {
  const { exit, output } = run(args, { DATA_DIR: dataDir, ...environment });
  return { code: await exit, output: output() };
}

describe("another SECRET_KEY", () => {
  it("is refused before anything is served, until it is accepted", async () => {
    const [former, present] = [newKey(), newKey()];
    const environment = { DATA_DIR: dataDir, THREADS: "1", PORT: "0" };
    const first = await serve({ ...environment, SECRET_KEY: former });
    first.child.kill("SIGTERM");
    await first.exit;

    const refused = await commandOutput(["serve"], { ...environment, SECRET_KEY: present });
    expect(refused.code).toBe(1);
    expect(refused.output).toMatch(/^SECRET_KEY is not the key .*\n$/);

    const accepted = await commandOutput(["secret-key", "accept", "--json"], { SECRET_KEY: present });
    expect(JSON.parse(accepted.output)).toEqual({ unreadableWebhooks: [] });
    const second = await serve({ ...environment, SECRET_KEY: present });
    second.child.kill("SIGTERM");
    await second.exit;
  });

  it("is no concern of a command that needs none, which makes no key file either", async () => {
    const { code } = await commandOutput(["token", "list"]);
    expect(code).toBe(0);
    const first = await serve({ DATA_DIR: dataDir, THREADS: "1", SECRET_KEY: newKey() });
    first.child.kill("SIGKILL");
    await first.exit;
    const { output } = await commandOutput(["dead-letters", "list", "--json"]);
    expect(JSON.parse(output)).toEqual([]);
    expect((await commandOutput(["serve"], { PORT: "0" })).output).toMatch(/secret\.key is missing/);
  });
});

describe("dead-letters retry", () => {
  it("wants identifiers or --all, and says what is wrong with an identifier", async () => {
    expect(await commandOutput(["dead-letters", "retry"])).toMatchObject({
      code: 1,
      output: expect.stringMatching(/or pass --all/),
    });
    expect(await commandOutput(["dead-letters", "retry", "dead_1", "--json"])).toEqual({
      code: 1,
      output: '[{"id":"dead_1","outcome":"absent"}]\n',
    });
    expect(await commandOutput(["dead-letters", "retry", "--all"])).toEqual({
      code: 0,
      output: "No dead letters.\n",
    });
  });
});
