import { productId } from "@product-search/core/domain/identity.ts";
import { patchProduct } from "@product-search/core/domain/next-product.ts";
import type { FeedChange, ProductInput } from "@product-search/core/domain/product.ts";
import {
  type CatalogStore,
  type EachOutcome,
  ImportLeaseLostError,
  type ImportProgress,
} from "@product-search/core/ports/catalog-store.ts";
import type { StagedRow } from "@product-search/core/ports/imports.ts";

/** `refused`: the product would have too much with the change. */
export type RowOutcome = EachOutcome | "removed" | "notFound" | "refused";

/** What writing changes of a feed needs. */
export type CatalogWrites = Pick<
  CatalogStore,
  "apply" | "applyEach" | "remove" | "findByIds" | "findGroup" | "rowIdsOf" | "batchMs"
>;

/**
 * Applies staged rows in their order. Adjacent rows of the same kind are one transaction, which also records the progress
 * of the import: after a crash it continues with the first row that was not applied. Rows of products that were changed
 * after `notAfterMs` are outdated.
 */
export async function applyRun(
  catalogStore: CatalogStore,
  rows: readonly StagedRow[],
  running: Omit<ImportProgress, "position">,
  notAfterMs: number | undefined,
): Promise<RowOutcome[]> {
  if (notAfterMs === undefined) return applyInOrder(catalogStore, rows, running);
  const ids = rows.map(({ change: { source, key } }) => productId(source, key));
  const stored = await catalogStore.findByIds(ids);
  const newer = new Set(stored.filter(({ updatedAtMs }) => updatedAtMs > notAfterMs).map(({ id }) => id));
  const isOutdated = (at: number) => newer.has(ids[at] ?? "");
  const current = rows.filter((_, at) => !isOutdated(at));
  const outcomes = (await applyInOrder(catalogStore, current, running)).values();
  return rows.map((_, at) => (isOutdated(at) ? "outdated" : (outcomes.next().value ?? "failed")));
}

/** Changes of different products that belong to no import, in one transaction for each kind of change. */
export async function applyChanges(
  catalogStore: CatalogWrites,
  changes: readonly FeedChange[],
): Promise<RowOutcome[]> {
  const byKind = Map.groupBy(changes.keys(), (at) => kindOf(changes[at]));
  const outcomes = new Map<number, RowOutcome>();
  for (const places of byKind.values()) {
    const alike = places.flatMap((at) => changes[at] ?? []);
    for (const [index, outcome] of (await applyAlike(catalogStore, alike)).entries())
      outcomes.set(places[index] ?? -1, outcome);
  }
  return changes.map((_, at) => outcomes.get(at) ?? "failed");
}

async function applyInOrder(
  catalogStore: CatalogStore,
  rows: readonly StagedRow[],
  running: Omit<ImportProgress, "position">,
): Promise<RowOutcome[]> {
  const outcomes: RowOutcome[] = [];
  for (let from = 0; from < rows.length; ) {
    const kind = kindOf(rows[from]?.change);
    let to = from + 1;
    while (to < rows.length && kindOf(rows[to]?.change) === kind) to += 1;
    const changes = rows.slice(from, to).map(({ change }) => change);
    const progress = { ...running, position: rows[to - 1]?.position ?? 0 };
    outcomes.push(...(await applyAlike(catalogStore, changes, progress)));
    from = to;
  }
  return outcomes;
}

/** All in one transaction, which is fast. If that fails, one by one, so that one bad product does not stop an import. */
export async function applyTolerantly(
  catalogStore: Pick<CatalogStore, "apply" | "applyEach">,
  inputs: readonly ProductInput[],
  progress?: ImportProgress,
): Promise<EachOutcome[]> {
  try {
    return await catalogStore.apply(inputs, progress);
  } catch (error) {
    if (error instanceof ImportLeaseLostError) throw error;
    return catalogStore.applyEach(inputs, progress);
  }
}

function kindOf(change: FeedChange | undefined): "input" | "patch" | "removal" {
  if (change === undefined || !("patch" in change || "removed" in change)) return "input";
  return "patch" in change ? "patch" : "removal";
}

async function applyAlike(
  catalogStore: CatalogWrites,
  changes: readonly FeedChange[],
  progress?: ImportProgress,
): Promise<RowOutcome[]> {
  const inputs = changes.filter((change): change is ProductInput => kindOf(change) === "input");
  // Most imports have only whole products, whose identifiers are not needed here: each costs a hash.
  if (inputs.length === changes.length) return applyTolerantly(catalogStore, inputs, progress);
  const ids = changes.map(({ source, key }) => productId(source, key));
  if (changes.some((change) => "removed" in change)) {
    const outcomes = await catalogStore.remove(ids, progress);
    return outcomes.map((outcome) => (outcome === "absent" ? "notFound" : outcome));
  }
  return applyPatches(catalogStore, changes, ids, progress);
}

async function applyPatches(
  catalogStore: CatalogWrites,
  changes: readonly FeedChange[],
  ids: readonly string[],
  progress?: ImportProgress,
): Promise<RowOutcome[]> {
  const stored = await catalogStore.findByIds(ids);
  const byId = new Map(stored.map((product) => [product.id, product]));
  const inputs = changes.map((change, at): ProductInput | "notFound" | "refused" => {
    const product = byId.get(ids[at] ?? "");
    if (!("patch" in change) || product === undefined) return "notFound";
    return patchProduct(product, change) ?? "refused";
  });
  const known = inputs.filter((input) => typeof input !== "string");
  const outcomes = (await applyTolerantly(catalogStore, known, progress)).values();
  return inputs.map((input) => (typeof input === "string" ? input : (outcomes.next().value ?? "failed")));
}
