import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { hashAccessToken } from "@product-search/core/domain/access-token.ts";
import type { TokenRecord } from "@product-search/core/ports/accounts.ts";
import { systemClock } from "@product-search/core/ports/clock.ts";
import type { DiskSpace } from "@product-search/core/ports/imports.ts";
import {
  assertStoreCurrency,
  recordStoreCurrency,
} from "@product-search/features/catalog-write/store-currency.ts";
import { createSqlAccountStore } from "@product-search/stores/account-store/account-store.ts";
import { assertUndamaged } from "@product-search/stores/database/damage.ts";
import { createReadDiskSpace } from "@product-search/stores/database/disk-space.ts";
import { openDatabase, storeFile } from "@product-search/stores/database/open.ts";
import { type RotatedSecrets, rotateSecrets } from "@product-search/stores/secret-box/rotate-secrets.ts";
import {
  createSecretKeys,
  keyFileDelayMs,
  replaceKeyFile,
  secretKeyFile,
} from "@product-search/stores/secret-box/secret-keys.ts";
import type { SecretKeyCheckSettings } from "@product-search/stores/secret-box/stored-check.ts";
import { acceptSecretKey, assertSecretKey } from "@product-search/stores/secret-box/stored-check.ts";
import { createSqlStoreCurrency } from "@product-search/stores/store-currency/store-currency.ts";
import { sql } from "kysely";
import { type Config, ConfigError } from "../config.ts";
import { removeDamagedCopy } from "./stores/node-copy.ts";

/**
 * Checks the database before anything is served, so that problems do not show up later. With `isThorough`, all of a
 * large SQLite database is read. PostgreSQL gets its tables here; the server checks its data itself.
 */
export function checkStore(config: Config, isThorough = false): Promise<void> {
  return withStore(config, isThorough, async (settings) => {
    await assertSecretKey(settings);
    const storeCurrency = createSqlStoreCurrency(settings);
    // A store from before currencies were recorded has prices and no record.
    if (await hasProducts(settings.db)) await recordStoreCurrency(storeCurrency, config.currency);
    else await assertStoreCurrency(storeCurrency, config.currency);
    if (config.shopToken !== undefined) await assertShopToken(settings, config, config.shopToken);
  });
}

/** Everybody who opens the shop page can copy its token. */
async function assertShopToken(
  { db }: Pick<SecretKeyCheckSettings, "db">,
  { publicUrl }: Config,
  token: string,
): Promise<void> {
  const record = await createSqlAccountStore({ db, clock: systemClock }).findTokenByHash(
    hashAccessToken(token),
  );
  const fault = shopTokenFault(record, new URL(publicUrl).origin);
  if (fault === undefined) return;
  throw new ConfigError(
    `SHOP_TOKEN: the token ${fault}. \`token create --account shop --public\` makes one for the shop page.`,
  );
}

function shopTokenFault(record: TokenRecord | undefined, origin: string): string | undefined {
  if (record === undefined) return "is not in this database";
  const { publicOrigins, revokedAtMs, expiresAtMs } = record;
  if (publicOrigins === undefined) return "is not public, and whoever opens the page could use it";
  if (revokedAtMs !== undefined) return "was revoked";
  if (expiresAtMs !== undefined && expiresAtMs <= systemClock.now()) return "has expired";
  const isForPage = publicOrigins.some((one) => one === "*" || one === origin);
  return isForPage ? undefined : `may not be used from pages of ${origin}, which is that of PUBLIC_URL`;
}

/** Whether a service or a command has created one. */
export function hasStore({ dataDir, databaseUrl }: Config): boolean {
  return databaseUrl !== undefined || existsSync(storeFile(dataDir));
}

export function diskSpaceOf({ dataDir }: Config): Promise<DiskSpace> {
  return createReadDiskSpace(dataDir)();
}

async function hasProducts(db: SecretKeyCheckSettings["db"]): Promise<boolean> {
  return (await db.selectFrom("products").select("row_id").limit(1).executeTakeFirst()) !== undefined;
}

/**
 * For an operator who has lost the former key: the current key is used from now on. Returns the webhooks that it
 * cannot sign for.
 */
export function acceptPresentSecretKey(config: Config): Promise<string[]> {
  return withStore(config, undefined, acceptSecretKey);
}

/** Other writers have their turn between two small transactions. */
const rotationPauseMs = 5;

/**
 * Encrypts all secrets with the new key, while services run. With SECRET_KEY, that is the first of its two keys; a key file gets a
 * new key, and has both until all is encrypted anew, so that the command can be repeated after an interruption.
 */
export function rotateSecretKey(config: Config): Promise<RotatedSecrets> {
  const file = config.secretKey === undefined ? secretKeyFile(config) : undefined;
  const keys = createSecretKeys(config);
  if (file === undefined && keys().length < 2) {
    throw new ConfigError(
      "SECRET_KEY: has one key. Set it to the new key, a comma and the present key on every node, restart them, and run the command with the same value.",
    );
  }
  return withStore(config, undefined, async ({ db, ...settings }) => {
    await assertSecretKey({ db, ...settings });
    if (file !== undefined) {
      if (keys().length < 2) replaceKeyFile(file, [randomBytes(32), ...keys()]);
      // From then on, no service encrypts with the former key.
      await wait(keyFileDelayMs);
    }
    const rotated = await rotateSecrets({ db, keys, pause: () => wait(rotationPauseMs) });
    if (file !== undefined) replaceKeyFile(file, [keys()[0]]);
    return rotated;
  });
}

/**
 * From now on nodes use the database: no migration may overwrite it. The table stays, because the role of a node need
 * not be its owner.
 */
async function endMigration(db: SecretKeyCheckSettings["db"]): Promise<void> {
  const found = await sql<{ exists: boolean }>`
    select to_regclass('store_migration') is not null as exists`.execute(db);
  if (found.rows[0]?.exists) await sql`delete from store_migration`.execute(db);
}

/** Creating an index on a large table takes minutes. */
const migrationTimeoutMs = 4 * 3600 * 1000;

/**
 * Checks a SQLite database for damage first, unless `isThorough` is undefined. Only the service, which passes false, creates a
 * database; a command checks the one that is there.
 */
async function withStore<Result>(
  config: Config,
  isThorough: boolean | undefined,
  use: (settings: SecretKeyCheckSettings) => Promise<Result>,
): Promise<Result> {
  const { dataDir, databaseUrl } = config;
  if (databaseUrl !== undefined) {
    const { nameOf, openPostgres } = await import("@product-search/stores/database/postgres/open.ts");
    const { db, close } = await openPostgres({ url: databaseUrl, statementTimeoutMs: migrationTimeoutMs });
    try {
      if (isThorough === false) {
        await removeDamagedCopy(config);
        await endMigration(db);
      }
      return await use({ db, ...config, storeName: `the database ${nameOf(databaseUrl)}` });
    } finally {
      await close();
    }
  }
  const { db, connection, close } = await openDatabase(dataDir, { mustExist: isThorough !== false });
  try {
    if (isThorough !== undefined) await assertUndamaged(connection, storeFile(dataDir), isThorough);
    return await use({ db, ...config });
  } finally {
    await close();
  }
}
