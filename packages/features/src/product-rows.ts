import { namedIds } from "@product-search/core/domain/identity.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";

export interface ProductRow {
  /** The `_id`. */
  id: string;
  rowId: number;
}

/** The products that these texts mean: by `_id`, else by key. Absent ones are left out. */
export async function findProductRows(
  catalogStore: Pick<CatalogStore, "rowIdsOf">,
  idsOrKeys: readonly string[],
): Promise<Map<string, ProductRow>> {
  const found = new Map<string, ProductRow>();
  for (const [id, rowId] of await catalogStore.rowIdsOf(idsOrKeys)) found.set(id, { id, rowId });
  const keys = idsOrKeys.filter((id) => !found.has(id)).map((key) => ({ key, ids: namedIds(key) }));
  if (keys.length === 0) return found;
  const rows = await catalogStore.rowIdsOf(keys.flatMap(({ ids }) => ids));
  for (const { key, ids } of keys) {
    const id = ids.find((one) => rows.has(one));
    const rowId = id === undefined ? undefined : rows.get(id);
    if (id !== undefined && rowId !== undefined) found.set(key, { id, rowId });
  }
  return found;
}
