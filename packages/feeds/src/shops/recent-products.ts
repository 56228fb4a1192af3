/** The maximum number of characters that are kept of earlier rows, however long a table is. */
export const maxKeptLength = 16_000_000;

/**
 * The products that later rows of a table may refer to: the ones used last, up to a limit of characters. Shops write the rows
 * of a product one after the other, or close to each other, so the oldest ones are not needed any more.
 */
export function createRecentProducts<Product>(
  lengthOf: (product: Product) => number,
  maxLength = maxKeptLength,
) {
  const products = new Map<string, Product>();
  let length = 0;
  const remove = (key: string): Product | undefined => {
    const product = products.get(key);
    if (product !== undefined) length -= lengthOf(product);
    products.delete(key);
    return product;
  };
  const set = (key: string, product: Product) => {
    remove(key);
    products.set(key, product);
    length += lengthOf(product);
  };
  return {
    get(key: string): Product | undefined {
      const product = remove(key);
      if (product !== undefined) set(key, product);
      return product;
    },
    set(key: string, product: Product): void {
      set(key, product);
      for (const oldest of products.keys()) {
        if (length <= maxLength) break;
        remove(oldest);
      }
    },
    take: remove,
  };
}

/** The characters of values, and something for each value. */
export function lengthOfRow(row: ReadonlyMap<string, readonly string[]>): number {
  let length = 0;
  for (const values of row.values()) for (const value of values) length += value.length + 100;
  return length;
}
