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

interface UsedToken {
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

/** Somebody who works in the console. */
export interface Person {
  id: string;
  name: string;
  accountId: string;
  scopes: Scope[];
  createdAtMs: number;
  /** Sessions that began before are over. */
  sessionsFromMs: number;
  revokedAtMs?: number;
  signedInAtMs?: number;
  /** The expiry of an invitation that was not used yet. */
  invitedUntilMs?: number;
}

/** People and their invitations. Only the SHA-256 of an invitation's code is stored. */
export interface PeopleStore {
  /** A new person, or new scopes and another invitation for one of that name. Somebody who was revoked is admitted again. */
  invite(invitation: {
    name: string;
    accountId: string;
    scopes: readonly Scope[];
    hash: Uint8Array;
    untilMs: number;
  }): Promise<Person>;
  /** Undefined if there is no such invitation, or it has expired. */
  findInvited(hash: Uint8Array): Promise<Person | undefined>;
  /** Uses the invitation up; likewise. */
  accept(hash: Uint8Array): Promise<Person | undefined>;
  find(id: string): Promise<Person | undefined>;
  list(): Promise<Person[]>;
  /** Ends the person's sessions and invitation. Undefined if nobody has that name, or it was already done. */
  revoke(name: string): Promise<Person | undefined>;
}

/** Who did something, and from where. */
export type Actor =
  /** The address is forgotten after some time. */
  | { kind: "token"; tokenId: string; accountId: string; address?: string }
  /** Somebody who works in the console, by name. */
  | { kind: "person"; name: string; accountId: string; address?: string }
  /** A command of the command line: the operating system's user, and the machine. */
  | { kind: "command"; user: string; host: string };

export const auditActions = [
  "token.created",
  "token.revoked",
  "person.invited",
  "person.signed_in",
  "person.revoked",
  "webhook.created",
  "webhook.deleted",
  "webhook.enabled",
  "webhook.key_rotated",
  "dead_letter.retried",
  "secret_key.accepted",
  "secret_key.rotated",
  "currency.changed",
  "synonym.added",
  "synonym.removed",
  "rule.created",
  "rule.replaced",
  "rule.deleted",
  "rules.ordered",
] as const;
export type AuditAction = (typeof auditActions)[number];

/** No secrets, and no personal data. */
export type AuditDetails = Readonly<Record<string, string | number | boolean>>;

export interface AuditEntry {
  atMs: number;
  action: AuditAction;
  /** The identifier of the changed object. */
  subject: string;
  details: AuditDetails;
  actor: Actor;
}

/** Writes entries for one actor. Use it in the transaction of the change itself. */
export interface AuditWriter {
  record(action: AuditAction, subject: string, details?: AuditDetails): Promise<void>;
}

interface AuditPage {
  entries: AuditEntry[];
  /** Pass it as `before` for the next page; absent on the last. */
  next?: number;
}

/** The history of tokens, people, webhooks, keys, synonyms and rules. Entries are never changed or removed. */
export interface AuditLog {
  writer(actor: Actor): AuditWriter;
  /** Newest first. */
  list(page: { limit: number; before?: number }): Promise<AuditPage>;
  /** Forgets the addresses of at most `limit` entries from before that time; returns how many. */
  removeAddresses(beforeMs: number, limit: number): Promise<number>;
}
