import { setImmediate } from "node:timers/promises";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import {
  createSegmentBuilder,
  type Languages,
  partDocuments,
  type SegmentBuilder,
  type SegmentHandle,
} from "@product-search/text-index";
import type { CatalogLog } from "./catalog-log.ts";
import { toIndexDocument } from "./to-index-document.ts";

/** The rows of a part of the index. */
export interface PartRows {
  readonly after: number;
  readonly through: number;
}

/** Builds a part, perhaps in another thread; undefined if there are no such rows. */
export type BuildPart = (rows: PartRows) => Promise<SegmentHandle | undefined>;

/** Another thread that builds parts. */
export interface ElsewhereBuilt {
  readonly build: BuildPart;
  /** Called if it could not build a part, which is then built here. */
  onError(error: unknown): void;
}

const scanBatch = 1000;

export async function buildPart(
  log: Pick<CatalogLog, "scan">,
  languages: Languages,
  rows: PartRows,
): Promise<SegmentHandle | undefined> {
  const builder = await collect(log, languages, rows);
  return builder.documents === 0 ? undefined : builder.buildPart();
}

/**
 * The index of all products; undefined if there are none. Of many, parts are built and merged; another thread builds as
 * many of them as it can in the same time.
 */
export async function buildIndex(
  log: Pick<CatalogLog, "scan">,
  languages: Languages,
  elsewhere: ElsewhereBuilt | undefined,
  partRows = partDocuments,
): Promise<SegmentHandle | undefined> {
  if ((await log.scan(partRows, 1)).length === 0) {
    const all = await collect(log, languages, { after: 0, through: partRows });
    return all.documents === 0 ? undefined : all.build();
  }
  const builder = createSegmentBuilder({ languages });
  let next = 0;
  const buildParts = async (build: BuildPart) => {
    for (;;) {
      const rows = { after: next, through: next + partRows };
      next = rows.through;
      if ((await log.scan(rows.after, 1)).length === 0) return;
      const part = await build(rows);
      if (part !== undefined) builder.addPart(part);
    }
  };
  const here: BuildPart = (rows) => buildPart(log, languages, rows);
  const lanes = [buildParts(here)];
  if (elsewhere !== undefined) {
    const there: BuildPart = async (rows) => {
      try {
        return await elsewhere.build(rows);
      } catch (error) {
        elsewhere.onError(error);
        return here(rows);
      }
    };
    lanes.push(buildParts(there));
  }
  await Promise.all(lanes);
  return builder.build();
}

async function collect(
  log: Pick<CatalogLog, "scan">,
  languages: Languages,
  { after, through }: PartRows,
): Promise<SegmentBuilder> {
  const builder = createSegmentBuilder({ languages });
  for (let last: number | undefined = after; last !== undefined; ) {
    const products: StoredProduct[] = (await log.scan(last, scanBatch)).filter(
      ({ rowId }) => rowId <= through,
    );
    for (const product of products) builder.add(toIndexDocument(product, languages));
    last = products.length < scanBatch ? undefined : products.at(-1)?.rowId;
    await setImmediate();
  }
  return builder;
}
