import type { AccountStore } from "./account-store.ts";
import type { Actor, AuditWriter } from "./audit-log.ts";
import type { IdempotencyStore } from "./idempotency-store.ts";
import type { WebhookStore } from "./webhook-store.ts";

/** Stores bound to one transaction. */
export interface TransactionStores {
  accountStore: Pick<AccountStore, "ensureAccount" | "addToken" | "revokeToken">;
  webhookStore: WebhookStore;
  idempotencyStore: Pick<IdempotencyStore, "finish">;
  /** For whoever the transaction was begun. */
  audit: AuditWriter;
}

/**
 * Everything that `work` writes through the stores that it is given commits together, or not at all when it fails. Others
 * wait meanwhile: no network, no file and no timer in it, a few milliseconds in all.
 */
export type Transact<Result> = (work: (stores: TransactionStores) => Promise<Result>) => Promise<Result>;

export interface UnitOfWork {
  /** In the name of the actor, whom the audit log names. */
  transact<Result>(actor: Actor, work: (stores: TransactionStores) => Promise<Result>): Promise<Result>;
}
