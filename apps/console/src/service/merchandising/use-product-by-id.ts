import { type AnyProduct, isProductSearchError } from "@product-search/client";
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
      try {
        rememberProducts([(await client.getProduct(id, { signal: abort.signal })).product]);
      } catch (error) {
        if (isProductSearchError(error) && error.code === "product_not_found") kept.set(id, null);
      }
      if (!abort.signal.aborted) setProduct(kept.get(id));
    };
    enqueue(abort.signal, read);
    return () => abort.abort();
  }, [client, id]);
  return product;
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
