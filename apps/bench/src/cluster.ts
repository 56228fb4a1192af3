import { parseArgs } from "node:util";
import { type ClusterFigures, measureCluster } from "./cluster/measure-cluster.ts";

const help = `Usage: pnpm bench cluster [--products N] [--seconds N] [--search-nodes N] [--json]

Clusters of its own with PostgreSQL, OpenSearch and one, two and three service nodes of one thread each:

  --products N      in the catalog (default 2000)
  --seconds N       of searches on each cluster, after half of that to warm up (default 20)
  --search-nodes N  OpenSearch nodes, 1 to 3 (default 1)

For searches: how many a second, and their latency, with four connections. For searches and for changed prices: processor time
for each one in every kind of part, above that of the idle cluster. All parts and the load generator share the machine: with
few cores, more nodes do not give more searches a second. The processor time of the import command is not counted.`;

const report = (line: string) => console.error(line);

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      products: { type: "string", default: "2000" },
      seconds: { type: "string", default: "20" },
      "search-nodes": { type: "string", default: "1" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stopping.abort(new Error(`Stopped by ${signal}.`)));
  }
  const clusters: ClusterFigures[] = [];
  for (const serviceNodes of [1, 2, 3]) {
    clusters.push(
      await measureCluster({
        serviceNodes,
        searchNodes: Number(values["search-nodes"]),
        products: Number(values.products),
        seconds: Number(values.seconds),
        report,
        signal: stopping.signal,
      }),
    );
  }
  if (values.json) console.log(JSON.stringify({ clusters }));
  else console.dir({ clusters }, { depth: null });
}
