import { systemClock as clock } from "@product-search/core/ports/clock.ts";
import { describeUnitOfWork } from "@product-search/testing/contracts/unit-of-work/contract.ts";
import { describe } from "vitest";
import { describeOnEachEngine } from "../../testing/each-engine.ts";
import { createMemoryAccountStore } from "../account-store/memory.ts";
import { createSqlAccountStore } from "../account-store/sql.ts";
import { createMemoryAuditLog } from "../audit-log/memory.ts";
import { createSqlAuditLog } from "../audit-log/sql.ts";
import { createMemoryDatabase, type MemoryDatabase } from "../database/memory/memory.ts";
import { randomId } from "../database/random-id.ts";
import { createMemoryIdempotencyStore } from "../idempotency-store/memory.ts";
import { createSqlIdempotencyStore } from "../idempotency-store/sql.ts";
import { createMemoryRuleStore } from "../rule-store/memory.ts";
import { createSqlRuleStore } from "../rule-store/sql.ts";
import { createMemorySynonymStore } from "../synonym-store/memory.ts";
import { createSqlSynonymStore } from "../synonym-store/sql.ts";
import { createMemoryWebhookStore } from "../webhook-store/memory.ts";
import { createSqlWebhookStore } from "../webhook-store/sql.ts";
import { createMemoryUnitOfWork } from "./memory.ts";
import { createSqlUnitOfWork } from "./sql.ts";

describeOnEachEngine("the unit of work", (open) => {
  describeUnitOfWork(async () => {
    const { db, secretBox, close } = await open();
    const unitOfWork = createSqlUnitOfWork({
      db,
      bind: (transaction, actor) => ({
        accountStore: createSqlAccountStore({ db: transaction, clock }),
        webhookStore: createSqlWebhookStore({ db: transaction, clock, secretBox }),
        idempotencyStore: createSqlIdempotencyStore({ db: transaction, clock, secretBox }),
        synonymStore: createSqlSynonymStore({ db: transaction }),
        ruleStore: createSqlRuleStore({ db: transaction, clock }),
        audit: createSqlAuditLog({ db: transaction, clock }).writer(actor),
      }),
    });
    return {
      unitOfWork,
      accountStore: createSqlAccountStore({ db, clock }),
      webhookStore: createSqlWebhookStore({ db, clock, secretBox }),
      idempotencyStore: createSqlIdempotencyStore({ db, clock, secretBox }),
      auditLog: createSqlAuditLog({ db, clock }),
      close,
    };
  });
});

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
