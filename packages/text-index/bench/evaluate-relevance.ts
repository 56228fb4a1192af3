import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  createSegmentBuilder,
  type IndexDocument,
  type Language,
  openIndex,
  snapshotOf,
} from "../src/index.ts";
import { buildFts5, type Fts5Tokenizer, fts5Query } from "./fts5.ts";

const judgedDepth = 100;
const ndcgDepth = 10;

export interface RelevanceReport {
  readonly engine: string;
  readonly judgement: Judgement;
}

type Rank = (text: string) => readonly string[];

/** Ranks the judged queries of a folder in the WANDS layout with the text index and, for comparison, with SQLite FTS5. */
export function evaluateRelevance(folder: string, labels: number, language: Language): RelevanceReport[] {
  const set = readWands(folder);
  const queries = judgeable(set.queries, labels);
  if (queries.length === 0) throw new Error(`${folder} has no query with ${labels} labels.`);
  const engines: ReadonlyArray<readonly [string, () => Rank]> = [
    ["text-index", () => rankWithTextIndex(set, language)],
    ["FTS5 AND", () => rankWithFts5(set, "AND", "unicode61 remove_diacritics 2")],
    ["FTS5 OR", () => rankWithFts5(set, "OR", "unicode61 remove_diacritics 2")],
    ["FTS5 OR, porter", () => rankWithFts5(set, "OR", "porter unicode61 remove_diacritics 2")],
  ];
  return engines.map(([engine, open]) => ({ engine, judgement: judgeRanking(queries, open()) }));
}

export interface JudgedDocuments {
  readonly documents: readonly IndexDocument[];
  readonly queries: readonly string[];
  /** How many hits of a query are judged. */
  readonly depth: number;
  /** Judges the rows that an engine found for each query, best first. */
  judge(rows: (query: string) => readonly number[]): Judgement;
}

/** A folder in the WANDS layout, for engines that are not compared here. */
export function openJudgedDocuments(folder: string, labels: number): JudgedDocuments {
  const set = readWands(folder);
  const queries = judgeable(set.queries, labels);
  return {
    documents: toDocuments(set),
    queries: queries.map(({ text }) => text),
    depth: judgedDepth,
    judge: (rows) => judgeRanking(queries, (text) => rows(text).map((row) => set.products[row]?.id ?? "")),
  };
}

/** The products of a folder in the WANDS layout as documents; ids start at 0. */
export function readTitles(folder: string): IndexDocument[] {
  return toDocuments(readWands(folder));
}

function toDocuments({ products }: JudgedSet): IndexDocument[] {
  return products.map(({ name, category, description }, row) => ({
    id: row,
    tie: row,
    fields: { name, category, description, brand: "", store: "" },
    source: 0,
    priceMinor: 0,
    rating: 0,
    discount: 0,
    quality: 0,
    availability: 0,
  }));
}

/** The matches, followed by documents with only some of the words, as on a page with related products. */
export function rankWithTextIndex(set: JudgedSet, language: Language): Rank {
  const builder = createSegmentBuilder();
  for (const document of toDocuments(set)) builder.add(document);
  const index = openIndex(snapshotOf(builder.build(), 0), undefined, [language]);
  return (text) => {
    const { rowIds: ids, relatedRowIds: relatedIds } = index.search({
      text,
      offset: 0,
      limit: judgedDepth,
      relatedCount: judgedDepth,
    });
    return [...ids, ...relatedIds].slice(0, judgedDepth).map((row) => set.products[row]?.id ?? "");
  };
}

function rankWithFts5({ products }: JudgedSet, operator: "AND" | "OR", tokenizer: Fts5Tokenizer): Rank {
  const documents = products.map((product) => ({ ...product, brand: "", store: "" }));
  const database = buildFts5(documents, tokenizer);
  const best = database.prepare(
    `select rowid as row from documents where documents match ? order by rank limit ${judgedDepth}`,
  );
  return (text) => {
    const query = fts5Query(text, operator);
    return query === "" ? [] : best.all(query).map(({ row }) => products[Number(row) - 1]?.id ?? "");
  };
}

interface Judgement {
  readonly queries: number;
  readonly ndcgAt10: number;
  /** The share of the products judged relevant that are among the first 100. */
  readonly recallAt100: number;
  readonly withoutResult: number;
}

/** Averages over the queries. Products without a judgement count as irrelevant. */
function judgeRanking(queries: readonly JudgedQuery[], rank: (text: string) => readonly string[]): Judgement {
  const judged = queries.map(({ text, gains }) => {
    const ids = rank(text);
    const found = ids.map((id) => gains.get(id) ?? 0);
    const ideal = [...gains.values()].sort((a, b) => b - a);
    const relevant = ideal.filter((gain) => gain > 0).length;
    return {
      ndcg: discounted(found) / discounted(ideal),
      recall: found.filter((gain) => gain > 0).length / relevant,
      empty: ids.length === 0 ? 1 : 0,
    };
  });
  const mean = (pick: (entry: (typeof judged)[number]) => number) =>
    judged.reduce((sum, entry) => sum + pick(entry), 0) / judged.length;
  return {
    queries: judged.length,
    ndcgAt10: mean(({ ndcg }) => ndcg),
    recallAt100: mean(({ recall }) => recall),
    withoutResult: mean(({ empty }) => empty),
  };
}

function discounted(gains: readonly number[]): number {
  return gains.slice(0, ndcgDepth).reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0);
}

/** Queries that can be evaluated: with enough labels and at least one relevant product. */
function judgeable(queries: readonly JudgedQuery[], labels: number): JudgedQuery[] {
  return queries.filter(({ gains }) => gains.size >= labels && [...gains.values()].some((gain) => gain > 0));
}

export interface JudgedProduct {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly description: string;
}

interface JudgedQuery {
  readonly text: string;
  /** Gain of each judged product by its id: 1 exact, 0.5 partial, 0 irrelevant. */
  readonly gains: ReadonlyMap<string, number>;
}

interface JudgedSet {
  readonly products: readonly JudgedProduct[];
  readonly queries: readonly JudgedQuery[];
}

const gainOf: Readonly<Record<string, number>> = { Exact: 1, Partial: 0.5, Irrelevant: 0 };

/** Reads product.csv, query.csv and label.csv of a folder in the layout of the WANDS data set (tab separated). */
function readWands(folder: string): JudgedSet {
  const products = readTable(join(folder, "product.csv"), ["product_id", "product_name"]).map((row) => ({
    id: row.product_id ?? "",
    name: row.product_name ?? "",
    category: row.product_class ?? "",
    description: row.product_description ?? "",
  }));
  const gains = new Map<string, Map<string, number>>();
  for (const row of readTable(join(folder, "label.csv"), ["query_id", "product_id", "label"])) {
    const query = row.query_id ?? "";
    const ofQuery = gains.get(query) ?? new Map<string, number>();
    const gain = gainOf[row.label ?? ""];
    if (gain === undefined) {
      throw new Error(
        `label.csv: "${row.label}" is no label; write one of ${Object.keys(gainOf).join(", ")}.`,
      );
    }
    gains.set(query, ofQuery.set(row.product_id ?? "", gain));
  }
  const queries = readTable(join(folder, "query.csv"), ["query_id", "query"]).map((row) => ({
    text: row.query ?? "",
    gains: gains.get(row.query_id ?? "") ?? new Map<string, number>(),
  }));
  return { products, queries };
}

function readTable(path: string, needed: readonly string[]): Array<Record<string, string | undefined>> {
  const [header = [], ...rows] = parseTabSeparated(readFileSync(path, "utf8"));
  for (const column of needed) {
    if (!header.includes(column)) throw new Error(`${path} has no column "${column}": is it tab separated?`);
  }
  return rows.map((row) => Object.fromEntries(header.map((column, i) => [column, row[i]])));
}

/** A field that begins with a quote ends with one. Inside it, two quotes mean one, and tabs and line breaks are text. */
function parseTabSeparated(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r?\n|$)/y;
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (match === null) throw new Error(`cannot read a field at offset ${at}`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] !== "\t") {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}
