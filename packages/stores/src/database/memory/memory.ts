import type { PriceEntry, StoredProduct } from "@product-search/core/domain/product.ts";
import type { WebhookType } from "@product-search/core/domain/webhook-event.ts";
import type { QueryInsight } from "@product-search/core/ports/insights.ts";
import type { RuleHistoryEntry, StoredRules } from "@product-search/core/ports/rule-store.ts";
import type { StoredSynonyms } from "@product-search/core/ports/synonyms.ts";
import type { AttemptRecord, DeliveryRecord, WebhookRecord } from "@product-search/core/ports/webhooks.ts";

/** Rows by key, in the order of their first insertion. A row is never changed, only replaced. */
class MemoryTable<Key extends string | number, Row> {
  readonly #rows = new Map<Key, Row>();
  readonly #undo: UndoLog;

  constructor(undo: UndoLog) {
    this.#undo = undo;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: Key): Row | undefined {
    return this.#rows.get(key);
  }

  set(key: Key, row: Row): void {
    const former = this.#rows.get(key);
    this.#undo.push(() => {
      if (former === undefined) this.#rows.delete(key);
      else this.#rows.set(key, former);
    });
    this.#rows.set(key, row);
  }

  delete(key: Key): boolean {
    const former = this.#rows.get(key);
    if (former === undefined) return false;
    this.#undo.push(() => this.#rows.set(key, former));
    return this.#rows.delete(key);
  }

  entries(): [Key, Row][] {
    return [...this.#rows];
  }

  values(): Row[] {
    return [...this.#rows.values()];
  }

  /** The first match. */
  find(fits: (row: Row, key: Key) => boolean): [Key, Row] | undefined {
    for (const [key, row] of this.#rows) if (fits(row, key)) return [key, row];
    return undefined;
  }
}

export interface MemoryWebhook {
  record: WebhookRecord;
  /** The signing key; absent if it cannot be read. */
  key?: string;
  /** Newest first. */
  formerKeys: readonly { key?: string; untilMs: number }[];
  isDeleted: boolean;
  failingSinceMs?: number;
  /** Waiting deliveries up to this row were voided when the webhook was disabled; 0 if there are none. */
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
  /** The worker that attempts it now. */
  worker?: string;
  attempts: readonly AttemptRecord[];
  /** The number of attempts that sent nothing. */
  failures: number;
}

export interface MemoryResponse {
  requestHash: string;
  claim: string;
  createdAtMs: number;
  leaseUntilMs: number;
  response?: { status: number; body: string };
}

/** The query is empty in the row with the totals of the hour. */
export interface MemoryQueryHour extends QueryInsight {
  hour: number;
}

/** All tables by name. The key is the row id unless noted otherwise. */
function createTables(undo: UndoLog) {
  return {
    products: new MemoryTable<number, StoredProduct>(undo),
    /** By `_id`. */
    productRows: new MemoryTable<string, number>(undo),
    /** By source and slug. */
    slugRows: new MemoryTable<string, number>(undo),
    /** By product, oldest first. */
    prices: new MemoryTable<number, readonly PriceEntry[]>(undo),
    /** The sequence of each product's newest change. */
    changes: new MemoryTable<number, number>(undo),
    webhooks: new MemoryTable<number, MemoryWebhook>(undo),
    events: new MemoryTable<number, MemoryEvent>(undo),
    deliveries: new MemoryTable<number, MemoryDelivery>(undo),
    /** The heartbeat count of each worker. */
    workers: new MemoryTable<string, number>(undo),
    /** By account, operation and key. */
    responses: new MemoryTable<string, MemoryResponse>(undo),
    /** By slug. The vector is kept as numbers. */
    images: new MemoryTable<string, { model: string; vector: readonly number[]; expiresAtMs: number }>(undo),
    /** At most one row. */
    synonyms: new MemoryTable<number, StoredSynonyms>(undo),
    /** At most one row. */
    rules: new MemoryTable<number, StoredRules>(undo),
    /** By rule, newest first. */
    ruleHistory: new MemoryTable<string, readonly RuleHistoryEntry[]>(undo),
    /** By hour and text. */
    queryHours: new MemoryTable<string, MemoryQueryHour>(undo),
    /** By day and text: the clicks on each product. */
    queryClicks: new MemoryTable<string, Readonly<Record<string, number>>>(undo),
    /** Until when each key of an event is known. */
    eventKeys: new MemoryTable<string, number>(undo),
    /** The products of each order of the last day, by its key. */
    orders: new MemoryTable<string, { untilMs: number; ids: readonly string[] }>(undo),
    /** By product: how many orders had the others as well. */
    pairs: new MemoryTable<string, Readonly<Record<string, number>>>(undo),
    /** The last number used, by name. */
    counters: new MemoryTable<string, number>(undo),
  };
}

export type MemoryTables = ReturnType<typeof createTables>;

export interface MemoryDatabase {
  readonly tables: MemoryTables;
  /** Commits the writes of `work`, or undoes all of them if it fails. One transaction runs at a time. */
  transact<Result>(work: () => Result | Promise<Result>): Promise<Result>;
  /** Inside a transaction: undoes the writes of `work` if it fails, and throws the error again. */
  savepoint<Result>(work: () => Result): Result;
  /** The next number of this name, starting with 1. */
  next(counter: string): number;
}

/** The database in memory, for tests and for the mock. It has no index: every look-up reads all rows of a table. */
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

/** The same database inside the current transaction: its operations belong to that transaction. */
export function insideTransaction(database: MemoryDatabase): MemoryDatabase {
  return { ...database, transact: async (work) => work() };
}

/** The steps to undo the writes of the current transaction, oldest first. */
type UndoLog = (() => void)[];
