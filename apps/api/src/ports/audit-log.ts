/** Who did something, and from where. */
export type Actor =
  | { kind: "token"; tokenId: string; accountId: string; address: string }
  /** A command of the command line: the user of the operating system and the machine. */
  | { kind: "command"; user: string; host: string };

export const auditActions = [
  "token.created",
  "token.revoked",
  "webhook.created",
  "webhook.deleted",
  "webhook.enabled",
  "webhook.key_rotated",
  "dead_letter.retried",
  "secret_key.accepted",
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Nothing secret, and nothing that tells of a person. */
export type AuditDetails = Readonly<Record<string, string | number | boolean>>;

export interface AuditEntry {
  atMs: number;
  action: AuditAction;
  /** The identifier of what it was done to. */
  subject: string;
  details: AuditDetails;
  actor: Actor;
}

/** Writes entries for one actor; belongs into the transaction that does what the entry tells. */
export interface AuditWriter {
  record(action: AuditAction, subject: string, details?: AuditDetails): Promise<void>;
}

export interface AuditPage {
  entries: AuditEntry[];
  /** Pass it as `before` for the next page; left out on the last. */
  next?: number;
}

/** What was done to tokens, webhooks and keys. Entries are never changed or removed. */
export interface AuditLog {
  writer(actor: Actor): AuditWriter;
  /** Newest first. */
  list(page: { limit: number; before?: number }): Promise<AuditPage>;
}
