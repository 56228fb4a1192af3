import type { DeepSearchEvent } from "@product-search/types";
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

/** The `data` of each server-sent event of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = stream.getReader();
  const nextLines = createLineSplitter();
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return; // an event that is not followed by an empty line is incomplete
      for (const line of nextLines(value)) {
        if (line === "" && data.length > 0) {
          yield data.join("\n");
          data = [];
        } else if (line.startsWith("data:")) {
          data.push(line.slice(line[5] === " " ? 6 : 5));
        }
      }
    }
  } finally {
    // If the consumer stops early, close the connection.
    await reader.cancel().catch(() => {});
  }
}

/** Returns the lines that each chunk completes. Lines end with CR LF, LF or CR; a chunk may end between CR and LF. */
function createLineSplitter(): (bytes: Uint8Array) => string[] {
  const decoder = new TextDecoder();
  let pending = "";
  let afterReturn = false;
  return (bytes) => {
    let text = decoder.decode(bytes, { stream: true });
    if (text === "") return [];
    if (afterReturn && text.startsWith("\n")) text = text.slice(1);
    afterReturn = text.endsWith("\r");
    const lines = (pending + text).split(/\r\n|\n|\r/);
    pending = lines.pop() ?? "";
    return lines;
  };
}
