/** What names something that exists: it is replaced by an identifier of each side's own. */
export interface Reference {
  kind: "webhook" | "delivery" | "product" | "image";
  /** Which of those seen so far; beyond the last it counts on from the first. */
  index: number;
}

/** A request that both sides are sent, in terms that both understand. */
export interface GeneratedRequest {
  operationId: string;
  method: string;
  /** The steps of the path below the base path; references stand for identifiers. */
  path: (string | Reference)[];
  query: [name: string, value: string | Reference][];
  headers: Record<string, string>;
  /** Sent as it is when it is a text, else as JSON; references inside are replaced. */
  body?: unknown;
}

export function isReference(value: unknown): value is Reference {
  return typeof value === "object" && value !== null && "kind" in value && "index" in value;
}
