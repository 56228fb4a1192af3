import { setImmediate } from "node:timers/promises";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import {
  createIndexWriter,
  createSegmentBuilder,
  emptySnapshot,
  type IndexWriter,
  type Languages,
  partDocuments,
  readSnapshot,
  type SegmentBuilder,
  type SegmentHandle,
  snapshotOf,
} from "@product-search/text-index";
import { type ChooseDocuments, chooseAll } from "./apply-changes.ts";
import { type CatalogLog, catalogIdentity } from "./catalog-log.ts";
import { type FacetAttributeLists, FacetAttributes } from "./facet-attributes.ts";
import { toIndexDocument } from "./to-index.ts";

/** The rows of a part of the index. */
export interface PartRows {
  readonly after: number;
  readonly through: number;
  /** The codes of the languages of the catalog. */
  readonly languages: readonly string[];
  /** Default: the first ones that the part has. */
  readonly facets?: FacetAttributeLists;
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
  const facets = new FacetAttributes(rows.facets, rows.facets !== undefined);
  const builder = await collect(log, languages, rows, facets);
  return builder.documents === 0 ? undefined : builder.buildPart();
}

/** The index of all products, and which of their attributes are facets. */
export interface BuiltIndex {
  /** Undefined if there are no products. */
  readonly segment: SegmentHandle | undefined;
  readonly facets: FacetAttributes;
}

/**
 * Of many products, parts are built and merged; another thread builds as many of them as it can in the same time. Only if there
 * are more attributes than can be facets, they are counted, and the index is built once more.
 */
export async function buildIndex(
  log: Pick<CatalogLog, "scan">,
  languages: Languages,
  elsewhere: ElsewhereBuilt | undefined,
  partRows = partDocuments,
): Promise<BuiltIndex> {
  const segment = await buildWith(log, languages, elsewhere, partRows);
  const facets = FacetAttributes.ofIndex(segment === undefined ? emptySnapshot : snapshotOf(segment, 0));
  const chosen = facets.isFull ? await facets.chooseAgain(log) : undefined;
  if (chosen === undefined) return { segment, facets };
  return { segment: await buildWith(log, languages, elsewhere, partRows, chosen.lists), facets: chosen };
}

async function buildWith(
  log: Pick<CatalogLog, "scan">,
  languages: Languages,
  elsewhere: ElsewhereBuilt | undefined,
  partRows: number,
  lists?: FacetAttributeLists,
): Promise<SegmentHandle | undefined> {
  const chosen = {
    languages: languages.map(({ code }) => code),
    ...(lists !== undefined && { facets: lists }),
  };
  if ((await log.scan(partRows, 1)).length === 0) {
    const facets = new FacetAttributes(lists, lists !== undefined);
    const all = await collect(log, languages, { after: 0, through: partRows, ...chosen }, facets);
    return all.documents === 0 ? undefined : all.build();
  }
  const builder = createSegmentBuilder({ languages });
  let next = 0;
  const buildParts = async (build: BuildPart) => {
    for (;;) {
      const rows = { after: next, through: next + partRows, ...chosen };
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
  facets: FacetAttributes,
): Promise<SegmentBuilder> {
  const builder = createSegmentBuilder({ languages });
  for (let last: number | undefined = after; last !== undefined; ) {
    const products: StoredProduct[] = (await log.scan(last, scanBatch)).filter(
      ({ rowId }) => rowId <= through,
    );
    for (const product of products) builder.add(toIndexDocument(product, languages, facets));
    last = products.length < scanBatch ? undefined : products.at(-1)?.rowId;
    await setImmediate();
  }
  return builder;
}

/** Less than any sample has. */
const sampleStart = 10_000;

export interface RebuiltIndex {
  readonly writer: IndexWriter;
  /** What documents of further changes have of the attributes of their products. */
  readonly facets: FacetAttributes;
}

export interface OpenedIndexWriter extends RebuiltIndex {
  /** Why the saved index was not used; undefined if it was. */
  readonly rebuildReason: string | undefined;
}

/** Starts from the index saved in the folder, or builds it from the catalog if there is no usable one. */
export async function openIndexWriter(
  log: CatalogLog,
  folder: string,
  choose: ChooseDocuments,
  languages: Languages,
  elsewhere: ElsewhereBuilt | undefined,
): Promise<OpenedIndexWriter> {
  const kept = readSnapshot(folder, await catalogIdentity(log, languages));
  if (!kept.usable)
    return { ...(await rebuild(log, choose, languages, elsewhere)), rebuildReason: kept.reason };
  if (kept.snapshot.sequence > (await log.lastSequence())) {
    return {
      ...(await rebuild(log, choose, languages, elsewhere)),
      rebuildReason: "it is ahead of the catalog",
    };
  }
  return {
    writer: createIndexWriter(kept.snapshot, languages),
    facets: FacetAttributes.ofIndex(kept.snapshot),
    rebuildReason: undefined,
  };
}

/** Builds from the whole catalog. Changes during the build have later sequences and are applied afterwards. */
export async function rebuild(
  log: CatalogLog,
  choose: ChooseDocuments,
  languages: Languages,
  elsewhere?: ElsewhereBuilt,
): Promise<RebuiltIndex> {
  const sequence = await log.lastSequence();
  if (choose === chooseAll) {
    const built = await buildIndex(log, languages, elsewhere);
    return { writer: openWriter(built.segment, sequence, languages), facets: built.facets };
  }
  const facets = new FacetAttributes();
  const builder = createSegmentBuilder({ languages });
  let last = 0;
  const read = async () => {
    const products = await log.scan(last, scanBatch);
    last = products.at(-1)?.rowId ?? last;
    await setImmediate();
    return products.map((product) => toIndexDocument(product, languages, facets));
  };
  // As far as the size of a sample is certain.
  for (let documents = await read(); documents.length > 0; documents = await read()) {
    for (const document of documents) builder.add(document);
    if (builder.documents >= sampleStart) break;
  }
  const writer = openWriter(builder.documents === 0 ? undefined : builder.build(), sequence, languages);
  for (let documents = await read(); documents.length > 0; documents = await read())
    writer.apply({ upserts: choose(writer, documents), deletes: [] }, sequence);
  return { writer, facets };
}

function openWriter(segment: SegmentHandle | undefined, sequence: number, languages: Languages): IndexWriter {
  const start = segment === undefined ? emptySnapshot : snapshotOf(segment, sequence);
  return createIndexWriter({ ...start, sequence }, languages);
}
