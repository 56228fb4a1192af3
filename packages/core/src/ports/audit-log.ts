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

export interface AuditPage {
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
