import { compileExpression, type Json } from "./profile/expression.ts";
import type { MapItem, MappedItem } from "./profile/map-item.ts";
import type { Profile } from "./profile/profile.ts";
import { UpstreamError } from "./upstream-error.ts";

/** What one answer of the marketplace says. */
export interface Page {
  items: MappedItem[];
  /** How many products match, when the marketplace tells. */
  total: number | undefined;
  /** The cursor of the next page, when there is one. */
  next: string | undefined;
}

const maxItems = 1000;

export function createPageReader({ answer, pagination }: Profile, mapItem: MapItem): (json: Json) => Page {
  const items = compileExpression(answer.items);
  const total = answer.total === undefined ? undefined : compileExpression(answer.total);
  const next = pagination.style === "cursor" ? compileExpression(pagination.next) : undefined;
  return (json) => {
    if (typeof json !== "object" || json === null) throw unreadable();
    const entries = evaluate(items, json);
    // An empty result often lacks the list; anything else in its place is an answer of another kind.
    if (entries !== null && !Array.isArray(entries)) throw unreadable();
    const count = total && Number(evaluate(total, json) ?? Number.NaN);
    const cursor = next && evaluate(next, json);
    if (entries === null && (count === undefined || Number.isNaN(count))) throw unreadable();
    return {
      items: (entries ?? []).slice(0, maxItems).map(mapItem),
      total: count !== undefined && count >= 0 && count < 1e12 ? Math.floor(count) : undefined,
      next:
        typeof cursor === "string" || typeof cursor === "number" ? String(cursor) || undefined : undefined,
    };
  };
}

function evaluate(expression: (json: Json) => Json, json: Json): Json {
  try {
    return expression(json);
  } catch (cause) {
    throw new UpstreamError("unreadable", "returned a response that does not match its profile.", { cause });
  }
}

function unreadable(): UpstreamError {
  return new UpstreamError("unreadable", "returned a response that does not match its profile.");
}
