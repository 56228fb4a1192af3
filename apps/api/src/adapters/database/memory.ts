import type { PriceEntry, ProductInput, StoredProduct } from "../../domain/product.ts";
import type { WebhookType } from "../../domain/webhook-event.ts";
import type { Account, TokenRecord } from "../../ports/account-store.ts";
import type { AuditEntry } from "../../ports/audit-log.ts";
import type { DeadLetter } from "../../ports/dead-letters.ts";
import type { AttemptRecord, DeliveryRecord, WebhookRecord } from "../../ports/webhook-store.ts";
import { MemoryTable, type UndoLog } from "./memory-table.ts";

export interface MemoryWebhook {
  record: WebhookRecord;
  /** The signing key; absent when it cannot be read. */
  key?: string;
  /** The newest first. */
  formerKeys: readonly { key?: string; untilMs: number }[];
  isDeleted: boolean;
  failingSinceMs?: number;
  /** Waiting deliveries up to this row were given up when the webhook was disabled; 0 when there are none. */
  voidThrough: number;
}

export interface MemoryEvent {
  id: string;
  type: WebhookType;
  body: string;
  createdAtMs: number;
}

export interface MemoryDelivery {
  id: string;
  webhook: number;
  event: number;
  kind: "event" | "test" | "replay";
  status: DeliveryRecord["status"];
  createdAtMs: number;
  dueAtMs: number;
  replayOf?: string;
  /** Which worker attempts it now. */
  worker?: string;
  attempts: readonly AttemptRecord[];
  /** How many of the attempts sent nothing. */
  failures: number;
}

export interface MemoryResponse {
  requestHash: string;
  claim: string;
  createdAtMs: number;
  leaseUntilMs: number;
  response?: { status: number; body: string };
}

export interface MemoryLetter extends DeadLetter {
  input?: ProductInput;
}

/** Every table by its name; the key is the row's number where nothing else is said. */
function createTables(undo: UndoLog) {
  return {
    products: new MemoryTable<number, StoredProduct>(undo),
    /** By `_id`. */
    productRows: new MemoryTable<string, number>(undo),
    /** By source and slug. */
    slugRows: new MemoryTable<string, number>(undo),
    /** By product, oldest first. */
    prices: new MemoryTable<number, readonly PriceEntry[]>(undo),
    /** The sequence number of each product's newest change. */
    changes: new MemoryTable<number, number>(undo),
    webhooks: new MemoryTable<number, MemoryWebhook>(undo),
    events: new MemoryTable<number, MemoryEvent>(undo),
    deliveries: new MemoryTable<number, MemoryDelivery>(undo),
    /** How often each worker has shown that it lives. */
    workers: new MemoryTable<string, number>(undo),
    letters: new MemoryTable<number, MemoryLetter>(undo),
    /** By account, operation and key. */
    responses: new MemoryTable<string, MemoryResponse>(undo),
    /** By slug. The vector is kept as numbers. */
    images: new MemoryTable<string, { model: string; vector: readonly number[]; expiresAtMs: number }>(undo),
    accounts: new MemoryTable<string, Account>(undo),
    /** By the hash in hexadecimal. */
    tokens: new MemoryTable<string, TokenRecord>(undo),
    audit: new MemoryTable<number, AuditEntry>(undo),
    /** The last number given out, by name. */
    counters: new MemoryTable<string, number>(undo),
  };
}

export type MemoryTables = ReturnType<typeof createTables>;

export interface MemoryDatabase {
  readonly tables: MemoryTables;
  /** Commits what `work` writes, or undoes all of it when it fails. One transaction runs at a time. */
  transact<Result>(work: () => Result | Promise<Result>): Promise<Result>;
  /** Inside a transaction: undoes what `work` wrote when it fails, and throws on. */
  savepoint<Result>(work: () => Result): Result;
  /** The next number of this name, from 1 on. */
  next(counter: string): number;
}

/** The store in memory, for tests and for the mock. It has no index: every look is at all rows of a table. */
export function createMemoryDatabase(): MemoryDatabase {
  const undo: UndoLog = [];
  const tables = createTables(undo);
  let last: Promise<unknown> = Promise.resolve();

  const rollBack = (length: number): void => {
    while (undo.length > length) undo.pop()?.();
  };
  async function run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    undo.length = 0;
    try {
      return await work();
    } catch (error) {
      rollBack(0);
      throw error;
    }
  }

  return {
    tables,
    transact(work) {
      const result = last.then(() => run(work));
      last = result.catch(() => {});
      return result;
    },
    savepoint(work) {
      const { length } = undo;
      try {
        return work();
      } catch (error) {
        rollBack(length);
        throw error;
      }
    },
    next(counter) {
      const number = (tables.counters.get(counter) ?? 0) + 1;
      tables.counters.set(counter, number);
      return number;
    },
  };
}

/** The same database inside a transaction that is under way: what it is given to do belongs to that transaction. */
export function insideTransaction(database: MemoryDatabase): MemoryDatabase {
  return { ...database, transact: async (work) => work() };
}
