import { setImmediate } from "node:timers/promises";
import {
  createIndexWriter,
  createSegmentBuilder,
  emptySnapshot,
  type IndexWriter,
  type Languages,
  readSnapshot,
  type SegmentHandle,
  snapshotOf,
} from "@product-search/text-index";
import { buildIndex, type ElsewhereBuilt } from "./build-index.ts";
import { type CatalogLog, catalogIdentity } from "./catalog-log.ts";
import { type ChooseDocuments, chooseAll } from "./choose-documents.ts";
import { FacetAttributes } from "./facet-attributes.ts";
import { toIndexDocument } from "./to-index-document.ts";

const scanBatch = 1000;
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
