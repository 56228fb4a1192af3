import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { createMemoryAccountStore } from "@product-search/stores/account-store/memory.ts";
import { createMemoryAuditLog } from "@product-search/stores/audit-log/memory.ts";
import { createMemoryCatalogStore } from "@product-search/stores/catalog-store/memory.ts";
import type { MemoryDatabase } from "@product-search/stores/database/memory/memory.ts";
import { createMemoryOutbox } from "@product-search/stores/database/memory/memory-outbox.ts";
import { createMemoryIdempotencyStore } from "@product-search/stores/idempotency-store/memory.ts";
import { createMemoryUnitOfWork } from "@product-search/stores/unit-of-work/memory.ts";
import { createMemoryUploadedImageStore } from "@product-search/stores/uploaded-image-store/memory.ts";
import { createMemoryWebhookStore } from "@product-search/stores/webhook-store/memory.ts";
import type { Identifiers } from "./identifiers.ts";

export interface StoreSettings {
  database: MemoryDatabase;
  clock: Clock;
  identifiers: Identifiers;
  presentation: Presentation;
}

const imageLifetimeMs = 30 * 24 * 3600 * 1000;
/** Not secret: the same image has the same slug in every mock. */
const slugKey = new TextEncoder().encode("mock");

/** The stores of the service over one database in memory. */
export function composeStores({ database, clock, identifiers, presentation }: StoreSettings) {
  const { newId } = identifiers;
  const outbox = createMemoryOutbox({ database, presentation, newId });
  return {
    catalogStore: createMemoryCatalogStore({ database, clock, outbox }),
    webhookStore: createMemoryWebhookStore({ database, clock, newId }),
    idempotencyStore: createMemoryIdempotencyStore({ database, clock }),
    uploadedImageStore: createMemoryUploadedImageStore({
      database,
      clock,
      slugKey,
      lifetimeMs: imageLifetimeMs,
    }),
    unitOfWork: createMemoryUnitOfWork({
      database,
      bind: (transaction, actor) => ({
        accountStore: createMemoryAccountStore({ database: transaction, clock }),
        webhookStore: createMemoryWebhookStore({ database: transaction, clock, newId }),
        idempotencyStore: createMemoryIdempotencyStore({ database: transaction, clock }),
        audit: createMemoryAuditLog({ database: transaction, clock }).writer(actor),
      }),
    }),
  };
}
