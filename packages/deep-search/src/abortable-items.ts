import { abortable } from "@product-search/core/domain/abortable.ts";

/** The items of an iterable, until the signal aborts. */
export async function* abortableItems<Item>(
  items: AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await abortable(iterator.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited: if the iterator hangs, its return hangs too.
    iterator.return?.().catch(() => undefined);
  }
}
