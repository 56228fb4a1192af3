import { join } from "node:path";
import { createSqliteAccountStore } from "../adapters/account-store/sqlite.ts";
import { createSqliteAuditLog } from "../adapters/audit-log/sqlite.ts";
import { createSqliteCatalogStore } from "../adapters/catalog-store/sqlite.ts";
import { type OpenDatabase, openDatabase } from "../adapters/database/open.ts";
import { createOutbox } from "../adapters/database/outbox.ts";
import { createSqliteDeadLetters } from "../adapters/dead-letters/sqlite.ts";
import { createSqliteIdempotencyStore } from "../adapters/idempotency-store/sqlite.ts";
import { createSamplePictures } from "../adapters/local-pictures/sample.ts";
import { createAesGcmSecretBox } from "../adapters/secret-box/aes-gcm.ts";
import { createSqliteSynonymStore } from "../adapters/synonym-store/sqlite.ts";
import { createSqliteUnitOfWork } from "../adapters/unit-of-work/sqlite.ts";
import { createSqliteWebhookStore } from "../adapters/webhook-store/sqlite.ts";
import type { Config } from "../config.ts";
import type { AccountStore } from "../ports/account-store.ts";
import type { AuditLog } from "../ports/audit-log.ts";
import type { CatalogStore } from "../ports/catalog-store.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import type { DeadLetters } from "../ports/dead-letters.ts";
import type { IdempotencyStore } from "../ports/idempotency-store.ts";
import type { LocalPictures } from "../ports/local-pictures.ts";
import type { SecretBox } from "../ports/secret-box.ts";
import type { SynonymStore } from "../ports/synonym-store.ts";
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
  localPictures: LocalPictures;
  synonymStore: SynonymStore;
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
    accountStore: createSqliteAccountStore({ db, clock }),
    idempotencyStore: createSqliteIdempotencyStore({ db, clock, secretBox }),
    unitOfWork: createSqliteUnitOfWork({
      db,
      bind: (transaction, actor) => ({
        accountStore: createSqliteAccountStore({ db: transaction, clock }),
        webhookStore: createSqliteWebhookStore({ db: transaction, clock, secretBox }),
        idempotencyStore: createSqliteIdempotencyStore({ db: transaction, clock, secretBox }),
        audit: createSqliteAuditLog({ db: transaction, clock }).writer(actor),
      }),
    }),
    catalogStore: createSqliteCatalogStore({ connection, clock, outbox: createOutbox(connection, config) }),
    webhookStore: createSqliteWebhookStore({ db, clock, secretBox }),
    auditLog: createSqliteAuditLog({ db, clock }),
    deadLetters: createSqliteDeadLetters({ connection, clock }),
    synonymStore: createSqliteSynonymStore({ db }),
    localPictures: createSamplePictures(join(config.dataDir, "images", "sample")),
    close: () => database.close(),
  };
}
