import { compileExpression, type Json } from "./profile/expression.ts";
import type { MapItem, MappedItem } from "./profile/map-item.ts";
import type { Profile } from "./profile/profile.ts";
import { UpstreamError } from "./upstream-error.ts";

/** The contents of one response of the marketplace. */
export interface Page {
  items: MappedItem[];
  /** The number of matches, if the marketplace reports it. */
  total: number | undefined;
  /** The cursor of the next page, if there is one. */
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
    // An empty result often has no list. Any other value in its place means that this is another kind of response.
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
