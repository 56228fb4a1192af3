export const scopes = ["search", "webhooks", "catalog", "merchandising"] as const;
export type Scope = (typeof scopes)[number];

export interface Account {
  id: string;
  name: string;
}

export interface TokenRecord {
  id: string;
  accountId: string;
  accountName: string;
  /** The first characters of the token, to recognise it in a list. */
  hint: string;
  scopes: Scope[];
  createdAtMs: number;
  expiresAtMs?: number;
  revokedAtMs?: number;
  lastUsedAtMs?: number;
  /** CIDR ranges from which the token may be used; without them, from everywhere. */
  networks?: readonly string[];
  /** Only of a public token: the origins whose pages may show it; `*` stands for all. */
  publicOrigins?: readonly string[];
  /** Who works in the console, if this is a session and no token. */
  person?: string;
  /** Filters of a catalog search, as in a query: all that the token sees. Without it, it sees everything. */
  filter?: string;
}

export interface UsedToken {
  hash: Uint8Array;
  record: TokenRecord;
}

/** A use that follows the stored one in less than this time is not stored. */
export const usesApartMs = 5000;

/** Accounts and their tokens. Only the SHA-256 of a token is stored. */
export interface AccountStore {
  /** The account of that name; created if it does not exist. */
  ensureAccount(name: string): Promise<Account>;
  addToken(token: {
    accountId: string;
    hash: Uint8Array;
    hint: string;
    scopes: readonly Scope[];
    expiresAtMs?: number;
    networks?: readonly string[];
    publicOrigins?: readonly string[];
    filter?: string;
  }): Promise<TokenRecord>;
  /** The token with this hash, even if it is expired or revoked: the caller decides. */
  findTokenByHash(hash: Uint8Array): Promise<TokenRecord | undefined>;
  listTokens(): Promise<TokenRecord[]>;
  /** True if there was such a token and it was not already revoked. */
  revokeToken(id: string): Promise<boolean>;
  /** Stores last uses collected in memory, many in one transaction. A token that others change now may be left out. */
  recordUses(uses: ReadonlyMap<string, number>): Promise<void>;
  /** Tokens used at this time or later, the newest uses first, even if they are expired or revoked. */
  usedSince(sinceMs: number, limit: number): Promise<UsedToken[]>;
}
