import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startMeilisearch } from "./servers/meilisearch.ts";
import { createOpenSearchIndex } from "./servers/opensearch.ts";
import { type BenchServer, type Load, measureLoad, startOwn } from "./servers/server.ts";
import { OptionError, wholeNumber } from "./support/whole-number.ts";
import { round } from "./text/figures.ts";
import { exactQueries } from "./text/mixed-queries.ts";

export const help = `Usage: pnpm bench servers [--products N] [--queries N] [--seconds N] [--meilisearch FILE] [--opensearch URL] [--json]

The whole service beside Meilisearch and OpenSearch over HTTP on this machine: the same products, the first page of the same
queries (every word, a range of prices, sorted by price), exact totals, twenty hits as each sends them. One client, then
eight, by turns, the median of three. Import ends when a search finds everything, and is without inventing the sample.

--meilisearch FILE: its program, built with \`cargo build --release -p meilisearch\`.
--opensearch URL: a server of one node; \`pnpm servers start --only opensearch\` starts one. One shard, merged to a segment.
A server that is not named is left out.`;

const clients = [1, 8];
const rounds = 3;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      products: { type: "string", default: "100000" },
      queries: { type: "string", default: "2000" },
      seconds: { type: "string", default: "5" },
      meilisearch: { type: "string" },
      opensearch: { type: "string" },
      json: { type: "boolean" },
    },
  });
  const products = wholeNumber("--products", values.products);
  const seconds = wholeNumber("--seconds", values.seconds);
  if (values.opensearch !== undefined && !URL.canParse(values.opensearch))
    throw new OptionError(`--opensearch ${values.opensearch}: write a URL, as http://127.0.0.1:9200.`);
  const queries = exactQueries(wholeNumber("--queries", values.queries), products, 0).map(
    ({ query }) => query,
  );
  const folder = mkdtempSync(join(tmpdir(), "bench-servers-"));
  const servers: BenchServer[] = [];
  try {
    servers.push(await startOwn(join(folder, "own"), products));
    if (values.meilisearch !== undefined)
      servers.push(await startMeilisearch(values.meilisearch, join(folder, "meilisearch"), products));
    if (values.opensearch !== undefined)
      servers.push(await createOpenSearchIndex(values.opensearch, products));
    const loads = new Map(servers.map(({ name }) => [name, [] as Load[]]));
    for (const connections of clients) {
      // Warm: code is compiled, files are in memory.
      for (const server of servers) await measureLoad(server, queries, { connections, seconds });
      for (let round = 0; round < rounds; round++)
        for (const server of servers)
          loads.get(server.name)?.push(await measureLoad(server, queries, { connections, seconds }));
    }
    const figures = Object.fromEntries(
      servers.map((server) => [server.name, figuresOf(server, loads.get(server.name) ?? [])]),
    );
    console.log(values.json === true ? JSON.stringify(figures) : "");
    if (values.json !== true) console.table(figures);
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true });
  }
}

function figuresOf({ imported, diskMb }: BenchServer, loads: readonly Load[]) {
  const perClients = clients.flatMap((connections) => {
    const some = loads.filter((load) => load.connections === connections);
    const of = (name: "perSecond" | "p50Ms" | "p99Ms" | "cpuMs") => median(some.map((load) => load[name]));
    return [
      [`${connections}: a second`, round(of("perSecond"), 0)],
      [`${connections}: p50 ms`, of("p50Ms")],
      [`${connections}: p99 ms`, of("p99Ms")],
      [`${connections}: processor ms`, round(of("cpuMs"), 2)],
    ] as const;
  });
  return {
    "import s": round(imported.seconds, 1),
    "import processor s": round(imported.cpuSeconds, 1),
    "disk MB": round(diskMb, 0),
    "resident MB": round(Math.max(...loads.map(({ residentMb }) => residentMb)), 0),
    ...Object.fromEntries(perClients),
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
