import type { Generated } from "kysely";

/** The tables as Kysely sees them. Times are milliseconds since 1970, prices integers in minor units. */
export interface Database {
  accounts: AccountsTable;
  tokens: TokensTable;
  idempotency: IdempotencyTable;
  products: ProductsTable;
  price_history: PriceHistoryTable;
  changes: ChangesTable;
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
}

export interface IdempotencyTable {
  account_id: string;
  operation: string;
  key: string;
  /** Of method, path and body: the same key with another request is refused. */
  request_hash: Uint8Array;
  /** Null while the first request is still running. */
  status: number | null;
  /** Encrypted: a stored answer may hold a webhook's key. */
  body: Uint8Array | null;
  created_at: number;
  /** A request that died in flight frees its key at this time. */
  lease_until: number;
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

export interface ChangesTable {
  sequence: Generated<number>;
  product_row_id: number;
}
