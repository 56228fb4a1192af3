import type { Generated } from "kysely";

/** The tables as Kysely sees them. Times are milliseconds since 1970, prices integers in minor units. */
export interface Database {
  accounts: AccountsTable;
  tokens: TokensTable;
  idempotency: IdempotencyTable;
  audit_log: AuditLogTable;
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
  secret_checks: SecretChecksTable;
  images: ImagesTable;
  pictures: PicturesTable;
  product_pictures: ProductPicturesTable;
  pictures_noted: PicturesNotedTable;
  picture_vectors: PictureVectorsTable;
  vector_changes: ChangesTable;
  /** On PostgreSQL alone. */
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
  /** Comma-separated CIDRs from which alone it may be used; null for everywhere. */
  networks: string | null;
  /** Comma-separated origins, or `*`, of a public token; null for all others. */
  public_origins: string | null;
}

/** Only ever appended to: triggers refuse everything else. */
export interface AuditLogTable {
  row_id: Generated<number>;
  at: number;
  action: string;
  subject: string;
  /** A JSON object. */
  details: string;
  /** Whose request it was; null for a command. */
  token_id: string | null;
  account_id: string | null;
  /** Who ran the command; null for a request. */
  user: string | null;
  /** The address of the request, or the machine that the command ran on. */
  origin: string;
}

export interface IdempotencyTable {
  account_id: string;
  operation: string;
  key: string;
  /** Of method, path and body: the same key with another request is refused. */
  request_hash: Uint8Array;
  /** Null while the first request is still running. */
  status: number | null;
  /** Encrypted: a stored response may hold a webhook's key. */
  body: Uint8Array | null;
  created_at: number;
  /** A request that died in flight frees its key at this time. */
  lease_until: number;
  /** The attempt at the request that may store its response here. */
  claim: string | null;
}

export interface ProductsTable {
  row_id: Generated<number>;
  source: string;
  key: string;
  id: string;
  slug: string;
  name: string;
  brand: string | null;
  store_name: string;
  description: string;
  category: string | null;
  url: string;
  /** JSON array of addresses. */
  images: string;
  price_minor: number;
  original_price_minor: number | null;
  availability: string;
  average_rating: number | null;
  review_count: number;
  is_verified: number;
  is_boosted: number;
  discount_val: number;
  service_score: number | null;
  price_since: number;
  created_at: number;
  updated_at: number;
}

export interface PriceHistoryTable {
  id: Generated<number>;
  product_row_id: number;
  price_minor: number;
  at: number;
}

/** At most one row: whoever holds it is the one who imports. */
export interface ImportsTable {
  slot: 1;
  /** Null when the owner gave up and left an import that was read whole. */
  owner: string | null;
  label: string;
  started_at: number;
  lease_until: number;
  /** The rest is null until the feed has been read whole; from then on the import only goes forward. */
  source: string | null;
  staging_file: string | null;
  /** The place in `absentRules`: 0, 1 or 2. */
  is_full: number | null;
  /** The last staged row that was applied. */
  position: number | null;
  url: string | null;
  etag: string | null;
  last_modified: string | null;
}

export interface FeedsTable {
  source: string;
  url: string;
  etag: string | null;
  last_modified: string | null;
  is_full: number;
  imported_at: number;
}

/** Feeds that are fetched again and again. */
export interface FeedPullsTable {
  source: string;
  url: string;
  period_ms: number;
  /** One of `absentRules`. */
  absent: string;
  next_at: number;
  /** Whoever took it has it until then. */
  taken_until: number;
  /** In a row. */
  failures: number;
  attempted_at: number | null;
  succeeded_at: number | null;
  error: string | null;
  /** A JSON object: what the last import came to. */
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
  /** JSON array as the client gave it; null when all products are tracked. `webhook_products` is its index. */
  product_ids: string | null;
  /** The signing secret, sealed. */
  key: Uint8Array;
  created_at: number;
  /** When the first failure after the last success was; null while all is well. */
  failing_since: number | null;
  disabled_at: number | null;
  disabled_reason: string | null;
  /** Deliveries up to this row were given up when the webhook was disabled; 0 when it never was. */
  void_through: number;
  /** The rows of a deleted webhook are removed bit by bit. */
  deleted_at: number | null;
}

/** Keys that were replaced and go on signing for a while. */
export interface WebhookFormerKeysTable {
  row_id: Generated<number>;
  webhook_row_id: number;
  /** Sealed, as in `webhooks`. */
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
  /** The very bytes that are signed and sent, on each attempt. */
  body: string;
  created_at: number;
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
  /** Who is attempting it right now; null while nobody is. */
  worker: string | null;
  created_at: number;
  /** Attempts that never left this service, such as one without a readable signing key. */
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
  /** Counts up while the worker lives; others watch it. */
  beat: number;
}

/** Items that were taken out of their queue after failing too often for a fault of ours. */
export interface DeadLettersTable {
  row_id: Generated<number>;
  id: string;
  queue: string;
  item: string;
  error: string;
  failures: number;
  created_at: number;
  /** What a retry needs, where the item itself is kept nowhere else. */
  payload: string | null;
}

/** At most one row: a known text, sealed with the key that all secrets in the store are sealed with. */
export interface SecretChecksTable {
  slot: 1;
  sealed: Uint8Array;
}

/** How many requests went to a marketplace in an hour, for its quota of the day. */
export interface MarketplaceRequestsTable {
  marketplace: string;
  /** Hours since 1970. */
  hour: number;
  count: number;
}

/** What clients sent to search with. */
export interface ImagesTable {
  slug: string;
  model: string;
  /** Half-precision numbers, little-endian, as in `picture_vectors`. */
  vector: Uint8Array;
  expires_at: number;
}

/** What products show; several may show the same. */
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
  /** What its host called the version of the picture that was described. */
  etag: string | null;
}

/** A sealed staging file in pieces, compressed. */
export interface StagedChunksTable {
  file: string;
  number: number;
  bytes: Uint8Array;
}
