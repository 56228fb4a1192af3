import { createSqliteAccountStore } from "./adapters/account-store/sqlite.ts";
import { type OpenDatabase, openDatabase } from "./adapters/database/open.ts";
import { createSqliteIdempotencyStore } from "./adapters/idempotency-store/sqlite.ts";
import { createAesGcmSecretBox } from "./adapters/secret-box/aes-gcm.ts";
import type { Config } from "./config.ts";
import type { Ports } from "./handlers.ts";
import type { AccountStore } from "./ports/account-store.ts";
import { type Clock, systemClock } from "./ports/clock.ts";
import type { IdempotencyStore } from "./ports/idempotency-store.ts";
import type { SecretBox } from "./ports/secret-box.ts";

/** What every process and thread opens for itself: the store and what stands directly on it. */
export interface Stores {
  database: OpenDatabase;
  clock: Clock;
  secretBox: SecretBox;
  accountStore: AccountStore;
  idempotencyStore: IdempotencyStore;
  close(): Promise<void>;
}

export async function composeStores(config: Config, clock: Clock = systemClock): Promise<Stores> {
  const database = await openDatabase(config.dataDir);
  const { db } = database;
  const secretBox = createAesGcmSecretBox(config);
  return {
    database,
    clock,
    secretBox,
    accountStore: createSqliteAccountStore({ db, clock }),
    idempotencyStore: createSqliteIdempotencyStore({ db, clock, secretBox }),
    close: () => database.close(),
  };
}

/** What the handlers of an HTTP thread use. */
export function composePorts(_config: Config, stores: Stores): Ports {
  return { clock: stores.clock };
}
