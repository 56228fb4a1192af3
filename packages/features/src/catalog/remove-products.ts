import type { CatalogStore, RemoveOutcome } from "@product-search/core/ports/catalog-store.ts";
import { applyPaced } from "./apply-paced.ts";

export interface RemovedProduct {
  id: string;
  outcome: Exclude<RemoveOutcome, "outdated">;
}

/** Removes products by `_id`, in short transactions. Indexes and images follow within a second. */
export async function removeProducts(
  { catalogStore }: { catalogStore: Pick<CatalogStore, "remove" | "pace"> },
  ids: readonly string[],
): Promise<RemovedProduct[]> {
  const wanted = [...new Set(ids)];
  const outcomes: RemoveOutcome[] = [];
  for await (const batch of applyPaced(wanted, (some) => catalogStore.remove(some), catalogStore.pace))
    outcomes.push(...batch);
  return wanted.map((id, at) => ({ id, outcome: outcomes[at] === "removed" ? "removed" : "absent" }));
}
