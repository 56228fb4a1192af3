import { existsSync } from "node:fs";
import type Sqlite from "better-sqlite3";
import type { SecretBox } from "../../ports/secret-box.ts";
import { createAesGcmSecretBox, type SecretKeySettings, secretKeyFile } from "./aes-gcm.ts";

export interface SecretKeyCheckSettings extends SecretKeySettings {
  connection: Sqlite.Database;
}

const knownText = "product-search secret key";
/** Of a store from before the check value was kept, one readable key among so many tells that the key is right. */
const keysTried = 100;

/** Refuses a key that is not the one that the store's secrets were encrypted with; of a new store, notes which it is. */
export function assertSecretKey(settings: SecretKeyCheckSettings): void {
  const { connection } = settings;
  const secretBox = createAesGcmSecretBox(settings);
  const readCheck = connection.prepare<[], { sealed: Uint8Array }>("select sealed from secret_checks");
  const kept = readCheck.get();
  const sealed = kept ? [kept.sealed] : newestKeys(connection);
  if (sealed.length > 0) {
    assertNotLost(settings);
    if (!sealed.some((bytes) => canOpen(secretBox, bytes))) throw wrongKey(settings);
  }
  if (kept !== undefined) return;
  connection
    .prepare("insert into secret_checks (slot, sealed) values (1, ?) on conflict do nothing")
    .run(secretBox.seal(knownText));
  // Another process may have been faster, with another key.
  const stored = readCheck.get();
  if (stored === undefined || !canOpen(secretBox, stored.sealed)) throw wrongKey(settings);
}

/** Takes the present key for the right one. Gives the webhooks whose signing keys it cannot read. */
export function acceptSecretKey(settings: SecretKeyCheckSettings): string[] {
  const { connection } = settings;
  const secretBox = createAesGcmSecretBox(settings);
  connection
    .prepare(
      "insert into secret_checks (slot, sealed) values (1, ?) on conflict (slot) do update set sealed = excluded.sealed",
    )
    .run(secretBox.seal(knownText));
  const webhooks = connection
    .prepare<[], { id: string; key: Uint8Array }>(
      "select id, key from webhooks where deleted_at is null order by row_id",
    )
    .all();
  return webhooks.filter(({ key }) => !canOpen(secretBox, key)).map(({ id }) => id);
}

function newestKeys(connection: Sqlite.Database): Uint8Array[] {
  return connection
    .prepare<[number], { key: Uint8Array }>(
      "select key from webhooks where deleted_at is null order by row_id desc limit ?",
    )
    .all(keysTried)
    .map(({ key }) => key);
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

/** Read before the key is: reading would make a new file. */
function assertNotLost(settings: SecretKeyCheckSettings): void {
  const path = secretKeyFile(settings);
  if (settings.secretKey !== undefined || existsSync(path)) return;
  throw new Error(
    `${path} is missing, and SECRET_KEY is not set, but the store has secrets that were encrypted with a key. ` +
      `Restore the file from a backup, or set SECRET_KEY to the former key. ${whenLost}`,
  );
}

function wrongKey(settings: SecretKeyCheckSettings): Error {
  const what = settings.secretKey === undefined ? `The key in ${secretKeyFile(settings)}` : "SECRET_KEY";
  return new Error(
    `${what} is not the key that the secrets in DATA_DIR "${settings.dataDir}" were encrypted with. ` +
      `Use the former key: unset SECRET_KEY if it was not set before, else set it to its former value or restore the file from a backup. ${whenLost}`,
  );
}
