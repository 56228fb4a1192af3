import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { drawing } from "@product-search/testing/images/images.ts";
import { testSeed } from "@product-search/testing/seed.ts";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { runKilledHistories } from "../../testing/crash-histories/run-killed.ts";
import { createSteps } from "../../testing/crash-histories/steps.ts";
import { checkStoreStates } from "../../testing/crash-histories/store-states.ts";
import { makeDataDir, removeDataDir, run, serveReady } from "../../testing/running-service.ts";

describe("crash histories", () => {
  const firstSeed = testSeed("the histories with crashes", 1);
  const seeds = (count: number) => Array.from({ length: count }, (_, number) => firstSeed + number);

  it("creates the same steps of every kind from the same seed", () => {
    expect(createSteps(7)).toEqual(createSteps(7));
    expect(createSteps(7)).not.toEqual(createSteps(8));
    const kinds = Array.from({ length: 20 }, (_, seed) => createSteps(seed)).flat();
    expect(new Set(kinds.map(({ kind }) => kind))).toEqual(
      new Set(["create", "rotate", "test", "delete", "feed", "write", "remove"]),
    );
  });

  it("webhooks, imports, writes over HTTP, idempotent creations and rotations survive kills at any write, once each", {
    timeout: 180_000,
  }, async () => {
    const { kills, deliveries, faults } = await runKilledHistories(seeds(6), 5);
    expect(faults).toEqual([]);
    expect(kills).toBeGreaterThan(2);
    expect(deliveries).toBeGreaterThan(20);
  });

  it.each(seeds(3))(
    "every prefix of the writes of history %i is a store to go on with",
    {
      timeout: 60_000,
    },
    async (seed) => {
      const { states, faults } = await checkStoreStates(seed);
      expect(faults).toEqual([]);
      expect(states).toBeGreaterThan(50);
    },
  );
});

describe("crash loops", () => {
  /** Threads of these roles end again and again, while the file is there: by an error, or without one. */
  const crashing = `
  import { existsSync } from "node:fs";
  import { workerData } from "node:worker_threads";
  const crash = () => {
    if (!existsSync(process.env.CRASH_FILE)) return;
    if (Date.now() % 2 === 0) process.exit(3);
    throw new Error("crash on purpose");
  };
  if (["shop-page", "vision", "waiting"].includes(workerData?.role)) setInterval(crash, 50).unref();`;

  test("threads that crash again and again lose nothing, hold up nobody else, and work when they crash no more", async () => {
    const dataDir = makeDataDir();
    onTestFinished(() => removeDataDir(dataDir));
    const environment = {
      DATA_DIR: dataDir,
      THREADS: "1",
      TRIAL_RATE_LIMIT: "0",
      LOG_LEVEL: "error",
    };
    const created = async (...options: string[]) => {
      const command = run(["token", "create", "--account", "a", ...options], environment);
      await command.exit;
      return /pss_\w+/.exec(command.output())?.[0] ?? "";
    };
    const token = await created("--scopes", "search,catalog");
    const crashFile = join(dataDir, "crash");
    const service = await serveReady({
      ...environment,
      SHOP_TOKEN: await created("--public"),
      CRASH_FILE: crashFile,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(crashing)}`,
    });
    const send = async (path: string, body?: object) => {
      const response = await fetch(service.url + path, {
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    };
    const image = (await drawing("disc", "#c02020").png().toBuffer()).toString("base64");
    const vectorize = () => send("/api/v1/vectorize-image", { base64String: image });
    writeFileSync(crashFile, "");
    const written: string[] = [];
    const statuses = new Map<string, Set<number>>();
    const note = (name: string, status: number) =>
      statuses.set(name, (statuses.get(name) ?? new Set()).add(status));
    for (let round = 0; round < 6; round++) {
      const key = `lamp-${round}`;
      const products = [{ key, name: "Lamp", price: 1, url: "https://a.test/" }];
      await Promise.all([
        vectorize().then(({ status }) => note("image", status)),
        send(`/shop?q=lamp${round}`).then(({ status }) => note("page", status)),
        send("/api/v1/products", { products }).then(({ status }) => {
          note("write", status);
          if (status === 200) written.push(key);
        }),
      ]);
    }
    expect(statuses.get("image")).toEqual(new Set([503]));
    expect(statuses.get("page")).toEqual(new Set([200]));
    expect(statuses.get("write")).toEqual(new Set([200]));
    rmSync(crashFile);
    // At most as long as the longest pause.
    while ((await vectorize()).status !== 200) await setTimeout(200);
    for (const key of written) expect((await send(`/api/v1/products/${key}`)).status).toBe(200);
    service.child.kill();
    expect(await service.exit).toBe(0);
  });
});
