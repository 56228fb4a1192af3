import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { SqliteStores } from "@product-search/api/compose/stores/sqlite-stores.ts";
import type { RuleDefinition } from "@product-search/core/ports/rule-store.ts";
import autocannon from "autocannon";
import { type BenchService, startBenchService } from "./support/bench-service.ts";
import { wholeNumber } from "./support/whole-number.ts";
import { mixedQueries } from "./text/mixed-queries.ts";
import { fillCatalog } from "./text/text-service.ts";

const help = `Usage: pnpm bench merchandising [--products N] [--turns N] [--requests N] [--data FOLDER] [--json]

What counting searches and 1,000 rules cost a search of the catalog over HTTP. Four services with the same catalog are
asked the same queries by turns: one plain, one that counts (ANALYTICS_DAYS=30), one with 1,000 rules, of which one applies
to each query (a pin, a hidden product, a boost or one below 1), and one with 1,000 rules, of which these four apply to
each. The catalog is kept in --data.`;

const kinds = ["plain", "counted", "ruled", "ruledByFour"] as const;
type Kind = (typeof kinds)[number];
const connections = 4;
const ruleCount = 1000;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      products: { type: "string", default: "100000" },
      turns: { type: "string", default: "6" },
      requests: { type: "string", default: "1000" },
      data: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const products = wholeNumber("--products", values.products);
  const turns = wholeNumber("--turns", values.turns);
  const amount = wholeNumber("--requests", values.requests);
  const folder = values.data ?? mkdtempSync(join(tmpdir(), "bench-merchandising-"));
  const queries = mixedQueries(200, products, 7).map(({ query }) => query.text);
  const services = await startServices(folder, products, queries);
  try {
    const ask = async (kind: Kind) => measure(services[kind], queries, amount);
    for (const kind of kinds) await ask(kind);
    const rows: Record<Kind, Figures>[] = [];
    for (let turn = 0; turn < turns; turn++) {
      const order = kinds.map((_, at) => kinds[(at + turn) % kinds.length] ?? "plain");
      const row: Partial<Record<Kind, Figures>> = {};
      for (const kind of order) row[kind] = await ask(kind);
      const { plain, counted, ruled, ruledByFour } = row;
      if (plain && counted && ruled && ruledByFour) rows.push({ plain, counted, ruled, ruledByFour });
    }
    const report = Object.fromEntries(
      kinds.map((kind) => [kind, summary(rows.map((row) => ({ own: row[kind], plain: row.plain })))]),
    );
    if (values.json) console.log(JSON.stringify({ products, turns, requests: amount, ...report }));
    else console.table(report);
  } finally {
    for (const service of Object.values(services)) await service.close();
    if (values.data === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function startServices(
  folder: string,
  products: number,
  queries: readonly string[],
): Promise<Record<Kind, BenchService>> {
  const plain = join(folder, "plain");
  mkdirSync(plain, { recursive: true });
  // Once by itself, so that the others are copied with the index of the text.
  const first = await startBenchService({
    dataDir: plain,
    async fill(stores) {
      if ((await stores.catalogStore.lastSequence()) === 0) await fillCatalog(stores, products);
    },
  });
  await first.close();
  for (const kind of kinds)
    if (!existsSync(join(folder, kind))) cpSync(plain, join(folder, kind), { recursive: true });
  return {
    plain: await startBenchService({ dataDir: plain }),
    counted: await startBenchService({
      dataDir: join(folder, "counted"),
      environment: () => ({ ANALYTICS_DAYS: "30" }),
    }),
    ruled: await startBenchService({
      dataDir: join(folder, "ruled"),
      fill: (stores) => writeRules(stores, queries, 1),
    }),
    ruledByFour: await startBenchService({
      dataDir: join(folder, "ruledByFour"),
      fill: (stores) => writeRules(stores, queries, 4),
    }),
  };
}

/** As many rules as a store holds: those of the queries apply, the others must cost nothing. */
async function writeRules(
  { unitOfWork, ruleStore, catalogStore }: SqliteStores,
  queries: readonly string[],
  rulesOfQuery: number,
) {
  if ((await ruleStore.read()).rules.length > 0) return;
  const products = await catalogStore.scan(0, 100);
  const idOf = (at: number) => products[at % products.length]?.id ?? "";
  const categories = [...new Set(products.flatMap(({ category }) => category ?? []))];
  const categoryOf = (at: number) => categories[at % categories.length] ?? "";
  const rules = Array.from({ length: ruleCount }, (_, at): RuleDefinition => {
    const query = queries[Math.floor(at / rulesOfQuery) % queries.length] ?? "";
    const when = at < queries.length * rulesOfQuery ? { query } : { query: `nobody searches this ${at}` };
    const name = `Rule ${at}`;
    if (at % 4 === 0) return { name, when, pin: [{ productId: idOf(at), position: 1 }] };
    if (at % 4 === 1) return { name, when, hide: [idOf(at)] };
    return { name, when, boost: [{ categories: [categoryOf(at)], factor: at % 4 === 2 ? 2 : 0.5 }] };
  });
  const actor = { kind: "command", user: "bench", host: "here" } as const;
  await unitOfWork.transact(actor, async (stores) => {
    for (const rule of rules) await stores.ruleStore.create(rule);
  });
}

interface Figures {
  /** Of a request, with a few connections. */
  latencyMs: number;
  /** Of the service's process, for a request. */
  processorMs: number;
}

async function measure(service: BenchService, queries: readonly string[], amount: number): Promise<Figures> {
  const before = service.processorMs();
  const { latency, non2xx, errors } = await autocannon({
    url: service.root,
    connections,
    amount,
    requests: queries.map((query) => ({
      path: `/api/v1/search/catalog?q=${encodeURIComponent(query)}`,
      headers: { authorization: `Bearer ${service.token}` },
    })),
  });
  if (non2xx + errors > 0) throw new Error(`${non2xx + errors} of ${amount} requests failed.`);
  return { latencyMs: latency.mean, processorMs: (service.processorMs() - before) / amount };
}

/** Medians over the turns, and of the pairs with the plain service that was asked in the same turn. */
function summary(pairs: ReadonlyArray<{ own: Figures; plain: Figures }>) {
  const of = (value: (pair: { own: Figures; plain: Figures }) => number) => round(median(pairs.map(value)));
  return {
    latencyMs: of(({ own }) => own.latencyMs),
    moreLatencyMs: of(({ own, plain }) => own.latencyMs - plain.latencyMs),
    latencyRatio: of(({ own, plain }) => own.latencyMs / plain.latencyMs),
    processorMs: of(({ own }) => own.processorMs),
    moreProcessorMs: of(({ own, plain }) => own.processorMs - plain.processorMs),
    processorRatio: of(({ own, plain }) => own.processorMs / plain.processorMs),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
