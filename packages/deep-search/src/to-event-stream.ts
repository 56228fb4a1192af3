import { ApiError } from "@product-search/core/errors.ts";
import type { DeepSearchEvent } from "./deep-search-event.ts";

interface NamedEvent {
  event: string;
  data: unknown;
}

/**
 * The events as they are sent. An error before the first event is thrown and gets an error status. A later error can only be
 * reported in the stream.
 */
export async function toEventStream(
  events: AsyncIterable<DeepSearchEvent>,
  requestId: string,
): Promise<AsyncIterable<NamedEvent>> {
  const iterator = events[Symbol.asyncIterator]();
  const first = await iterator.next();
  return nameEvents(first, iterator, requestId);
}

async function* nameEvents(
  first: IteratorResult<DeepSearchEvent>,
  iterator: AsyncIterator<DeepSearchEvent>,
  requestId: string,
): AsyncGenerator<NamedEvent> {
  try {
    for (let next = first; next.done !== true; next = await iterator.next()) {
      yield { event: next.value.type, data: next.value };
    }
  } catch (error) {
    yield { event: "error", data: errorEvent(error, requestId) };
  } finally {
    await iterator.return?.();
  }
}

function errorEvent(error: unknown, requestId: string): object {
  const isUnavailable = error instanceof ApiError && error.code === "unavailable";
  return {
    type: "error",
    status: "error",
    message: isUnavailable ? error.message : "The answer failed because of an internal error. Try again.",
    code: isUnavailable ? "unavailable" : "internal_error",
    requestId,
  };
}
