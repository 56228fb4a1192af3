import { systemClock as clock } from "@product-search/core/ports/clock.ts";
import { describeUnitOfWork } from "@product-search/testing/contracts/unit-of-work.ts";
import { describeOnEachEngine } from "../../testing/each-engine.ts";
import { createSqlAccountStore } from "../account-store/account-store.ts";
import { createSqlAuditLog } from "../audit-log/audit-log.ts";
import { createSqlIdempotencyStore } from "../idempotency-store/idempotency-store.ts";
import { createSqlRuleStore } from "../rule-store/rule-store.ts";
import { createSqlSynonymStore } from "../synonym-store/synonym-store.ts";
import { createSqlWebhookStore } from "../webhook-store/webhook-store.ts";
import { createSqlUnitOfWork } from "./unit-of-work.ts";

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
