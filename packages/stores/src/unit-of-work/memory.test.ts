import { systemClock as clock } from "@product-search/core/ports/clock.ts";
import { describeUnitOfWork } from "@product-search/testing/contracts/unit-of-work/contract.ts";
import { describe } from "vitest";
import { createMemoryAccountStore } from "../account-store/memory.ts";
import { createMemoryAuditLog } from "../audit-log/memory.ts";
import { createMemoryDatabase, type MemoryDatabase } from "../database/memory/memory.ts";
import { randomId } from "../database/random-id.ts";
import { createMemoryIdempotencyStore } from "../idempotency-store/memory.ts";
import { createMemoryRuleStore } from "../rule-store/memory.ts";
import { createMemorySynonymStore } from "../synonym-store/memory.ts";
import { createMemoryWebhookStore } from "../webhook-store/memory.ts";
import { createMemoryUnitOfWork } from "./memory.ts";

const storesOf = (database: MemoryDatabase) => ({
  accountStore: createMemoryAccountStore({ database, clock }),
  webhookStore: createMemoryWebhookStore({ database, clock, newId: randomId }),
  idempotencyStore: createMemoryIdempotencyStore({ database, clock }),
  synonymStore: createMemorySynonymStore({ database }),
  ruleStore: createMemoryRuleStore({ database, clock }),
  auditLog: createMemoryAuditLog({ database, clock }),
});

describe("the unit of work in memory", () => {
  describeUnitOfWork(async () => {
    const database = createMemoryDatabase();
    const unitOfWork = createMemoryUnitOfWork({
      database,
      bind: (transaction, actor) => {
        const { auditLog, ...stores } = storesOf(transaction);
        return { ...stores, audit: auditLog.writer(actor) };
      },
    });
    return { unitOfWork, ...storesOf(database), close: async () => {} };
  });
});
