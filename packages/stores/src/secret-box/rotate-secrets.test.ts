import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@product-search/core/ports/clock.ts";
import { expect, onTestFinished, test } from "vitest";
import { describeOnEachEngine } from "../../testing/each-engine.ts";
import { createSqlAccountStore } from "../account-store/account-store.ts";
import { createSqlWebhookStore } from "../webhook-store/webhook-store.ts";
import { createQueryIds } from "./query-ids.ts";
import { rotateSecrets } from "./rotate-secrets.ts";
import {
  createAesGcmSecretBox,
  createDerivedKeys,
  createSecretKeys,
  createStoredSecret,
  replaceKeyFile,
  secretBoxWith,
  secretKeyFile,
} from "./secret-keys.ts";

const [former, present] = [randomBytes(32), randomBytes(32)];
const dataDir = "/nowhere";
const settingsOf = (...keys: Buffer[]) => ({
  dataDir,
  secretKey: keys.map((key) => key.toString("base64")).join(","),
});
const pause = async () => {};

describeOnEachEngine("replacing the secret key", (open) => {
  test("keeps signing keys, stored responses and slugs, also after an interruption", async () => {
    const { db, close } = await open();
    onTestFinished(close);
    const formerBox = createAesGcmSecretBox(settingsOf(former));
    const { id: accountId } = await createSqlAccountStore({ db, clock: systemClock }).ensureAccount("own");
    const webhooks = createSqlWebhookStore({ db, clock: systemClock, secretBox: formerBox });
    const slugKey = await createStoredSecret(db, formerBox, "image slugs")();
    for (let number = 0; number < 250; number++) {
      const url = "https://partner.example/";
      const webhook = { accountId, url, type: "price.alert", key: `whsec_${number}` } as const;
      await webhooks.create(webhook, 1000);
    }
    const [first] = await webhooks.list(accountId);
    const reference = { accountId, webhookId: first?.id ?? "" };
    const rotation = { formerUntilMs: systemClock.now() + 60_000, maxKeys: 3 };
    await webhooks.replaceKey(reference, "whsec_new", rotation);
    for (let number = 0; number < 120; number++) {
      const body = formerBox.seal(`body ${number}`);
      await db
        .insertInto("idempotency")
        .values({
          account_id: accountId,
          operation: "createWebhook",
          key: `key ${number % 60} ${number}`,
          request_hash: new Uint8Array(1),
          status: 201,
          body,
          created_at: 0,
          lease_until: 0,
          claim: null,
        })
        .execute();
    }

    const keys = createSecretKeys(settingsOf(present, former));
    let pauses = 0;
    const interrupted = rotateSecrets({
      db,
      keys,
      pause: async () => {
        if (++pauses === 3) throw new Error("interrupted");
      },
    });
    await expect(interrupted).rejects.toThrow("interrupted");
    const { rewritten, unreadable } = await rotateSecrets({ db, keys, pause });
    expect(rewritten).toBeGreaterThan(100);
    expect(unreadable).toBe(0);
    expect(await rotateSecrets({ db, keys, pause })).toEqual({ rewritten: 0, unreadable: 0 });

    const box = secretBoxWith(() => [present]);
    const stored = [
      ...(await db.selectFrom("webhooks").select("key").execute()).map(({ key }) => key),
      ...(await db.selectFrom("webhook_former_keys").select("key").execute()).map(({ key }) => key),
    ].map((sealed) => box.open(sealed));
    expect(new Set(stored)).toEqual(
      new Set([...Array.from({ length: 250 }, (_, number) => `whsec_${number}`), "whsec_new"]),
    );
    const bodies = await db.selectFrom("idempotency").select(["key", "body"]).execute();
    for (const { key, body } of bodies) expect(body && box.open(body)).toBe(`body ${key.split(" ").at(-1)}`);
    expect(await createStoredSecret(db, box, "image slugs")()).toEqual(slugKey);
  });

  test("leaves a value alone that changes meanwhile, and one that no key can decrypt", async () => {
    const { db, close } = await open();
    onTestFinished(close);
    const formerBox = createAesGcmSecretBox(settingsOf(former));
    const { id: accountId } = await createSqlAccountStore({ db, clock: systemClock }).ensureAccount("own");
    const webhooks = createSqlWebhookStore({ db, clock: systemClock, secretBox: formerBox });
    const add = () =>
      webhooks.create({ accountId, url: "https://a.example/", type: "price.alert", key: "whsec_a" }, 10);
    const [damaged, changed] = [await add(), await add()];
    const set = (id: string | undefined, key: Uint8Array) =>
      db
        .updateTable("webhooks")
        .set({ key })
        .where("id", "=", id ?? "")
        .execute();
    await set(damaged?.id, new Uint8Array(40));
    let isChanged = false;
    const result = await rotateSecrets({
      db,
      keys: createSecretKeys(settingsOf(present, former)),
      pause: async () => {
        // By a service that has not seen the new key yet.
        if (!isChanged) await set(changed?.id, formerBox.seal("whsec_b"));
        isChanged = true;
      },
    });
    expect(result.unreadable).toBe(1);
    const rows = await db
      .selectFrom("webhooks")
      .select("key")
      .where("id", "=", changed?.id ?? "")
      .execute();
    expect(rows.map(({ key }) => secretBoxWith(() => [present]).open(key))).toEqual(["whsec_b"]);
  });
});

test("a running service sees another key file within two seconds, and reads what either key has encrypted", async () => {
  const folder = mkdtempSync(join(tmpdir(), "secret-keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const settings = { secretKey: undefined, dataDir: folder };
  const box = createAesGcmSecretBox(settings);
  const sealed = box.seal("text");
  const path = secretKeyFile(settings);
  const [first] = createSecretKeys(settings)();
  replaceKeyFile(path, [present, first]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await expect
    .poll(() => secretBoxWith(() => [present]).open(box.seal("later")), { timeout: 60_000 })
    .toBe("later");
  expect(box.open(sealed)).toBe("text");
  expect(readFileSync(path, "utf8").trim().split("\n")).toHaveLength(2);
});

test("identifiers of searches are accepted under both keys", () => {
  const clock = systemClock;
  const queryId = createQueryIds({ ...settingsOf(former), clock }).make({
    atMs: clock.now(),
    text: { kind: "none" },
  });
  expect(createQueryIds({ ...settingsOf(present, former), clock }).read(queryId)).toBeDefined();
  expect(createQueryIds({ ...settingsOf(present), clock }).read(queryId)).toBeUndefined();
  expect(createDerivedKeys(settingsOf(present, former), "a")()).toHaveLength(2);
});
