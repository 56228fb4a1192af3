import { type AnyProduct, type Client, isProductSearchError } from "@product-search/client";
import { useEffect, useState } from "react";
import { useService } from "../service-context.tsx";

const maxRequests = 4;
const maxKept = 2000;

/** Products that a screen has met, by identifier; null for one that the catalog does not have. */
const kept = new Map<string, AnyProduct | null>();
const waiting: (() => void)[] = [];
let running = 0;

export function rememberProducts(products: readonly AnyProduct[]): void {
  if (kept.size > maxKept) kept.clear();
  for (const product of products) kept.set(product._id, product);
}

/**
 * The product of an identifier, null where there is none, undefined until that is clear. A rule can name hundreds: a few
 * are read at a time.
 */
export function useProductById(id: string): AnyProduct | null | undefined {
  const { client } = useService();
  const [product, setProduct] = useState(() => kept.get(id));
  useEffect(() => {
    const met = kept.get(id);
    setProduct(met);
    if (met !== undefined) return;
    const abort = new AbortController();
    const read = async () => {
      await readProduct(client, id, abort.signal);
      if (!abort.signal.aborted) setProduct(kept.get(id));
    };
    enqueue(abort.signal, read);
    return () => abort.abort();
  }, [client, id]);
  return product;
}

/** The names of products as far as they are known; the identifier of those that there are not. */
export function useProductNames(ids: readonly string[]): (id: string) => string {
  const { client } = useService();
  const [, setRead] = useState(0);
  const missing = ids.filter((id) => !kept.has(id)).join();
  useEffect(() => {
    const abort = new AbortController();
    for (const id of missing.split(",").filter(Boolean))
      enqueue(abort.signal, async () => {
        await readProduct(client, id, abort.signal);
        if (!abort.signal.aborted) setRead((count) => count + 1);
      });
    return () => abort.abort();
  }, [client, missing]);
  return (id) => kept.get(id)?.name ?? id;
}

async function readProduct(client: Client, id: string, signal: AbortSignal): Promise<void> {
  try {
    const { product } = await client.getProduct(id, { signal });
    rememberProducts([product]);
    // A rule may name it by its key.
    kept.set(id, product);
  } catch (error) {
    if (isProductSearchError(error) && error.code === "product_not_found") kept.set(id, null);
  }
}

function enqueue(signal: AbortSignal, read: () => Promise<void>): void {
  const start = async () => {
    running += 1;
    if (!signal.aborted) await read();
    running -= 1;
    waiting.shift()?.();
  };
  if (running < maxRequests) void start();
  else waiting.push(() => void start());
}
