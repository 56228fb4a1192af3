import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../ports/clock.ts";
import { createSqlAccountStore } from "../account-store/sql.ts";
import { type OpenDatabase, openDatabase } from "../database/open.ts";
import { createSqlWebhookStore } from "../webhook-store/sql.ts";
import { createAesGcmSecretBox } from "./aes-gcm.ts";
import { acceptSecretKey, assertSecretKey } from "./stored-check.ts";

const newKey = () => randomBytes(32).toString("base64");

let dataDir: string;
let database: OpenDatabase;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "secret-check-"));
  database = await openDatabase(dataDir);
});
afterEach(async () => {
  await database.close();
  await rm(dataDir, { recursive: true });
});

const settings = (secretKey: string | undefined) => ({ connection: database.connection, dataDir, secretKey });

async function addWebhook(secretKey: string | undefined): Promise<string> {
  const { db } = database;
  const secretBox = createAesGcmSecretBox({ secretKey, dataDir });
  const { id: accountId } = await createSqlAccountStore({ db, clock: systemClock }).ensureAccount("own");
  const store = createSqlWebhookStore({ db, clock: systemClock, secretBox });
  const url = "https://partner.example/";
  const webhook = await store.create({ accountId, url, type: "price.alert", key: "whsec_AAAA" }, 100);
  return webhook?.id ?? "";
}

describe("a new store", () => {
  test("takes any key, and from then on only that one", () => {
    const key = newKey();
    assertSecretKey(settings(key));
    assertSecretKey(settings(key));
    expect(() => assertSecretKey(settings(newKey()))).toThrow(
      /SECRET_KEY is not the key that .* were encrypted with.*former.*secret-key accept/,
    );
  });

  test("names the key file when that is what holds another key", () => {
    assertSecretKey(settings(newKey()));
    createAesGcmSecretBox({ secretKey: undefined, dataDir }).seal("makes the file");
    expect(() => assertSecretKey(settings(undefined))).toThrow(join(dataDir, "secret.key"));
  });

  test("does not make a new key file in place of a lost one", () => {
    assertSecretKey(settings(undefined));
    rmSync(join(dataDir, "secret.key"));
    expect(() => assertSecretKey(settings(undefined))).toThrow(/secret\.key is missing.*backup/);
    expect(existsSync(join(dataDir, "secret.key"))).toBe(false);
  });
});

describe("a store from before the check value was kept", () => {
  test("is judged by the webhooks' keys", async () => {
    const key = newKey();
    await addWebhook(key);
    expect(() => assertSecretKey(settings(newKey()))).toThrow("SECRET_KEY is not the key");
    assertSecretKey(settings(key));
  });

  test("may have some that are damaged", async () => {
    const key = newKey();
    await addWebhook(key);
    const damaged = await addWebhook(key);
    database.connection.prepare("update webhooks set key = x'00' where id = ?").run(damaged);
    assertSecretKey(settings(key));
  });
});

test("another key can be accepted, and the webhooks that it cannot sign for are named", async () => {
  const [former, present] = [newKey(), newKey()];
  assertSecretKey(settings(former));
  const unreadable = await addWebhook(former);
  await addWebhook(present);
  expect(acceptSecretKey(settings(present))).toEqual([unreadable]);
  assertSecretKey(settings(present));
  expect(() => assertSecretKey(settings(former))).toThrow("SECRET_KEY is not the key");
});
