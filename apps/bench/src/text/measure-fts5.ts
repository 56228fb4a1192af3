// Runs as a separate process: SQLite FTS5 with the same products and queries, plain and tuned.
import { join } from "node:path";
import type { SearchQuery } from "@product-search/text-index";
import { buildFts5, fts5Query } from "@product-search/text-index/bench/fts5";
import { type Timing, timingOf } from "./figures.ts";
import { mixedQueries } from "./mixed-queries.ts";
import { sampleDocuments, searchedTexts } from "./sample-documents.ts";

export interface Fts5Figures {
  readonly buildSeconds: number;
  /** Ranks all matches. */
  readonly plain: Timing;
  /** Ranks only the first 3000 matches. */
  readonly tuned: Timing;
  readonly totals: readonly number[];
}

const [folder = "", products = "0", count = "0"] = process.argv.slice(2);
const startedAt = performance.now();
const database = buildFts5(
  fieldsOf(Number(products)),
  "porter unicode61 remove_diacritics 2",
  join(folder, "fts5.sqlite"),
);
database.exec("create table prices (id integer primary key, price integer)");
const insert = database.prepare("insert into prices values (?, ?)");
database.exec("begin");
for (const { id, priceMinor } of sampleDocuments(Number(products))) insert.run(id, priceMinor);
database.exec("commit");
const buildSeconds = (performance.now() - startedAt) / 1000;

const queries = mixedQueries(Number(count), Number(products), 0).map(({ kind, query }) => ({
  match: fts5Query(query.text, "AND") + (kind === "prefix" ? " *" : ""),
  query,
}));
const plain = queries.map((entry) => timed(entry.match, entry.query, ""));
const tuned = queries.map((entry) => timed(entry.match, entry.query, "limit 3000"));
const figures: Fts5Figures = {
  buildSeconds,
  plain: timingOf(plain.map(({ ms }) => ms)),
  tuned: timingOf(tuned.map(({ ms }) => ms)),
  totals: plain.map(({ total }) => total),
};
process.stdout.write(JSON.stringify(figures));

/** The page and the exact total, because a search service needs both. */
function timed(match: string, { filters = {}, sort, offset, limit }: SearchQuery, bound: string) {
  const { minPriceMinor: min, maxPriceMinor: max } = filters;
  const needsPrices = min !== undefined || max !== undefined || sort === "price";
  const join = needsPrices ? "join prices on prices.id = documents.rowid" : "";
  const where = `documents match @match${needsPrices ? " and price between @min and @max" : ""}`;
  const order = sort === "price" ? "price" : "score";
  const bindings = { match, ...(needsPrices && { min: min ?? 0, max: max ?? 1e15 }) };
  const start = performance.now();
  database
    .prepare(
      `select id from (select documents.rowid as id, ${needsPrices ? "price, " : ""}rank as score from documents ${join} where ${where} ${bound})
       order by ${order} limit ${limit} offset ${offset}`,
    )
    .all(bindings);
  const total = Number(
    database.prepare(`select count(*) as total from documents ${join} where ${where}`).get(bindings)?.total,
  );
  return { ms: performance.now() - start, total };
}

function* fieldsOf(count: number) {
  for (const document of sampleDocuments(count)) yield searchedTexts(document);
}
