import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { OptionError, runChild, wholeNumber } from "./support/whole-number.ts";
import type { BuildFigures } from "./text/build-index.ts";
import { round } from "./text/figures.ts";
import type { Fts5Figures } from "./text/measure-fts5.ts";
import type { HttpFigures } from "./text/measure-http.ts";
import type { IndexFigures } from "./text/measure-index.ts";
import { besideTantivy, buildPeer, measureTantivy, type PeerFigures } from "./text/measure-tantivy.ts";
import { exactQueries, isExact, type MixedQuery, mixedQueries } from "./text/mixed-queries.ts";

export const help = `Usage: pnpm bench text [--products N] [--queries N] [--seconds N] [--no-fts5] [--no-http] [--vs tantivy] [--json]

Builds the sample at that size and asks 200 mixed queries: broad, selective, three to four words, misspelt, the beginning
of a word, with a price filter, sorted by price, deep pages. In this process's children, with one thread and with two,
over HTTP with one and with two, and beside SQLite FTS5 with the same fields and queries (AND, porter stems): plain, and
tuned (it ranks the first 3000 matches only). Both give a page and the exact total.
mismatches: queries of ten hits or more whose total differs from that of FTS5; misspelt words and beginnings are left out,
and so are synonyms when the totals are compared.

--vs tantivy: also Tantivy, the Rust library, with the same fields, their weights, English stems, one segment, the same
queries without misspelt words and beginnings, on one thread and on two. cargo builds its program, apps/bench/peers/tantivy;
without cargo or the crates it is skipped. Both columns are of these queries alone, building is without inventing the
sample, ratio is Tantivy's figure divided by ours, and mismatches are as above.`;

/** With fewer hits than this, the index adds hits that lack a word or are spelt otherwise, which its peers do not. */
const relaxedBelow = 10;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      products: { type: "string", default: "100000" },
      queries: { type: "string", default: "200" },
      seconds: { type: "string", default: "5" },
      fts5: { type: "boolean", default: true },
      http: { type: "boolean", default: true },
      vs: { type: "string" },
      json: { type: "boolean" },
    },
  });
  const { products, queries, seconds } = values;
  for (const name of ["products", "queries", "seconds"] as const) wholeNumber(`--${name}`, values[name]);
  if (values.vs !== undefined && values.vs !== "tantivy")
    throw new OptionError(`--vs ${values.vs}: write tantivy.`);
  const hasPeer = values.vs === "tantivy" && (await buildPeer());
  const folder = mkdtempSync(join(tmpdir(), "bench-text-"));
  try {
    const index = join(folder, "index");
    const built = await runChild<BuildFigures>("text/build-index", [index, products]);
    const read = await runChild<IndexFigures>("text/measure-index", [index, products, queries, seconds]);
    const fts5 = values.fts5
      ? await runChild<Fts5Figures>("text/measure-fts5", [folder, products, queries])
      : undefined;
    const http = values.http
      ? await runChild<HttpFigures>("text/measure-http", [folder, products, queries, seconds])
      : undefined;
    const numbers = [Number(products), Number(queries), Number(seconds)] as const;
    const peer = hasPeer ? await measureTantivy(folder, index, numbers) : undefined;
    report(numbers[0], numbers[1], { built, read, fts5, http, peer }, values.json === true);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Parts {
  readonly built: BuildFigures;
  readonly read: IndexFigures;
  readonly fts5: Fts5Figures | undefined;
  readonly http: HttpFigures | undefined;
  readonly peer: PeerFigures | undefined;
}

function report(
  products: number,
  queries: number,
  { built, read, fts5, http, peer }: Parts,
  asJson: boolean,
): void {
  const figures = {
    products,
    buildSeconds: round(built.buildSeconds, 1),
    buildCpuSeconds: round(built.buildCpuSeconds, 1),
    buildPeakMb: round(built.buildPeakMb, 0),
    loadSeconds: round(read.loadSeconds, 2),
    rssMb: round(read.rssMb, 0),
    diskMb: round(built.diskMb, 0),
    p50Ms: round(read.p50Ms, 3),
    p99Ms: round(read.p99Ms, 3),
    meanMs: round(read.meanMs, 3),
    meanCpuMs: round(read.meanCpuMs, 3),
    qps1: round(read.qps1, 0),
    qps2: round(read.qps2, 0),
    ...(fts5 && {
      ratioToFts5: round(fts5.plain.meanMs / read.meanMs, 1),
      ratioToFts5Tuned: round(fts5.tuned.meanMs / read.meanMs, 1),
      fts5MeanMs: round(fts5.plain.meanMs, 2),
      fts5P99Ms: round(fts5.plain.p99Ms, 1),
      fts5TunedMeanMs: round(fts5.tuned.meanMs, 2),
      fts5BuildSeconds: round(fts5.buildSeconds, 1),
      mismatches: mismatches(mixedQueries(queries, products, 0), read.totals, fts5.totals).length,
    }),
    ...http,
  };
  const beside = peer && {
    ...besideTantivy(built, peer),
    mismatches: mismatches(exactQueries(queries, products, 0), peer.read.totals, peer.tantivy.totals),
  };
  if (asJson) {
    console.log(JSON.stringify({ ...figures, ...(beside && { tantivy: beside }) }));
    return;
  }
  console.table(figures);
  console.table(read.meanMsByKind);
  if (beside === undefined) return;
  const { mismatches: differences, ...table } = beside;
  console.table(table);
  console.log(`Totals that differ from those of Tantivy: ${differences.length}`);
  for (const { text, ours, theirs } of differences) console.log(`  ${text}: ours ${ours}, Tantivy ${theirs}`);
}

function mismatches(queries: readonly MixedQuery[], ours: readonly number[], theirs: readonly number[]) {
  return queries
    .map(({ kind, query: { text } }, i) => ({ kind, text, ours: ours[i] ?? 0, theirs: theirs[i] ?? 0 }))
    .filter((one) => isExact(one.kind) && one.theirs >= relaxedBelow && one.ours !== one.theirs);
}
