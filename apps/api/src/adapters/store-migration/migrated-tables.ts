/** One value of a row; both databases give these. */
export type Cell = string | number | Uint8Array | null;
export type Row = Record<string, Cell>;

export interface MigratedTable {
  name: string;
  /** What rows are told apart and ordered by. */
  key: readonly [string, ...string[]];
  /** Gives the numbers of the rows. */
  serial?: string;
  /** Only ever added to: PostgreSQL refuses every change. */
  isAppendOnly?: boolean;
  /** What a value becomes; as it is when absent. */
  replaced?: Readonly<Record<string, Cell>>;
}

/**
 * Tables come after those that they refer to. Left out are the workers, which end with the service, and the lease on
 * importing: a sealed import must be finished first.
 */
export const migratedTables: readonly MigratedTable[] = [
  { name: "accounts", key: ["id"] },
  { name: "tokens", key: ["id"] },
  { name: "idempotency", key: ["account_id", "operation", "key"] },
  { name: "secret_checks", key: ["slot"] },
  { name: "audit_log", key: ["row_id"], serial: "row_id", isAppendOnly: true },
  { name: "products", key: ["row_id"], serial: "row_id" },
  { name: "price_history", key: ["id"], serial: "id" },
  { name: "changes", key: ["product_row_id"] },
  { name: "feeds", key: ["source", "url"] },
  { name: "feed_pulls", key: ["source", "url"] },
  { name: "marketplace_requests", key: ["marketplace", "hour"] },
  { name: "webhooks", key: ["row_id"], serial: "row_id" },
  { name: "webhook_former_keys", key: ["row_id"], serial: "row_id" },
  { name: "webhook_products", key: ["product_id", "webhook_row_id"] },
  { name: "webhook_events", key: ["row_id"], serial: "row_id" },
  // Nobody attempts it any more once the service has moved.
  { name: "deliveries", key: ["row_id"], serial: "row_id", replaced: { worker: null } },
  { name: "delivery_attempts", key: ["delivery_row_id", "number"] },
  { name: "dead_letters", key: ["row_id"], serial: "row_id" },
  { name: "images", key: ["slug"] },
  { name: "pictures", key: ["id"], serial: "id" },
  { name: "product_pictures", key: ["product_row_id", "picture_id"] },
  { name: "picture_vectors", key: ["picture_id", "model"] },
  { name: "vector_changes", key: ["product_row_id"] },
];

/** Not in `migratedTables`, and why there is nothing to copy is said there or below. */
export const otherTables: readonly string[] = [
  "delivery_workers",
  "imports",
  // One row without a key: copied by itself.
  "pictures_noted",
];
