/** One value of a row; both databases return these. */
export type Cell = string | number | Uint8Array | null;
export type Row = Record<string, Cell>;

export interface MigratedTable {
  name: string;
  /** The columns that identify and order the rows. */
  key: readonly [string, ...string[]];
  /** Gives the numbers of the rows. */
  serial?: string;
  /** Append-only: PostgreSQL refuses every change. */
  isAppendOnly?: boolean;
  /** Converts a value; without it, the value is unchanged. */
  replaced?: Readonly<Record<string, Cell>>;
}

/**
 * Tables come after those that they refer to. The tables of workers and of the import lease are left out: workers end
 * with the service, and a sealed import must be finished first.
 */
export const migratedTables: readonly MigratedTable[] = [
  { name: "accounts", key: ["id"] },
  { name: "tokens", key: ["id"] },
  { name: "people", key: ["id"] },
  { name: "idempotency", key: ["account_id", "operation", "key"] },
  { name: "secrets", key: ["name"] },
  { name: "audit_log", key: ["row_id"], serial: "row_id", isAppendOnly: true },
  { name: "audit_addresses", key: ["row_id"] },
  { name: "products", key: ["row_id"], serial: "row_id" },
  { name: "written_products", key: ["product_id"] },
  { name: "search_hours", key: ["hour"] },
  { name: "query_hours", key: ["query", "hour"] },
  { name: "query_clicks", key: ["query", "day", "product_id"] },
  { name: "product_events", key: ["day", "product_id"] },
  { name: "event_keys", key: ["key"] },
  { name: "order_products", key: ["order_key", "product_id"] },
  { name: "product_pairs", key: ["product_id", "other_id"] },
  { name: "price_history", key: ["id"], serial: "id" },
  { name: "changes", key: ["product_row_id"] },
  { name: "feeds", key: ["source", "url"] },
  { name: "feed_pulls", key: ["source", "url"] },
  { name: "column_maps", key: ["source"] },
  { name: "marketplace_requests", key: ["marketplace", "hour"] },
  { name: "webhooks", key: ["row_id"], serial: "row_id" },
  { name: "webhook_former_keys", key: ["row_id"], serial: "row_id" },
  { name: "webhook_products", key: ["product_id", "webhook_row_id"] },
  { name: "webhook_events", key: ["row_id"], serial: "row_id" },
  // No worker attempts it after the service has moved.
  { name: "deliveries", key: ["row_id"], serial: "row_id", replaced: { worker: null } },
  { name: "delivery_attempts", key: ["delivery_row_id", "number"] },
  { name: "dead_letters", key: ["row_id"], serial: "row_id" },
  { name: "synonyms", key: ["slot"] },
  { name: "rules", key: ["id"] },
  { name: "rules_version", key: ["slot"] },
  { name: "rule_history", key: ["rule_id", "number"] },
  { name: "store_currency", key: ["slot"] },
  { name: "images", key: ["slug"] },
  { name: "pictures", key: ["id"], serial: "id" },
  { name: "product_pictures", key: ["product_row_id", "picture_id"] },
  { name: "picture_vectors", key: ["picture_id", "model"] },
  { name: "vector_changes", key: ["product_row_id"] },
];

/** The tables that are not in `migratedTables`; the comments there and below say why. */
export const otherTables: readonly string[] = [
  "delivery_workers",
  "imports",
  // One row without a key, which is copied separately.
  "pictures_noted",
];
