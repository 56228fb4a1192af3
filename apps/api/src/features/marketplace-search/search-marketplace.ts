import type { MarketplaceASearchResponse, MarketplaceBSearchResponse } from "@product-search/types";
import type { MarketplaceListing } from "../../domain/product.ts";
import { readFilters } from "../../domain/query-understanding/read-filters.ts";
import { toBrand } from "../../domain/to-brand.ts";
import { toMarketplaceAItem, toMarketplaceBItem } from "../../domain/to-marketplace-product.ts";
import type { Presentation } from "../../domain/to-product.ts";
import { ApiError } from "../../errors.ts";
import type { Marketplace, MarketplacePage, MarketplaceSource } from "../../ports/marketplace-source.ts";
import type { TextSearch } from "../../ports/text-search.ts";
import { freshnessHeaders } from "./freshness-headers.ts";

export interface SearchMarketplaceDeps extends Presentation {
  marketplaceSources: Readonly<Record<Marketplace, MarketplaceSource>>;
  textSearch: Pick<TextSearch, "brandsNamedIn">;
  /** The marketplaces of second-hand goods. */
  secondhandSources: readonly string[];
}

export interface MarketplaceParameters {
  q: string;
  /** Read no filters in `q`. */
  literal?: boolean;
  count?: number;
  page?: number;
}

/** An answer and the headers that say how fresh it is. */
export interface MarketplaceAnswer<Body> {
  body: Body;
  headers: Record<string, string>;
}

/** Paging ends here, in either marketplace. */
const maxReach = 10_000;

export async function searchMarketplaceA(
  deps: SearchMarketplaceDeps,
  parameters: MarketplaceParameters,
  signal: AbortSignal,
): Promise<MarketplaceAnswer<MarketplaceASearchResponse>> {
  const { found, envelope, headers } = await search(deps, "marketplace-a", parameters, signal);
  const Products = numbered(found, (item) => toMarketplaceAItem(item, deps));
  return { body: { ...envelope, source: "marketplace-a", Products }, headers };
}

export async function searchMarketplaceB(
  deps: SearchMarketplaceDeps,
  parameters: MarketplaceParameters,
  signal: AbortSignal,
): Promise<MarketplaceAnswer<MarketplaceBSearchResponse>> {
  const { found, envelope, headers } = await search(deps, "marketplace-b", parameters, signal);
  const Products = numbered(found, (item) => toMarketplaceBItem(item, deps));
  return { body: { ...envelope, source: "marketplace-b", Products }, headers };
}

interface Found {
  items: readonly MarketplaceListing[];
  offset: number;
}

async function search(
  { marketplaceSources, textSearch, secondhandSources, publicUrl, currency }: SearchMarketplaceDeps,
  marketplace: Marketplace,
  { q, literal = false, count = 20, page = 1 }: MarketplaceParameters,
  signal: AbortSignal,
) {
  if (page * count > maxReach) throw beyondReach(page, count);
  const offset = (page - 1) * count;
  const [answer, brands] = await Promise.all([
    marketplaceSources[marketplace].search(
      { text: q, offset, limit: count, ...(!literal && { read: readFilters(q, currency) }) },
      signal,
    ),
    textSearch.brandsNamedIn(q),
  ]);
  return {
    found: { items: answer.items, offset },
    headers: freshnessHeaders(answer.freshness),
    envelope: {
      status: "success" as const,
      hasMore: hasMore(answer, page, count),
      count: answer.total,
      storeBrandMatch: brands.map((name) => toBrand(name, publicUrl)),
      secondhand: secondhandSources.includes(marketplace),
      page,
      limit: count,
    },
  };
}

function hasMore(answer: MarketplacePage, page: number, count: number): boolean {
  return answer.hasMore && (page + 1) * count <= maxReach;
}

function numbered<Item>(
  { items, offset }: Found,
  toItem: (listing: MarketplaceListing) => Item,
): (Item & { position: number })[] {
  return items.map((listing, at) => ({ ...toItem(listing), position: offset + at + 1 }));
}

function beyondReach(page: number, count: number): ApiError {
  return new ApiError(
    "invalid_request",
    `page: page × count is ${page * count}, but only the first ${maxReach} products can be paged through. ` +
      `With count ${count} the last page is ${Math.floor(maxReach / count)}.`,
  );
}
