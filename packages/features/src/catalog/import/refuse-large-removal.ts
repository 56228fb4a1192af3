import type { ProductSource } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { StagingFile } from "@product-search/core/ports/staging.ts";
import { FeedError } from "@product-search/feeds/formats/feed-row.ts";
import { absentProducts } from "./absent-products.ts";

/** The share of a source's products that a feed may delete by not listing them. */
const maxRemovedPercent = 20;

/**
 * Refuses a feed that lists too few of the source's products. A well-formed feed can be incomplete, for example when
 * the shop's own export failed, and a deletion loses the price history.
 */
export async function refuseLargeRemoval(
  catalogStore: Pick<CatalogStore, "countBySource" | "scan">,
  source: ProductSource,
  staging: StagingFile,
): Promise<void> {
  const stored = (await catalogStore.countBySource())[source];
  let absent = 0;
  for await (const _ of absentProducts(catalogStore, source, staging)) absent += 1;
  if (absent * 100 <= stored * maxRemovedPercent) return;
  const percent = Math.floor((absent * 100) / stored);
  throw new FeedError(
    `The feed does not list ${absent} of the ${stored} products of ${source} (${percent} %). At most ${maxRemovedPercent} % are deleted, because the feed may be incomplete. Nothing was changed. If the feed is complete, import it with --no-removal-limit.`,
  );
}
