import type { IdempotencyStore } from "./idempotency-store.ts";
import type { WebhookStore } from "./webhook-store.ts";

/** Stores bound to one transaction. */
export interface TransactionStores {
  webhookStore: WebhookStore;
  idempotencyStore: Pick<IdempotencyStore, "finish">;
}

/**
 * Everything that `work` writes through the stores that it is given commits together, or not at all when it fails. Others
 * wait meanwhile: no network, no file and no timer in it, a few milliseconds in all.
 */
export type Transact<Result> = (work: (stores: TransactionStores) => Promise<Result>) => Promise<Result>;

export interface UnitOfWork {
  transact<Result>(work: (stores: TransactionStores) => Promise<Result>): Promise<Result>;
}
