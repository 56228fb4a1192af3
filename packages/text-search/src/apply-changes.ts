import { setImmediate, setTimeout } from "node:timers/promises";
import {
  english,
  type IndexDocument,
  type IndexWriter,
  type Languages,
  newToSample,
  openIndex,
  type SampleSize,
  type Snapshot,
  type Steps,
  type TextIndex,
} from "@product-search/text-index";
import type { CatalogLog } from "./catalog-log.ts";
import type { FacetAttributes } from "./facet-attributes.ts";
import { toIndexDocument } from "./to-index.ts";

/** Maximum number of changes per batch: few enough to take less than a second, many enough to be efficient. */
export const changeBatchSize = 4096;
/** Number of changes read from the database at once. */
const readBatchSize = 512;
/** Next to searches, work pauses after about this time. */
export const sliceMs = 4;

/** Called after each slice of work. */
export type Pause = () => Promise<void>;
/** Leaves half of a core to others, because requests wait for a busy core whatever the priority. */
export const pauseForSearches: Pause = () => setTimeout(sliceMs);
/** Only timers and replies of this thread go first, such as those that renew a lease. */
export const shortestPause: Pause = () => setImmediate();

/**
 * Applies the next changes of the catalog to the index and publishes it; false if there are none. It hardly pauses
 * if more changes are waiting than fit into a batch, so that the index does not fall behind a large import.
 */
export async function applyChanges(
  log: CatalogLog,
  writer: IndexWriter,
  publish: (snapshot: Snapshot) => void,
  pause: Pause,
  choose: ChooseDocuments = chooseAll,
  languages: Languages = [english],
  facets?: FacetAttributes,
): Promise<boolean> {
  const changes = await log.changesAfter(writer.snapshot.sequence, changeBatchSize);
  const last = changes.at(-1);
  if (last === undefined) return false;
  const pauseBetween = changes.length < changeBatchSize ? pause : shortestPause;
  const upserts: IndexDocument[] = [];
  const deletes: number[] = [];
  for (let from = 0; from < changes.length; from += readBatchSize) {
    const rowIds = changes.slice(from, from + readBatchSize).map(({ rowId }) => rowId);
    const products = await log.findByRowIds(rowIds);
    const present = new Set(products.map(({ rowId }) => rowId));
    upserts.push(
      ...choose(
        writer,
        products.map((product) => toIndexDocument(product, languages, facets)),
      ),
    );
    deletes.push(...rowIds.filter((rowId) => !present.has(rowId)));
    await pauseBetween();
  }
  publish(await inSlices(writer.add({ upserts, deletes }, last.sequence), pauseBetween));
  publish(await inSlices(writer.join(), pauseBetween));
  return true;
}

async function inSlices<Result>(steps: Steps<Result>, pause: Pause): Promise<Result> {
  for (let startedAt = performance.now(); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - startedAt < sliceMs) continue;
    await pause();
    startedAt = performance.now();
  }
}

/** Which of these documents the index should have. */
export type ChooseDocuments = (
  writer: IndexWriter,
  documents: readonly IndexDocument[],
) => readonly IndexDocument[];

export const chooseAll: ChooseDocuments = (_, documents) => documents;

/** New versions of documents in the index, and documents with words or names that the index lacks. */
export function chooseSample(size: SampleSize, languages: Languages): ChooseDocuments {
  let index: TextIndex | undefined;
  return (writer, documents) => {
    index = openIndex(writer.snapshot, index, languages);
    const unknown = documents.filter(({ id }) => !writer.has(id));
    const wanted = new Set(newToSample(index, unknown, size));
    return documents.filter((document) => wanted.has(document) || writer.has(document.id));
  };
}
