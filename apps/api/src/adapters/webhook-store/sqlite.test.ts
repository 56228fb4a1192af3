import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Clock } from "../../ports/clock.ts";
import { systemClock } from "../../ports/clock.ts";
import { createSqliteAccountStore } from "../account-store/sqlite.ts";
import { openDatabase } from "../database/open.ts";
import { createAesGcmSecretBox } from "../secret-box/aes-gcm.ts";
import { describeWebhookStore } from "./contract.ts";
import { createSqliteWebhookStore } from "./sqlite.ts";

async function open(clock: Clock) {
  const dataDir = await mkdtemp(join(tmpdir(), "webhook-store-"));
  const database = await openDatabase(dataDir);
  const accounts = createSqliteAccountStore({ db: database.db, clock });
  const secretBox = createAesGcmSecretBox({ secretKey: undefined, dataDir });
  const accountIds = [
    (await accounts.ensureAccount("own")).id,
    (await accounts.ensureAccount("other")).id,
  ] as const;
  return {
    database,
    store: createSqliteWebhookStore({ db: database.db, clock, secretBox }),
    accountIds,
    async close() {
      await database.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

describe("the SQLite webhook store", () => {
  describeWebhookStore(open);

  test("keeps keys sealed", async () => {
    const { store, database, accountIds, close } = await open(systemClock);
    const key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const [accountId] = accountIds;
    const webhook = await store.create({ accountId, url: "https://a.example/", type: "price.alert", key }, 1);
    await store.replaceKey({ accountId, webhookId: webhook?.id ?? "" }, `${key}2`, {
      formerUntilMs: 0,
      maxKeys: 3,
    });
    const bytes = database.connection.serialize();
    expect(bytes.includes("https://a.example/")).toBe(true);
    expect(bytes.includes(key)).toBe(false);
    expect(bytes.includes(key.slice(6))).toBe(false);
    await close();
  });
});
