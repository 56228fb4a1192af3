import { parseArgs } from "node:util";
import { runningSearchNodes, searchUrl, startOpenSearch, stopOpenSearch } from "./opensearch.ts";
import { isPostgresRunning, postgresUrl, startPostgres, stopPostgres } from "./postgres.ts";
import { ServersError } from "./run.ts";

const usage = `Usage: pnpm servers <start|stop|status> [options]

Runs PostgreSQL and OpenSearch on this machine, for development and tests. The first start installs them into a cache
folder: pinned versions, checked against the checksums in scripts/servers.

Options:
  --only postgres|opensearch  only one of the two
  --search-nodes N            how many OpenSearch nodes, 1 to 3 (default 1)
  --json                      print the result as JSON

Examples:
  pnpm servers start                     prints DATABASE_URL=… and SEARCH_URL=…
  pnpm servers start --only postgres     a second, and no Java
  pnpm servers start --search-nodes 3    a cluster
  pnpm servers status --json
  pnpm servers stop`;

const report = (line: string) => console.error(line);

async function start(only: string | undefined, nodes: number): Promise<void> {
  if (only !== "opensearch") await startPostgres(report);
  if (only !== "postgres") await startOpenSearch(nodes, report);
}

async function stop(only: string | undefined): Promise<void> {
  if (only !== "opensearch") await stopPostgres();
  if (only !== "postgres") await stopOpenSearch();
}

function printStatus(asJson: boolean): void {
  const nodes = runningSearchNodes();
  const running = {
    ...(isPostgresRunning() && { DATABASE_URL: postgresUrl() }),
    ...(nodes.length > 0 && { SEARCH_URL: searchUrl(nodes) }),
  };
  if (asJson) console.log(JSON.stringify(running));
  else if (Object.keys(running).length === 0) console.log("No server is running.");
  else for (const [name, value] of Object.entries(running)) console.log(`${name}=${value}`);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        only: { type: "string" },
        "search-nodes": { type: "string", default: "1" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (cause) {
    throw new ServersError(`${cause instanceof Error ? cause.message : cause}\n\n${usage}`, { cause });
  }
}

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const [command, ...rest] = positionals;
  const { only, json, help } = values;
  if (help) {
    console.log(usage);
    return;
  }
  if (rest.length > 0) throw new ServersError(`${rest.join(" ")} is not understood.\n\n${usage}`);
  if (only !== undefined && only !== "postgres" && only !== "opensearch") {
    throw new ServersError(`--only ${only}: write postgres or opensearch.`);
  }
  if (command === "start") await start(only, Number(values["search-nodes"]));
  else if (command === "stop") await stop(only);
  else if (command !== "status") throw new ServersError(usage);
  printStatus(json);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof ServersError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
