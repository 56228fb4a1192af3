import { createMemoryAccountStore } from "@product-search/api/adapters/account-store/memory.ts";
import { createMemoryAuditLog } from "@product-search/api/adapters/audit-log/memory.ts";
import { createMemoryCatalogStore } from "@product-search/api/adapters/catalog-store/memory.ts";
import type { MemoryDatabase } from "@product-search/api/adapters/database/memory/memory.ts";
import { createMemoryOutbox } from "@product-search/api/adapters/database/memory/memory-outbox.ts";
import { createMemoryIdempotencyStore } from "@product-search/api/adapters/idempotency-store/memory.ts";
import { createMemoryUnitOfWork } from "@product-search/api/adapters/unit-of-work/memory.ts";
import { createMemoryUploadedImageStore } from "@product-search/api/adapters/uploaded-image-store/memory.ts";
import { createMemoryWebhookStore } from "@product-search/api/adapters/webhook-store/memory.ts";
import type { Presentation } from "@product-search/api/domain/mapping/to-product.ts";
import type { Clock } from "@product-search/api/ports/clock.ts";
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
