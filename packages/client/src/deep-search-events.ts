import type { DeepSearchEvent } from "@product-search/types";
import { readEvents } from "./event-stream.ts";
import { failureOf, statusOf } from "./read-response.ts";

/** The events of a streamed deep search, up to `done`. Throws for an `error` event and for a stream that ends before `done`. */
export async function* deepSearchEvents(response: Response): AsyncGenerator<DeepSearchEvent, void> {
  if (response.body) {
    for await (const data of readEvents(response.body)) {
      const event = eventIn(data);
      if (!event) continue;
      if (event.type === "error")
        throw failureOf(response, statusOf.get(event.code) ?? response.status, event);
      yield event;
      if (event.type === "done") return;
    }
  }
  throw failureOf(response, response.status, "the stream ended before its answer was complete");
}

const kinds = new Set<unknown>([
  "products",
  "delta",
  "restart",
  "done",
  "error",
] satisfies DeepSearchEvent["type"][]);

/** Undefined for an unknown event: later versions may send more. */
function eventIn(data: string): DeepSearchEvent | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isEvent(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEvent(value: unknown): value is DeepSearchEvent {
  return typeof value === "object" && value !== null && "type" in value && kinds.has(value.type);
}
