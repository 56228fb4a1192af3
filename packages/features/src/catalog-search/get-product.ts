import type { Availability } from "@product-search/core/domain/availability.ts";
import { requireProduct } from "@product-search/core/domain/find-product.ts";
import { toAnyProduct } from "@product-search/core/domain/mapping/to-any-product.ts";
import { type Presentation, priceHistoryLimit } from "@product-search/core/domain/mapping/to-product.ts";
import { toVariant } from "@product-search/core/domain/mapping/to-variant.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { AnyProduct, ProductVariant } from "@product-search/types";

export interface GetProductDeps extends Presentation {
  catalogStore: Pick<CatalogStore, "findByIds" | "findGroup" | "priceHistories">;
}

/** As in the spec. */
const maxVariants = 250;

/** The stored product of any source, with its availability and the members of its group. */
export async function getProduct(
  deps: GetProductDeps,
  id: string,
): Promise<{ product: AnyProduct; availability: Availability; variants?: ProductVariant[] }> {
  const product = await requireProduct(deps.catalogStore, id);
  const { source, groupId, availability } = product;
  const [[history = []], members] = await Promise.all([
    deps.catalogStore.priceHistories([product.rowId], priceHistoryLimit),
    groupId === undefined ? undefined : deps.catalogStore.findGroup(source, groupId, maxVariants),
  ]);
  return {
    product: toAnyProduct(product, history, deps, { description: true, custom: true }),
    availability,
    ...(members && { variants: members.map((member) => toVariant(member, deps)) }),
  };
}
