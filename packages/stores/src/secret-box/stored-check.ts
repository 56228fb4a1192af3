import { existsSync } from "node:fs";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import type { Kysely } from "kysely";
import type { Database } from "../database/schema.ts";
import { createAesGcmSecretBox, type SecretKeySettings, secretKeyFile } from "./secret-keys.ts";

export interface SecretKeyCheckSettings extends SecretKeySettings {
  db: Kysely<Database>;
  /** The origin of the key, for messages; by default the data folder. */
  storeName?: string;
}

const knownText = "product-search secret key";

/**
 * Refuses a key that differs from the one that encrypted the stored secrets. In a new database, stores its check
 * value.
 */
export async function assertSecretKey(settings: SecretKeyCheckSettings): Promise<void> {
  const { db } = settings;
  const secretBox = createAesGcmSecretBox(settings);
  const kept = await readCheck(db);
  if (kept !== undefined) {
    assertNotLost(settings);
    if (!canOpen(secretBox, kept)) throw wrongKey(settings);
    return;
  }
  await db
    .insertInto("secrets")
    .values({ name: "check", sealed: secretBox.seal(knownText) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  // Another process may have been faster with a different key.
  const stored = await readCheck(db);
  if (stored === undefined || !canOpen(secretBox, stored)) throw wrongKey(settings);
}

/** Accepts the current key. Returns the webhooks whose signing keys it cannot decrypt. */
export async function acceptSecretKey(settings: SecretKeyCheckSettings): Promise<string[]> {
  const { db } = settings;
  const secretBox = createAesGcmSecretBox(settings);
  const sealed = secretBox.seal(knownText);
  await db
    .insertInto("secrets")
    .values({ name: "check", sealed })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ sealed }))
    .execute();
  const others = await db.selectFrom("secrets").selectAll().where("name", "!=", "check").execute();
  // Without the former key they are lost: the next use makes new ones.
  for (const { name, sealed: lost } of others)
    if (!canOpen(secretBox, lost)) await db.deleteFrom("secrets").where("name", "=", name).execute();
  const webhooks = await db
    .selectFrom("webhooks")
    .select(["id", "key"])
    .where("deleted_at", "is", null)
    .orderBy("row_id")
    .execute();
  return webhooks.filter(({ key }) => !canOpen(secretBox, key)).map(({ id }) => id);
}

/** The present key as backups see it. */
export function storeKey(settings: SecretKeySettings): {
  file: string;
  isFromEnvironment: boolean;
  opens(sealed: Uint8Array): boolean;
} {
  return {
    file: secretKeyFile(settings),
    isFromEnvironment: settings.secretKey !== undefined,
    opens: (sealed) => canOpen(createAesGcmSecretBox(settings), sealed),
  };
}

async function readCheck(db: Kysely<Database>): Promise<Uint8Array | undefined> {
  return (await db.selectFrom("secrets").select("sealed").where("name", "=", "check").executeTakeFirst())
    ?.sealed;
}

function canOpen(secretBox: SecretBox, sealed: Uint8Array): boolean {
  try {
    secretBox.open(sealed);
    return true;
  } catch {
    return false;
  }
}

const whenLost =
  "If it is lost, run `pnpm api secret-key accept`: the service starts again, but cannot sign the deliveries of a webhook until that webhook's key is rotated.";

/** Checked before the key is read, because reading would create a new file. */
function assertNotLost(settings: SecretKeyCheckSettings): void {
  const path = secretKeyFile(settings);
  if (settings.secretKey !== undefined || existsSync(path)) return;
  throw new Error(
    `${path} is missing, and SECRET_KEY is not set, but the store has secrets that were encrypted with a key. ` +
      `Restore the file from a backup, or set SECRET_KEY to the former key. ${whenLost}`,
  );
}

function wrongKey(settings: SecretKeyCheckSettings): Error {
  const { storeName = `DATA_DIR "${settings.dataDir}"` } = settings;
  const what = settings.secretKey === undefined ? `The key in ${secretKeyFile(settings)}` : "SECRET_KEY";
  return new Error(
    `${what} is not the key that the secrets in ${storeName} were encrypted with. ` +
      `Use the former key: unset SECRET_KEY if it was not set before, else set it to its former value or restore the file from a backup. ${whenLost}`,
  );
}
