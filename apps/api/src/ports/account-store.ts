export const scopes = ["search", "webhooks"] as const;
export type Scope = (typeof scopes)[number];

export interface Account {
  id: string;
  name: string;
}

export interface TokenRecord {
  id: string;
  accountId: string;
  accountName: string;
  /** The first characters of the token, to tell tokens apart in a list. */
  hint: string;
  scopes: Scope[];
  createdAtMs: number;
  expiresAtMs?: number;
  revokedAtMs?: number;
  lastUsedAtMs?: number;
  /** CIDRs from which alone it may be used; everywhere without. */
  networks?: readonly string[];
  /** Only of a public token: the origins whose pages may show it; `*` stands for all. */
  publicOrigins?: readonly string[];
}

/** Accounts and their tokens. Only the SHA-256 of a token is ever kept. */
export interface AccountStore {
  /** The account of that name, made when absent. */
  ensureAccount(name: string): Promise<Account>;
  addToken(token: {
    accountId: string;
    hash: Uint8Array;
    hint: string;
    scopes: readonly Scope[];
    expiresAtMs?: number;
    networks?: readonly string[];
    publicOrigins?: readonly string[];
  }): Promise<TokenRecord>;
  /** Whatever is stored under the hash, expired and revoked ones too: the caller judges. */
  findTokenByHash(hash: Uint8Array): Promise<TokenRecord | undefined>;
  listTokens(): Promise<TokenRecord[]>;
  /** True when there was such a token and it was not revoked before. */
  revokeToken(id: string): Promise<boolean>;
  /** Records last uses gathered in memory, many in one transaction. */
  recordUses(uses: ReadonlyMap<string, number>): Promise<void>;
}
