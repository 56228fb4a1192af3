import type { Generated } from "kysely";
import type { ProductsTable } from "./product-columns.ts";

/** The tables for Kysely. Times are milliseconds since 1970, prices integers in minor units. */
export interface Database {
  accounts: AccountsTable;
  tokens: TokensTable;
  idempotency: IdempotencyTable;
  audit_log: AuditLogTable;
  audit_addresses: AuditAddressesTable;
  people: PeopleTable;
  products: ProductsTable;
  price_history: PriceHistoryTable;
  changes: ChangesTable;
  imports: ImportsTable;
  feeds: FeedsTable;
  feed_pulls: FeedPullsTable;
  marketplace_requests: MarketplaceRequestsTable;
  webhooks: WebhooksTable;
  webhook_former_keys: WebhookFormerKeysTable;
  webhook_products: WebhookProductsTable;
  webhook_events: WebhookEventsTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  delivery_workers: DeliveryWorkersTable;
  dead_letters: DeadLettersTable;
  secrets: SecretsTable;
  synonyms: SynonymsTable;
  rules: RulesTable;
  rules_version: RulesVersionTable;
  rule_history: RuleHistoryTable;
  store_currency: StoreCurrencyTable;
  images: ImagesTable;
  pictures: PicturesTable;
  product_pictures: ProductPicturesTable;
  pictures_noted: PicturesNotedTable;
  picture_vectors: PictureVectorsTable;
  vector_changes: ChangesTable;
  written_products: WrittenProductsTable;
  search_hours: SearchHoursTable;
  query_hours: QueryHoursTable;
  query_clicks: QueryClicksTable;
  product_events: ProductEventsTable;
  event_keys: EventKeysTable;
  order_products: OrderProductsTable;
  product_pairs: ProductPairsTable;
  column_maps: ColumnMapsTable;
  /** Only in PostgreSQL. */
  staged_chunks: StagedChunksTable;
}

export interface AccountsTable {
  id: string;
  name: string;
  created_at: number;
}

export interface TokensTable {
  id: string;
  account_id: string;
  hash: Uint8Array;
  hint: string;
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  /** Comma-separated CIDR ranges from which the token may be used; null for everywhere. */
  networks: string | null;
  /** Comma-separated origins, or `*`, of a public token; null for all others. */
  public_origins: string | null;
  /** Filters of a catalog search, as in a query: all that the token sees; null for everything. */
  filter: string | null;
}

/** Append-only: triggers refuse all other changes. */
export interface AuditLogTable {
  row_id: Generated<number>;
  at: number;
  action: string;
  subject: string;
  /** A JSON object. */
  details: string;
  /** The token of the request; null for a command, and for somebody in the console. */
  token_id: string | null;
  account_id: string | null;
  /** Who ran the command, or works in the console; null for a token. */
  user: string | null;
  /** The machine of the command. The addresses of requests are in `audit_addresses`. */
  origin: string;
}

export interface IdempotencyTable {
  account_id: string;
  operation: string;
  key: string;
  /** Hash of method, path and body: another request with the same key is refused. */
  request_hash: Uint8Array;
  /** Null while the first request is still running. */
  status: number | null;
  /** Encrypted, because a stored response may contain a webhook's key. */
  body: Uint8Array | null;
  created_at: number;
  /** When the claim of the running request expires. */
  lease_until: number;
  /** The idempotency claim of the attempt that may store its response here. */
  claim: string | null;
}

export interface PriceHistoryTable {
  id: Generated<number>;
  product_row_id: number;
  price_minor: number;
  at: number;
}

/** At most one row for each source: the holder of its import lease. */
export interface ImportsTable {
  /** The source: 1 is the catalog, 2 and 3 are the marketplaces. A former release used 1 for all. */
  slot: number;
  /** Null if the owner released the lease and left a sealed import. */
  owner: string | null;
  label: string;
  /** When the lease was taken; of a sealed import, when fetching the feed began. */
  started_at: number;
  lease_until: number;
  /** The rest is null until the feed has been read completely. */
  source: string | null;
  staging_file: string | null;
  /** The index in `absentRules`. */
  is_full: number | null;
  /** The last staged row that was applied. */
  position: number | null;
  url: string | null;
  etag: string | null;
  last_modified: string | null;
}

/** The version of the feed that was imported last into a source. */
export interface FeedsTable {
  source: string;
  /** Empty in one row a source, whose `imported_at` is the newest time at which fetching a finished import began. */
  url: string;
  etag: string | null;
  last_modified: string | null;
  is_full: number;
  imported_at: number;
}

/** Feeds that the service imports repeatedly. */
export interface FeedPullsTable {
  source: string;
  url: string;
  period_ms: number;
  /** One of `absentRules`. */
  absent: string;
  next_at: number;
  /** The lease of the process that imports it ends then. */
  taken_until: number;
  /** Consecutive failures. */
  failures: number;
  attempted_at: number | null;
  succeeded_at: number | null;
  error: string | null;
  /** A JSON object with the result of the last import. */
  result: string | null;
  etag: string | null;
  last_modified: string | null;
}

export interface ChangesTable {
  sequence: Generated<number>;
  product_row_id: number;
}

export interface WebhooksTable {
  row_id: Generated<number>;
  id: string;
  account_id: string;
  url: string;
  type: string;
  /** JSON array as sent by the client; null if all products are tracked. `webhook_products` is its index. */
  product_ids: string | null;
  /** The signing key, encrypted. */
  key: Uint8Array;
  created_at: number;
  /** The time of the first failure after the last success; null if there is none. */
  failing_since: number | null;
  disabled_at: number | null;
  disabled_reason: string | null;
  /** Deliveries up to this row were voided when the webhook was disabled; 0 if it never was. */
  void_through: number;
  /** The rows of a deleted webhook are removed in batches. */
  deleted_at: number | null;
}

/** Former keys that still sign for some time. */
export interface WebhookFormerKeysTable {
  row_id: Generated<number>;
  webhook_row_id: number;
  /** Encrypted, as in `webhooks`. */
  key: Uint8Array;
  until: number;
}

export interface WebhookProductsTable {
  product_id: string;
  webhook_row_id: number;
}

export interface WebhookEventsTable {
  row_id: Generated<number>;
  id: string;
  type: string;
  /** The exact bytes that are signed and sent on each attempt. */
  body: string;
  created_at: number;
  /** The span in which it was made; null when that was not traced. */
  traceparent: Generated<string | null>;
}

export interface DeliveriesTable {
  row_id: Generated<number>;
  id: string;
  webhook_row_id: number;
  event_row_id: number;
  /** `event`, `test` or `replay`. */
  kind: string;
  replay_of: string | null;
  /** `pending`, `succeeded` or `failed`. */
  status: string;
  attempts: number;
  due_at: number;
  /** The worker that attempts it now; null if there is none. */
  worker: string | null;
  created_at: number;
  /** Attempts that sent nothing, for example because the signing key cannot be read. */
  failures: Generated<number>;
}

export interface DeliveryAttemptsTable {
  delivery_row_id: number;
  number: number;
  attempted_at: number;
  duration_ms: number;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
}

export interface DeliveryWorkersTable {
  id: string;
  /** Increases with each heartbeat; the other workers watch it. */
  beat: number;
}

/** Items that were removed from their queue after repeated internal errors. */
export interface DeadLettersTable {
  row_id: Generated<number>;
  id: string;
  queue: string;
  item: string;
  error: string;
  failures: number;
  created_at: number;
  /** The data for a retry, if the item is not stored anywhere else. */
  payload: string | null;
}

/** Where the requests of newer audit entries came from: the entries themselves never change. */
export interface AuditAddressesTable {
  row_id: number;
  address: string;
  at: number;
}

/** Who works in the console. */
export interface PeopleTable {
  id: string;
  name: string;
  account_id: string;
  scopes: string;
  created_at: number;
  sessions_from: number;
  revoked_at: number | null;
  signed_in_at: number | null;
  /** SHA-256 of the code in an invitation that was not used yet. */
  invite_hash: Uint8Array | null;
  invite_until: number | null;
}

/** Encrypted with SECRET_KEY: a known text, which shows whether a key is right, and random keys of the deployment. */
export interface SecretsTable {
  name: "check" | "image slugs";
  sealed: Uint8Array;
}

/** At most one row: the currency of the stored prices. */
export interface StoreCurrencyTable {
  slot: number;
  currency: string;
}

/** At most one row: the operator's changes to the included synonyms. */
export interface SynonymsTable {
  slot: 1;
  /** Random, and new with every change. */
  version: string;
  /** JSON arrays of rules. */
  added: string;
  removed: string;
}

/** The rules of the catalog search. */
export interface RulesTable {
  id: string;
  /** Smaller ones apply first. */
  position: number;
  /** A JSON object, as clients send it. */
  definition: string;
  /** How many products it names. */
  product_ids: number;
  /** Of the definition. */
  bytes: number;
  created_at: number;
  updated_at: number;
}

/** At most one row. */
export interface RulesVersionTable {
  slot: 1;
  /** Random, and new with every change of the rules. */
  version: string;
  /** Of all rows of the history. */
  history_bytes: number;
}

export interface RuleHistoryTable {
  rule_id: string;
  /** From 1, for each rule. */
  number: number;
  change: string;
  at: number;
  /** A JSON object: the rule as it was then. */
  rule: string;
  /** Of `rule`. */
  bytes: number;
}

/** The number of requests to a marketplace per hour, for its daily quota. */
export interface MarketplaceRequestsTable {
  marketplace: string;
  /** Hours since 1970. */
  hour: number;
  count: number;
}

/** Images that clients sent to search with. */
export interface ImagesTable {
  slug: string;
  model: string;
  /** Half-precision numbers, little-endian, as in `picture_vectors`. */
  vector: Uint8Array;
  expires_at: number;
}

/** Images of products; several products may have the same one. */
export interface PicturesTable {
  id: Generated<number>;
  address: string;
  /** `waiting` to be fetched, `described`, or `lost`. */
  state: string;
  attempts: number;
  due_at: number;
  fetched_at: number | null;
  /** Why the last attempt failed. */
  fault: string | null;
}

export interface ProductPicturesTable {
  product_row_id: number;
  picture_id: number;
}

export interface PicturesNotedTable {
  sequence: number;
}

export interface PictureVectorsTable {
  picture_id: number;
  model: string;
  vector: Uint8Array;
  /** The version of the described image, as reported by its host. */
  etag: string | null;
}

/** How tables of a source are read, as JSON. */
export interface ColumnMapsTable {
  source: string;
  maps: string;
}

/** When a product was written last by something else than a feed; it need not exist any more. */
export interface WrittenProductsTable {
  product_id: string;
  at: number;
}

/** All searches of an hour. */
export interface SearchHoursTable {
  /** Hours since 1970. */
  hour: number;
  searches: number;
  no_results: number;
  clicks: number;
  /** How many rows of `query_hours` this hour was the first of its day to have. */
  new_queries: number;
  /** How many keys were added to `event_keys`. */
  new_events: number;
  /** Events that anybody could have sent; not among the others. */
  new_public_events: number;
}

/** The searches of a text in an hour. */
export interface QueryHoursTable {
  query: string;
  hour: number;
  searches: number;
  no_results: number;
  relaxed: number;
  /** Of the newest search. */
  results: number;
  clicks: number;
  /** How many clicks had a position, and the sum of those. */
  positioned: number;
  positions: number;
}

/** The products that were clicked in the results of a text, by day in UTC. */
export interface QueryClicksTable {
  query: string;
  day: number;
  product_id: string;
  clicks: number;
}

export interface ProductEventsTable {
  /** Days since 1970. */
  day: number;
  product_id: string;
  clicks: number;
  carts: number;
  purchases: number;
}

/** Events that were counted; a repetition is not counted again. */
export interface EventKeysTable {
  key: string;
  until: number;
}

/** A part of a sealed staging file, compressed. */
export interface StagedChunksTable {
  file: string;
  number: number;
  bytes: Uint8Array;
}

/** The products of the orders of the last day. */
export interface OrderProductsTable {
  /** A keyed hash. */
  order_key: string;
  product_id: string;
  until: number;
}

/** How many orders had both products; each pair has a row for each of the two. */
export interface ProductPairsTable {
  product_id: string;
  other_id: string;
  orders: number;
  /** Of the newest order, in days since 1970. */
  day: number;
}
