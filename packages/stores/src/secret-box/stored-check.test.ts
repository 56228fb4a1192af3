import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@product-search/core/ports/clock.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeOnEachEngine, type TestStore } from "../../testing/each-engine.ts";
import { createSqlAccountStore } from "../account-store/account-store.ts";
import { createSqlWebhookStore } from "../webhook-store/webhook-store.ts";
import { createAesGcmSecretBox } from "./secret-keys.ts";
import { acceptSecretKey, assertSecretKey } from "./stored-check.ts";

const newKey = () => randomBytes(32).toString("base64");

let dataDir: string;
let store: TestStore;
let db: TestStore["db"];

const settings = (secretKey: string | undefined) => ({ db, dataDir, secretKey });

async function addWebhook(secretKey: string | undefined): Promise<string> {
  const secretBox = createAesGcmSecretBox({ secretKey, dataDir });
  const { id: accountId } = await createSqlAccountStore({ db, clock: systemClock }).ensureAccount("own");
  const webhooks = createSqlWebhookStore({ db, clock: systemClock, secretBox });
  const url = "https://partner.example/";
  const webhook = await webhooks.create({ accountId, url, type: "price.alert", key: "whsec_AAAA" }, 100);
  return webhook?.id ?? "";
}

describeOnEachEngine("the check of the secret key", (open) => {
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "secret-check-"));
    store = await open();
    db = store.db;
  });
  afterEach(async () => {
    await store.close();
    await rm(dataDir, { recursive: true });
  });

  describe("a new store", () => {
    test("accepts any key, and from then on only that one", async () => {
      const key = newKey();
      await assertSecretKey(settings(key));
      await assertSecretKey(settings(key));
      await expect(assertSecretKey(settings(newKey()))).rejects.toThrow(
        /SECRET_KEY is not the key that .* were encrypted with.*former.*secret-key accept/,
      );
    });

    test("names the key file if it has a different key", async () => {
      await assertSecretKey(settings(newKey()));
      createAesGcmSecretBox({ secretKey: undefined, dataDir }).seal("makes the file");
      await expect(assertSecretKey(settings(undefined))).rejects.toThrow(join(dataDir, "secret.key"));
    });

    test("does not create a new key file if the old one is lost", async () => {
      await assertSecretKey(settings(undefined));
      rmSync(join(dataDir, "secret.key"));
      await expect(assertSecretKey(settings(undefined))).rejects.toThrow(/secret\.key is missing.*backup/);
      expect(existsSync(join(dataDir, "secret.key"))).toBe(false);
    });
  });

  test("another key can be accepted, which lists the webhooks that it cannot sign for", async () => {
    const [former, present] = [newKey(), newKey()];
    await assertSecretKey(settings(former));
    const unreadable = await addWebhook(former);
    await addWebhook(present);
    expect(await acceptSecretKey(settings(present))).toEqual([unreadable]);
    await assertSecretKey(settings(present));
    await expect(assertSecretKey(settings(former))).rejects.toThrow("SECRET_KEY is not the key");
  });
});
