/** The maximum size of what is kept of earlier rows: some 50 000 products with a description of 1000 characters. */
const usualMaxBytes = 64_000_000;

/** What an entry needs beside its text. */
const entryBytes = 200;

interface Entry {
  buffer: Buffer;
  bytes: number;
}

/**
 * What later rows of a table may need of earlier ones, as JSON values: those that were used last, up to a limit. Shops write
 * the rows of a product one after the other, or in the order in which they were created.
 */
export function createRecentProducts<Product>(maxBytes = usualMaxBytes) {
  const entries = new Map<string, Entry>();
  let bytes = 0;
  let hasForgotten = false;
  /** The one that was read last: its variants often follow each other. */
  let last: { buffer: Buffer; product: Product } | undefined;

  function remove(key: string): Entry | undefined {
    const entry = entries.get(key);
    if (entry !== undefined) bytes -= entry.bytes;
    entries.delete(key);
    return entry;
  }

  function put(key: string, entry: Entry): void {
    remove(key);
    entries.set(copyOf(key), entry);
    bytes += entry.bytes;
  }

  return {
    get(key: string): Product | undefined {
      const entry = remove(key);
      if (entry === undefined) return undefined;
      put(key, entry);
      const { buffer } = entry;
      if (last?.buffer !== buffer) last = { buffer, product: JSON.parse(buffer.toString()) };
      return last.product;
    },
    /** The product by each of its names. */
    set(keys: readonly string[], product: Product): void {
      // Outside the heap, and with nothing else of the text that it was cut from.
      const buffer = Buffer.from(JSON.stringify(product));
      for (const [at, key] of keys.entries())
        put(key, { buffer, bytes: entryBytes + (at === 0 ? buffer.length : 0) });
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes) break;
        remove(oldest);
        hasForgotten = true;
      }
    },
    /** Whether the limit was reached: a product that is not here may have been above. */
    hasForgotten: () => hasForgotten,
  };
}

/** A text that is a part of another one keeps all of that in memory. */
export function copyOf(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
