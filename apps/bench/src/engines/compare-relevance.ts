import type { IndexDocument, SearchQuery, SearchResult, TextIndex } from "@product-search/text-index";
import { openJudgedDocuments } from "@product-search/text-index/bench/evaluate-relevance";
import { round } from "../text/figures.ts";
import { openClusterIndex } from "./cluster-index.ts";

export interface RelevanceOfEngines {
  readonly queries: number;
  readonly embedded: number;
  readonly cluster: number;
  /** Queries whose first ten hits are not the same. */
  readonly firstTenDiffer: number;
}

/** NDCG@10 of both engines on the judged queries of a folder. */
export async function compareRelevance(
  nodes: readonly string[],
  folder: string,
  indexOf: (documents: readonly IndexDocument[]) => TextIndex,
  shards: number,
): Promise<RelevanceOfEngines> {
  const { documents, queries, depth, judge } = openJudgedDocuments(folder, 5);
  // In an index, numbers of documents start at 1.
  const numbered = documents.map((document) => ({ ...document, id: document.id + 1 }));
  const embedded = indexOf(numbered);
  const cluster = await openClusterIndex(nodes, numbered, shards);
  const rows = { embedded: new Map<string, number[]>(), cluster: new Map<string, number[]>() };
  try {
    for (const text of queries) {
      const query: SearchQuery = { text, offset: 0, limit: depth, related: depth };
      rows.embedded.set(text, rowsOf(embedded.search(query), depth));
      rows.cluster.set(text, rowsOf(await cluster.search(embedded, query), depth));
    }
  } finally {
    await cluster.close();
  }
  const firstTen = (hits: number[] | undefined) => (hits ?? []).slice(0, 10).join();
  return {
    queries: queries.length,
    embedded: round(judge((text) => rows.embedded.get(text) ?? []).ndcgAt10, 4),
    cluster: round(judge((text) => rows.cluster.get(text) ?? []).ndcgAt10, 4),
    firstTenDiffer: queries.filter(
      (text) => firstTen(rows.embedded.get(text)) !== firstTen(rows.cluster.get(text)),
    ).length,
  };
}

/** The matches, followed by products with only some of the words, as on a page. */
function rowsOf({ ids, relatedIds }: SearchResult, depth: number): number[] {
  return [...ids, ...relatedIds].slice(0, depth).map((id) => id - 1);
}
