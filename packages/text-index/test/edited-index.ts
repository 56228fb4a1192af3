import {
  createIndexWriter,
  createSegmentBuilder,
  emptySnapshot,
  type IndexDocument,
  type IndexWriter,
  openIndex,
  type SearchQuery,
  snapshotOf,
  type TextIndex,
} from "../src/index.ts";
import type { Edit } from "./arbitraries.ts";
import { NaiveIndex } from "./naive-index.ts";

/** Makes all edits, one batch each. */
export function replay(history: readonly Edit[]): { writer: IndexWriter; naive: NaiveIndex } {
  const writer = createIndexWriter(emptySnapshot);
  const naive = new NaiveIndex();
  history.forEach((edit, i) => {
    writer.apply(edit, i + 1);
    naive.apply(edit.upserts, edit.deletes);
  });
  return { writer, naive };
}

export function editedIndex(history: readonly Edit[]): { index: TextIndex; naive: NaiveIndex } {
  const { writer, naive } = replay(history);
  return { index: openIndex(writer.snapshot), naive };
}

/** An index of one segment. */
export function indexOf(documents: readonly IndexDocument[]): TextIndex {
  const builder = createSegmentBuilder();
  for (const document of documents) builder.add(document);
  return openIndex(snapshotOf(builder.build(), 1));
}

/** The hits of all pages of this size. */
export function allPages(
  index: TextIndex,
  query: Omit<SearchQuery, "offset" | "limit">,
  limit: number,
): number[] {
  const ids: number[] = [];
  for (let offset = 0; ; offset += limit) {
    const page = index.search({ ...query, offset, limit });
    ids.push(...page.rowIds);
    if (page.rowIds.length < limit) return ids;
  }
}
