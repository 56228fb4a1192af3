import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { createCluster } from "@product-search/opensearch/cluster/cluster.ts";
import { runCommand } from "./rehearsal/load/imports.ts";
import { createLeaseReader } from "./rehearsal/load/takeover.ts";
import { type RehearsedCluster, startCluster } from "./rehearsal/start-cluster.ts";
import { wholeNumber } from "./support/whole-number.ts";

const help = `Usage: pnpm bench paused-leader [--seconds N] [--products N] [--json]

Pauses (SIGSTOP) the node that writes the text index in OpenSearch while it builds a new one, and continues it:

  --seconds N   of the pause (default 30)
  --products N  in the catalog (default 4000); more of them make the build longer

takeoverSeconds: until another node had the job. builtSeconds: until that node had built an index. changedAfter: how often the
indexes, their aliases or the records of their progress changed in ten seconds after the former leader went on. Ends with 1 if
there was a change. logged: refusals in its log; often none, because it notices the lost lease first. PostgreSQL, one OpenSearch node and two service nodes are started for this.`;

const alias = "product-search-text";
const watchedMs = 10_000;
const sampleTimeoutMs = 600_000;
const environment = { SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };
const report = (line: string) => console.error(line);

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: "30" },
      products: { type: "string", default: "4000" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const [products, seconds] = [
    wholeNumber("--products", values.products),
    wholeNumber("--seconds", values.seconds),
  ];
  const { signal } = new AbortController();
  const cluster = await startCluster({
    serviceNodes: 2,
    searchNodes: 1,
    isDirect: true,
    environment,
    report,
    signal,
  });
  try {
    const sample = ["sample", "--products", String(products), "--json"];
    await runCommand(sample, cluster.commandEnvironment, sampleTimeoutMs);
    const figures = await pauseLeader(cluster, products, seconds);
    console.log(values.json ? JSON.stringify(figures) : figures);
    if (figures.changedAfter > 0) process.exitCode = 1;
  } finally {
    await cluster.close();
  }
}

async function pauseLeader(cluster: RehearsedCluster, products: number, seconds: number) {
  const view = openView(cluster, products);
  try {
    const { leader, number } = await pauseInBuild(cluster, view);
    const pausedMs = performance.now();
    if ((await view.get(`/_alias/${alias}`)) !== undefined)
      throw new Error("The index was complete before the pause: try again with more products.");
    await until(async () => ((await view.lease())?.number === number ? undefined : true));
    const takeoverSeconds = secondsSince(pausedMs);
    await until(view.built);
    const builtSeconds = secondsSince(pausedMs);
    await delay(Math.max(0, pausedMs + seconds * 1000 - performance.now()));
    const before = await view.everything();
    leader.process.resume();
    report(`${leader.name} goes on.`);
    const changedAfter = await countChanges(view, before);
    const log = readFileSync(join(cluster.folder, `${leader.name}.log`), "utf8").split("\n");
    const logged = log.filter((line) => line.includes("not indexed for a moment")).length;
    return { pausedSeconds: seconds, takeoverSeconds, builtSeconds, changedAfter, logged };
  } finally {
    await view.close();
  }
}

/** Pauses the leader when it has created an index that no search uses yet. */
async function pauseInBuild({ nodes }: RehearsedCluster, view: View) {
  const former = await until(view.built);
  const { holder, number } = await until(view.lease);
  const leader = nodes.find(({ process }) => String(process.pid()) === holder.split(" ")[1]);
  if (leader === undefined) throw new Error(`No node has the lease of ${holder}.`);
  await view.deleteIndex(former);
  const half = await until(async () => Object.keys((await view.get(`/${alias}-v*`)) ?? {})[0]);
  leader.process.pause();
  report(`${leader.name} is paused while it builds ${half}.`);
  return { leader, number };
}

async function countChanges(view: View, before: unknown): Promise<number> {
  let known = before;
  let changes = 0;
  for (const startedMs = performance.now(); performance.now() < startedMs + watchedMs; await delay(100)) {
    const now = await view.everything();
    if (!isDeepStrictEqual(now, known)) changes += 1;
    known = now;
  }
  return changes;
}

type View = ReturnType<typeof openView>;

/** What OpenSearch and PostgreSQL have. */
function openView({ commandEnvironment, databaseUrl }: RehearsedCluster, products: number) {
  const search = createCluster({ nodes: [commandEnvironment.SEARCH_URL ?? ""] });
  const leases = createLeaseReader(databaseUrl);
  const get = async (path: string) =>
    (await search.request({ method: "GET", path }).catch(() => undefined)) as object | undefined;
  return {
    get,
    deleteIndex: (name: string) => search.request({ method: "DELETE", path: `/${name}` }),
    lease: async () => (await leases.read()).find(({ job }) => job === "text-index"),
    /** The name of the index behind the alias, when it is complete. */
    built: async () => {
      const { count } = ((await get(`/${alias}/_count`)) ?? {}) as { count?: number };
      return count === products ? Object.keys((await get(`/_alias/${alias}`)) ?? {})[0] : undefined;
    },
    everything: async () => ({
      indexes: await get(`/${alias}*`),
      records: await hitsOf(get(`/${alias}-state/_search?size=100&version=true`)),
    }),
    async close() {
      leases.close();
      await search.close();
    },
  };
}

async function hitsOf(response: Promise<unknown>): Promise<unknown> {
  return ((await response) as { hits?: { hits: unknown } } | undefined)?.hits?.hits;
}

async function until<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  for (const startedMs = performance.now(); performance.now() < startedMs + 120_000; await delay(5)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error("What was waited for did not happen within two minutes.");
}

const secondsSince = (startMs: number) => Math.round((performance.now() - startMs) / 100) / 10;
