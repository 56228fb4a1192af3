import { parseArgs } from "node:util";
import { type ClusterFigures, type ImportFigures, measureClusters } from "./cluster/measure-cluster.ts";
import { wholeNumber } from "./support/whole-number.ts";

export const help = `Usage: pnpm bench cluster [--products N] [--seconds N] [--service-nodes N] [--search-nodes N[,N…]] [--json]

Clusters of its own with PostgreSQL and service nodes of one thread each; with embedded indexes, with one OpenSearch node and
with three:

  --products N           in the catalog (default 2000)
  --seconds N            of searches, after half of that to warm up (default 20)
  --service-nodes N      measure with so many service nodes, and with each smaller number (default 3)
  --search-nodes N[,N…]  OpenSearch nodes, at most 3 each; 0 for embedded indexes (default 0,1,3)

The import of the whole catalog: seconds until all nodes find all products, memory and disk space of the largest part of each
kind. For searches (the mix of \`pnpm bench text\`): how many a second and their latency, with four connections. For the import
of 2000 changed products: seconds until they are found, and bytes of PostgreSQL's log for each one.
processorMs: processor time for each product, search or change in every kind of part, above that of the idle cluster; for the idle
cluster, for each second.
All parts and the load generator share the machine: with few cores, more nodes do not give more searches a second.`;

const report = (line: string) => console.error(line);

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      products: { type: "string", default: "2000" },
      seconds: { type: "string", default: "20" },
      "service-nodes": { type: "string", default: "3" },
      "search-nodes": { type: "string", default: "0,1,3" },
      json: { type: "boolean" },
    },
  });
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stopping.abort(new Error(`Stopped by ${signal}.`)));
  }
  const imports: ImportFigures[] = [];
  const clusters: ClusterFigures[] = [];
  const searchNodeCounts = values["search-nodes"]
    .split(",")
    .map((count) => wholeNumber("--search-nodes", count, 0, 3));
  for (const searchNodes of searchNodeCounts) {
    const measured = await measureClusters({
      serviceNodes: wholeNumber("--service-nodes", values["service-nodes"]),
      searchNodes,
      products: wholeNumber("--products", values.products),
      seconds: wholeNumber("--seconds", values.seconds),
      report,
      signal: stopping.signal,
    });
    imports.push(measured.imported);
    clusters.push(...measured.clusters);
  }
  if (values.json) console.log(JSON.stringify({ imports, clusters }));
  else console.dir({ imports, clusters }, { depth: null });
}
