/** One new price of a product. Prices of a product are never used twice, so that each effect has one cause. */
export interface PriceWrite {
  price: number;
  startedMs: number;
  /** When the import ended with success; undefined if it failed or was killed: then it may or may not take effect. */
  acknowledgedMs?: number;
}

export interface WebhookWrite {
  path: string;
  acknowledgedMs?: number;
}

/** What clients of the cluster asked for, and what was acknowledged to them. */
export interface Ledger {
  /** By key. The writes of a product are in the order in which they were started, one after the other. */
  products: Map<string, PriceWrite[]>;
  webhooks: WebhookWrite[];
}

export function createLedger(): Ledger {
  return { products: new Map(), webhooks: [] };
}

/** Notes that an import with these prices starts. Returns the function that notes its success. */
export function noteImport(
  { products }: Ledger,
  prices: ReadonlyMap<string, number>,
): (atMs: number) => void {
  const startedMs = Date.now();
  const writes = [...prices].map(([key, price]) => {
    const write: PriceWrite = { price, startedMs };
    products.set(key, [...(products.get(key) ?? []), write]);
    return write;
  });
  return (atMs) => {
    for (const write of writes) write.acknowledgedMs = atMs;
  };
}
