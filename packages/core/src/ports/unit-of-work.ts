import type { AccountStore, Actor, AuditWriter, PeopleStore } from "./accounts.ts";
import type { IdempotencyStore } from "./idempotency-store.ts";
import type { RuleStore, SynonymStore } from "./merchandising.ts";
import type { WebhookStore } from "./webhooks.ts";

/** Stores bound to one transaction. */
export interface TransactionStores {
  webhookStore: WebhookStore;
  idempotencyStore: Pick<IdempotencyStore, "finish">;
  ruleStore: RuleStore;
  synonymStore: Pick<SynonymStore, "replace">;
  /** The actor of the transaction. */
  audit: AuditWriter;
}

/** The stores of the service, which also knows its tokens, and who works in its console. */
export interface ServiceTransactionStores extends TransactionStores {
  accountStore: Pick<AccountStore, "ensureAccount" | "addToken" | "revokeToken">;
  peopleStore: Pick<PeopleStore, "invite" | "accept" | "revoke">;
}

/**
 * Everything that `work` writes through the given stores is committed together, or not at all if it fails. Other
 * writers wait meanwhile, so `work` must take only a few milliseconds: no network, no files, no timers.
 */
export type Transact<Result> = (work: (stores: TransactionStores) => Promise<Result>) => Promise<Result>;

export interface UnitOfWork<Stores extends TransactionStores = TransactionStores> {
  /** In the name of the actor, for the audit log. */
  transact<Result>(actor: Actor, work: (stores: Stores) => Promise<Result>): Promise<Result>;
}
