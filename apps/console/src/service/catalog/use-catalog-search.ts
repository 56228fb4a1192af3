import type { CatalogQuery, CatalogSearchResponse, Client } from "@product-search/client";
import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";

const maxKept = 20;
const keptByClient = new WeakMap<Client, Map<string, CatalogSearchResponse>>();

/** One page of the catalog. Recent responses are kept, so that Back shows the same page at once, at the same place. */
export function useCatalogSearch(query: CatalogQuery | undefined) {
  const { client } = useService();
  const kept = keptOf(client);
  const key = query && JSON.stringify(query);
  const request = useRequest(key, async (signal) => {
    const response = await client.searchCatalog(query ?? {}, { signal });
    if (key !== undefined) keep(kept, key, response);
    return response;
  });
  const earlier = key === undefined ? undefined : kept.get(key);
  const response = request.phase === "done" ? request.response : (earlier ?? request.response);
  const isBusy = request.phase === "loading" && earlier === undefined;
  return { ...request, response: key === undefined ? undefined : response, isBusy };
}

function keptOf(client: Client): Map<string, CatalogSearchResponse> {
  const kept = keptByClient.get(client) ?? new Map<string, CatalogSearchResponse>();
  keptByClient.set(client, kept);
  return kept;
}

function keep(kept: Map<string, CatalogSearchResponse>, key: string, response: CatalogSearchResponse): void {
  kept.delete(key);
  kept.set(key, response);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
}
