import type { Clock } from "@product-search/core/ports/clock.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import { createSqlAccountStore } from "@product-search/stores/account-store/account-store.ts";
import { createSqlAuditLog } from "@product-search/stores/audit-log/audit-log.ts";
import { createSqlColumnMapStore } from "@product-search/stores/column-map-store/column-map-store.ts";
import type { Database } from "@product-search/stores/database/schema.ts";
import { createSqlFeedSchedule } from "@product-search/stores/feed-schedule/feed-schedule.ts";
import { createSqlIdempotencyStore } from "@product-search/stores/idempotency-store/idempotency-store.ts";
import { createSqlInsightStore } from "@product-search/stores/insight-store/insight-store.ts";
import { createSqlPeopleStore } from "@product-search/stores/people-store/people-store.ts";
import { createSqlRuleStore } from "@product-search/stores/rule-store/rule-store.ts";
import { createStoredSecret } from "@product-search/stores/secret-box/secret-keys.ts";
import { createSqlStoreCurrency } from "@product-search/stores/store-currency/store-currency.ts";
import { createSqlSynonymStore } from "@product-search/stores/synonym-store/synonym-store.ts";
import { createSqlUnitOfWork } from "@product-search/stores/unit-of-work/unit-of-work.ts";
import { createSqlUploadedImageStore } from "@product-search/stores/uploaded-image-store/uploaded-image-store.ts";
import { createSqlWebhookStore } from "@product-search/stores/webhook-store/webhook-store.ts";
import { createSqlWrittenProducts } from "@product-search/stores/written-products/written-products.ts";
import type { Kysely } from "kysely";
import type { Config } from "../../config.ts";
import type { Stores } from "./store-types.ts";

const dayMs = 24 * 3600 * 1000;

export interface SqlStoresSettings {
  db: Kysely<Database>;
  clock: Clock;
  secretBox: SecretBox;
  config: Config;
}

/** The stores whose queries work with both databases. */
export function composeSqlStores({
  db,
  clock,
  secretBox,
  config,
}: SqlStoresSettings): Pick<
  Stores,
  | "accountStore"
  | "idempotencyStore"
  | "unitOfWork"
  | "peopleStore"
  | "webhookStore"
  | "auditLog"
  | "feedSchedule"
  | "synonymStore"
  | "ruleStore"
  | "storeCurrency"
  | "uploadedImages"
  | "writtenProducts"
  | "insightStore"
  | "columnMaps"
> {
  return {
    accountStore: createSqlAccountStore({ db, clock }),
    idempotencyStore: createSqlIdempotencyStore({ db, clock, secretBox }),
    unitOfWork: createSqlUnitOfWork({
      db,
      bind: (transaction, actor) => ({
        accountStore: createSqlAccountStore({ db: transaction, clock }),
        peopleStore: createSqlPeopleStore({ db: transaction, clock }),
        webhookStore: createSqlWebhookStore({ db: transaction, clock, secretBox }),
        idempotencyStore: createSqlIdempotencyStore({ db: transaction, clock, secretBox }),
        synonymStore: createSqlSynonymStore({ db: transaction }),
        ruleStore: createSqlRuleStore({ db: transaction, clock }),
        audit: createSqlAuditLog({ db: transaction, clock }).writer(actor),
      }),
    }),
    peopleStore: createSqlPeopleStore({ db, clock }),
    webhookStore: createSqlWebhookStore({ db, clock, secretBox }),
    auditLog: createSqlAuditLog({ db, clock }),
    feedSchedule: createSqlFeedSchedule({ db, clock }),
    synonymStore: createSqlSynonymStore({ db }),
    ruleStore: createSqlRuleStore({ db, clock }),
    storeCurrency: createSqlStoreCurrency({ db }),
    writtenProducts: createSqlWrittenProducts({ db, clock }),
    insightStore: createSqlInsightStore({ db, clock }),
    columnMaps: createSqlColumnMapStore({ db }),
    uploadedImages: () =>
      createSqlUploadedImageStore({
        db,
        clock,
        slugKey: createStoredSecret(db, secretBox, "image slugs"),
        lifetimeMs: config.imageSlugDays * dayMs,
      }),
  };
}
