import { requireProduct } from "@product-search/core/domain/find-product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { InsightStore } from "@product-search/core/ports/insight-store.ts";
import type { RelatedProductsResponse } from "@product-search/types";
import { readProducts } from "./read-hits.ts";
import { sameCategoryRows } from "./same-category.ts";
import { alikeRows, type SimilarProductsDeps } from "./similar-products.ts";

export interface RelatedProductsDeps extends SimilarProductsDeps {
  catalogStore: SimilarProductsDeps["catalogStore"] & Pick<CatalogStore, "rowIdsOf">;
  insightStore: Pick<InsightStore, "boughtTogether">;
}

type RelatedKind = RelatedProductsResponse["kind"];

/** Products for the page of another one. If there are none of the kind, those of the same category. */
export async function relatedProducts(
  deps: RelatedProductsDeps,
  id: string,
  { kind = "alike", count = 10 }: { kind?: Exclude<RelatedKind, "sameCategory">; count?: number },
  signal: AbortSignal,
): Promise<Pick<RelatedProductsResponse, "kind" | "Products">> {
  const product = await requireProduct(deps.catalogStore, id);
  const rowIds =
    kind === "alike"
      ? ((await alikeRows(deps, product, count)) ?? [])
      : await boughtRows(deps, product.id, count);
  if (rowIds.length > 0) return { kind, Products: await readProducts(deps, rowIds) };
  const others = await sameCategoryRows(deps, product, count, signal);
  return { kind: "sameCategory", Products: await readProducts(deps, others) };
}

async function boughtRows(
  { insightStore, catalogStore }: Pick<RelatedProductsDeps, "insightStore" | "catalogStore">,
  id: string,
  count: number,
): Promise<number[]> {
  const ids = await insightStore.boughtTogether(id, count);
  const rows = ids.length === 0 ? new Map<string, number>() : await catalogStore.rowIdsOf(ids);
  return ids.flatMap((one) => rows.get(one) ?? []);
}
