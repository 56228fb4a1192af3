import { join } from "node:path";
import { createSqlAccountStore } from "../adapters/account-store/sql.ts";
import { createSqlAuditLog } from "../adapters/audit-log/sql.ts";
import { createSqliteCatalogStore } from "../adapters/catalog-store/sqlite.ts";
import { type OpenDatabase, openDatabase } from "../adapters/database/open.ts";
import { createOutbox } from "../adapters/database/outbox.ts";
import { createSqliteDeadLetters } from "../adapters/dead-letters/sqlite.ts";
import { createSqlIdempotencyStore } from "../adapters/idempotency-store/sql.ts";
import { createSampleImages } from "../adapters/local-images/sample.ts";
import { createAesGcmSecretBox } from "../adapters/secret-box/aes-gcm.ts";
import { createSqlUnitOfWork } from "../adapters/unit-of-work/sql.ts";
import { createSqlWebhookStore } from "../adapters/webhook-store/sql.ts";
import type { Config } from "../config.ts";
import type { AccountStore } from "../ports/account-store.ts";
import type { AuditLog } from "../ports/audit-log.ts";
import type { CatalogStore } from "../ports/catalog-store.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import type { DeadLetters } from "../ports/dead-letters.ts";
import type { IdempotencyStore } from "../ports/idempotency-store.ts";
import type { LocalImages } from "../ports/local-images.ts";
import type { SecretBox } from "../ports/secret-box.ts";
import type { UnitOfWork } from "../ports/unit-of-work.ts";
import type { WebhookStore } from "../ports/webhook-store.ts";

/** What every process and thread opens for itself: the store and what stands directly on it. */
export interface Stores {
  database: OpenDatabase;
  clock: Clock;
  secretBox: SecretBox;
  accountStore: AccountStore;
  idempotencyStore: IdempotencyStore;
  unitOfWork: UnitOfWork;
  catalogStore: CatalogStore;
  webhookStore: WebhookStore;
  deadLetters: DeadLetters;
  auditLog: Pick<AuditLog, "list">;
  localImages: LocalImages;
  close(): Promise<void>;
}

export async function composeStores(config: Config, clock: Clock = systemClock): Promise<Stores> {
  const database = await openDatabase(config.dataDir);
  const { db, connection } = database;
  const secretBox = createAesGcmSecretBox(config);
  return {
    database,
    clock,
    secretBox,
    accountStore: createSqlAccountStore({ db, clock }),
    idempotencyStore: createSqlIdempotencyStore({ db, clock, secretBox }),
    unitOfWork: createSqlUnitOfWork({
      db,
      bind: (transaction, actor) => ({
        accountStore: createSqlAccountStore({ db: transaction, clock }),
        webhookStore: createSqlWebhookStore({ db: transaction, clock, secretBox }),
        idempotencyStore: createSqlIdempotencyStore({ db: transaction, clock, secretBox }),
        audit: createSqlAuditLog({ db: transaction, clock }).writer(actor),
      }),
    }),
    catalogStore: createSqliteCatalogStore({ connection, clock, outbox: createOutbox(connection, config) }),
    webhookStore: createSqlWebhookStore({ db, clock, secretBox }),
    auditLog: createSqlAuditLog({ db, clock }),
    deadLetters: createSqliteDeadLetters({ connection, clock }),
    localImages: createSampleImages(join(config.dataDir, "images", "sample")),
    close: () => database.close(),
  };
}
