import { createHighlight, type Highlight } from "@product-search/core/domain/highlight.ts";
import { toVariant } from "@product-search/core/domain/mapping/to-any-product.ts";
import {
  type Presentation,
  priceHistoryLimit,
  toKeptProduct,
  toProduct,
} from "@product-search/core/domain/mapping/to-product.ts";
import { fromMinor } from "@product-search/core/domain/price/money.ts";
import type { ProductWithHistory, StoredProduct } from "@product-search/core/domain/product.ts";
import { inTurn } from "@product-search/core/mechanisms/fair-queue.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { GroupOfHits, TextHits } from "@product-search/core/ports/text-search.ts";
import type { Product } from "@product-search/types";

export interface ReadProductsDeps extends Presentation {
  catalogStore: Pick<CatalogStore, "findWithHistory">;
}

/** The products of the catalog in the form of responses, in the order of `rowIds`. */
export async function readProducts(deps: ReadProductsDeps, rowIds: readonly number[]): Promise<Product[]> {
  const found = await deps.catalogStore.findWithHistory(rowIds, priceHistoryLimit);
  return found.map((product) => toKeptProduct(product, deps));
}

export interface ReadHitsDeps extends ReadProductsDeps {
  catalogStore: Pick<CatalogStore, "findWithHistory" | "findByRowIds">;
}

export interface RequestedFields {
  /** The words that are marked. */
  query: string;
  /** Of `include`. */
  included: readonly string[];
}

/** The hits of a search with what was asked about them, in their order. */
export async function readHits(
  deps: ReadHitsDeps,
  { rowIds, groups, correctedText }: Pick<TextHits, "rowIds" | "groups" | "correctedText">,
  { query, included }: RequestedFields,
): Promise<Product[]> {
  const memberIds = [...new Set((groups ?? []).flatMap((group) => group.rowIds))];
  const [found, members] = await Promise.all([
    deps.catalogStore.findWithHistory(rowIds, priceHistoryLimit),
    memberIds.length === 0 ? [] : deps.catalogStore.findByRowIds(memberIds),
  ]);
  const groupOf = new Map(rowIds.map((rowId, i) => [rowId, groups?.[i]]));
  const memberOf = new Map(members.map((member) => [member.rowId, member]));
  const mark = included.includes("highlights") ? createHighlight(correctedText ?? query) : undefined;
  const further = { description: included.includes("description"), custom: included.includes("custom") };
  const hasFurther = further.description || further.custom;
  const toShown = (hit: ProductWithHistory): Product => {
    const { product, history } = hit;
    const group = groupOf.get(product.rowId);
    const shown = hasFurther ? toProduct(product, history, deps, further) : toKeptProduct(hit, deps);
    if (mark === undefined && group === undefined) return shown;
    return {
      ...shown,
      ...(mark && { highlights: highlightsOf(product, mark) }),
      ...(group !== undefined && groupFields(group, deps)),
      ...(group !== undefined &&
        included.includes("variants") && {
          variants: group.rowIds
            .flatMap((rowId) => memberOf.get(rowId) ?? [])
            .map((member) => toVariant(member, deps)),
        }),
    };
  };
  const products: Product[] = [];
  // Descriptions may be long.
  for (const hit of found) products.push(await inTurn(toShown(hit)));
  return products;
}

function groupFields(
  { count, minPriceMinor, maxPriceMinor }: GroupOfHits,
  { currency }: ReadHitsDeps,
): Pick<Product, "variantCount" | "variantPrices"> {
  return {
    variantCount: count,
    variantPrices: { min: fromMinor(minPriceMinor, currency), max: fromMinor(maxPriceMinor, currency) },
  };
}

function highlightsOf(
  { name, description }: StoredProduct,
  mark: Highlight,
): NonNullable<Product["highlights"]> {
  const markedName = mark(name);
  const markedDescription = mark(description);
  return {
    ...(markedName !== undefined && { name: markedName }),
    ...(markedDescription !== undefined && { description: markedDescription }),
  };
}
