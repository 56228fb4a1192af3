import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiError } from "@product-search/core/errors.ts";
import { respondOnce, type TransactAs } from "@product-search/http-rules/idempotency.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { composeSqliteStores, type SqliteStores } from "../../src/compose/stores/sqlite-stores.ts";
import { readConfig } from "../../src/config.ts";

let dataDir: string;
let stores: SqliteStores;
let accountId: string;
const clock = { nowMs: Date.UTC(2026, 10, 20), now: () => clock.nowMs };
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "answer-once-"));
  stores = await composeSqliteStores(readConfig({ DATA_DIR: dataDir }), clock);
  accountId = (await stores.accountStore.ensureAccount("own")).id;
});
afterEach(async () => {
  await stores.close();
  rmSync(dataDir, { recursive: true });
});

const actor = { kind: "command", user: "tester", host: "here" } as const;

/** Creates a webhook with this URL once `ready` has resolved. */
const create = (url: string, ready: Promise<void> = Promise.resolve()) => {
  const call = { accountId, operation: "createWebhook", key: "key", path: "/webhooks", body: null };
  return respondOnce(stores, call, 201, async (transactAs: TransactAs) => {
    await ready;
    const write = () => ({ accountId, url, type: "price.alert", key: "whsec_AAAA" }) as const;
    const webhook = await transactAs(
      actor,
      ({ webhookStore }) => webhookStore.create(write(), 100),
      (made) => ({ url: made?.url }),
    );
    return { url: webhook?.url };
  });
};
const urls = async () => (await stores.webhookStore.list()).map(({ url }) => url);

describe("a request that takes longer than its idempotency claim", () => {
  it("rolls back its work and returns the response of the attempt that took over", async () => {
    const gate = Promise.withResolvers<void>();
    const slow = create("https://slow.example/", gate.promise);
    clock.nowMs += 5001;
    await create("https://fast.example/");
    gate.resolve();
    expect(await slow).toBe('{"url":"https://fast.example/"}');
    expect(await urls()).toEqual(["https://fast.example/"]);
  });

  it("gets 409 with Retry-After while that attempt still runs", async () => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = create("https://slow.example/", first.promise);
    await expect(create("https://early.example/")).rejects.toMatchObject({
      code: "idempotency_in_flight",
      headers: { "retry-after": "5" },
    });
    clock.nowMs += 5001;
    const other = create("https://other.example/", second.promise);
    await stores.webhookStore.list();
    first.resolve();
    await expect(slow).rejects.toMatchObject({ code: "idempotency_in_flight" });
    second.resolve();
    expect(await other).toEqual({ url: "https://other.example/" });
    expect(await urls()).toEqual(["https://other.example/"]);
  });
});

describe("an operation", () => {
  const call = () => ({ accountId, operation: "op", key: "key", path: "/", body: null });

  it("that fails releases its key and stores nothing", async () => {
    const fail = respondOnce(stores, call(), 200, (transactAs) =>
      transactAs(
        actor,
        async ({ webhookStore }) => {
          const url = "https://undone.example/";
          await webhookStore.create({ accountId, url, type: "price.alert", key: "whsec_AAAA" }, 100);
          throw new ApiError("webhook_limit_reached", "full");
        },
        () => ({}),
      ),
    );
    await expect(fail).rejects.toMatchObject({ code: "webhook_limit_reached" });
    expect(await urls()).toEqual([]);
    const again = respondOnce(stores, call(), 200, (transactAs) =>
      transactAs(actor, async () => "done", String),
    );
    expect(await again).toBe("done");
  });

  it("must not respond without a commit, because its response could get lost", async () => {
    await expect(respondOnce(stores, call(), 200, async () => "done")).rejects.toThrow("did not commit");
  });
});
