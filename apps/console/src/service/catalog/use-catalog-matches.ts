import type { Product, TopProduct } from "@product-search/client";
import { useEffect, useState } from "react";
import { useService } from "../service-context.tsx";

/**
 * The catalog's entry for each product of a response, where a search for its name finds it: a response names products, but
 * carries neither images nor addresses. One after the other, and none when that fails: the response stands without.
 */
export function useCatalogMatches(products: readonly TopProduct[]): ReadonlyMap<string, Product> {
  const { client } = useService();
  const [matches, setMatches] = useState<ReadonlyMap<string, Product>>(new Map());
  const key = JSON.stringify(products);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the products are told apart by what they say.
  useEffect(() => {
    const abort = new AbortController();
    const findAll = async () => {
      for (const wanted of products) {
        // Not a catalog search, which would be counted among those of the customers.
        const { Products } = await client.searchTrial(
          { q: wanted.name.slice(0, 512), literal: true },
          { signal: abort.signal },
        );
        const match = Products.find((product) => matchKey(product) === matchKey(wanted));
        if (match) setMatches((previous) => new Map(previous).set(matchKey(wanted), match));
      }
    };
    findAll().catch(() => undefined);
    return () => abort.abort();
  }, [client, key]);
  return matches;
}

export function matchKey({ name, storeName, price }: TopProduct): string {
  return JSON.stringify([name, storeName, price]);
}
