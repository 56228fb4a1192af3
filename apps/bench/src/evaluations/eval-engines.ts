import { parseArgs } from "node:util";
import type { SearchQuery, SearchResult } from "@product-search/text-index";
import {
  createIndexWriter,
  createSegmentBuilder,
  emptySnapshot,
  type IndexDocument,
  newToSample,
  openIndex,
  snapshotOf,
  type TextIndex,
} from "@product-search/text-index";
import { openJudgedDocuments } from "@product-search/text-index/bench/evaluate-relevance";
import { serviceLanguage } from "@product-search/text-search/service-languages.ts";
import { openClusterIndex } from "../engines/cluster-index.ts";
import { compareEngines } from "../engines/compare-engines.ts";
import { variedQueries } from "../engines/varied-queries.ts";
import { OptionError, wholeNumber } from "../support/whole-number.ts";
import { round } from "../text/figures.ts";
import { sampleDocuments } from "../text/sample-documents.ts";

export const help = `Usage: pnpm eval engines --search-url URL[,URL] [options]

Asks the embedded index and OpenSearch the same queries about the same sample products (filters, attributes,
paths, groups, rules, sorts, deep pages, facets, brands, typos) and counts the replies that differ. Ends with 1 when a
total or a facet does.

Options:
  --products N    products of the sample (default 20000)
  --queries N     (default 2000)
  --seed N        (default 1)
  --shards N      of the index in OpenSearch (default 1)
  --vocabulary N  products of the sample that nodes read queries by (default: all)
  --data FOLDER   instead of the sample: the judged queries of a folder in the WANDS layout, as \`pnpm eval relevance\` has them.
                  Reports NDCG@10 of both engines; ends with 1 when they differ by more than .02
  --json`;

const readBatch = 1000;
const mostNdcgApart = 0.02;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "search-url": { type: "string" },
      products: { type: "string", default: "20000" },
      queries: { type: "string", default: "2000" },
      seed: { type: "string", default: "1" },
      shards: { type: "string", default: "1" },
      vocabulary: { type: "string" },
      data: { type: "string" },
      json: { type: "boolean" },
    },
  });
  const nodes = values["search-url"]?.split(",");
  if (nodes === undefined) throw new OptionError("--search-url: write the URL of an OpenSearch.");
  const shards = wholeNumber("--shards", values.shards);
  if (values.data !== undefined) {
    const relevance = await compareRelevance(nodes, values.data, indexOf, shards);
    if (values.json) console.log(JSON.stringify(relevance));
    else console.table(relevance);
    if (Math.abs(relevance.embedded - relevance.cluster) > mostNdcgApart) process.exitCode = 1;
    return;
  }
  const products = wholeNumber("--products", values.products);
  const count = wholeNumber("--queries", values.queries);
  const seed = wholeNumber("--seed", values.seed, 0);
  const size = wholeNumber("--vocabulary", values.vocabulary ?? values.products);
  const documents = [...sampleDocuments(products)];
  const embedded = indexOf(documents);
  const vocabulary = values.vocabulary === undefined ? embedded : sampleOf(documents, size);
  const cluster = await openClusterIndex(nodes, documents, shards);
  try {
    const queries = variedQueries(count, products, seed);
    const { examples, ...agreement } = await compareEngines(embedded, cluster, vocabulary, queries);
    const report = { products, vocabulary: vocabulary.documents, ...agreement };
    if (values.json) console.log(JSON.stringify({ ...report, examples }));
    else {
      console.table(report);
      for (const example of examples) console.log(JSON.stringify(example));
    }
    const { totalsDiffer, facetsDiffer } = agreement;
    if (totalsDiffer > 0 || facetsDiffer > 0) process.exitCode = 1;
  } finally {
    await cluster.close();
  }
}

function indexOf(documents: readonly IndexDocument[]): TextIndex {
  const builder = createSegmentBuilder();
  for (const document of documents) builder.add(document);
  return openIndex(snapshotOf(builder.build(), 0), undefined, [serviceLanguage]);
}

function sampleOf(documents: readonly IndexDocument[], size: number): TextIndex {
  const writer = createIndexWriter(emptySnapshot);
  for (let from = 0; from < documents.length; from += readBatch) {
    const batch = documents.slice(from, from + readBatch);
    const upserts = newToSample(openIndex(writer.snapshot), batch, {
      documents: size,
      words: 2 * size,
      names: 2 * size,
    });
    writer.apply({ upserts, deletes: [] }, from);
  }
  return openIndex(writer.snapshot, undefined, [serviceLanguage]);
}

interface RelevanceOfEngines {
  readonly queries: number;
  readonly embedded: number;
  readonly cluster: number;
  /** Queries whose first ten hits are not the same. */
  readonly firstTenDiffer: number;
}

/** NDCG@10 of both engines on the judged queries of a folder. */
async function compareRelevance(
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
      const query: SearchQuery = { text, offset: 0, limit: depth, relatedCount: depth };
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
function rowsOf({ rowIds: ids, relatedRowIds: relatedIds }: SearchResult, depth: number): number[] {
  return [...ids, ...relatedIds].slice(0, depth).map((id) => id - 1);
}
