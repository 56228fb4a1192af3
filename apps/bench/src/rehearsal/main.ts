import { parseArgs } from "node:util";
import { ServersError } from "../../../../scripts/servers/run.ts";
import { wholeNumber } from "../support/whole-number.ts";
import { missedGoals, missedSafetyGoals, type RehearsalFigures, unmeasuredGoals } from "./figures.ts";
import { rehearse } from "./rehearse.ts";

const help = `Usage: pnpm rehearse-cluster [--seconds N] [--seed N] [--search-nodes N] [--safety-only] [--json]

Starts PostgreSQL, OpenSearch nodes and three service nodes of its own. Runs searches, imports, price changes and webhooks.
Meanwhile it kills (SIGKILL), pauses (SIGSTOP), cuts off and restarts parts of every kind, at least every 15 seconds. Then it
compares everything that was acknowledged with what every node returns and what the webhooks received.

Options:
  --seconds N       how long faults happen (default 600); starting and verifying take about two minutes more
  --seed N          of the order of the faults (default 1)
  --search-nodes N  OpenSearch nodes, 1 to 3 (default 3); with 1, faults happen to the other parts only
  --safety-only     check only the goals that hold on a machine of any speed (lost, invented, doubled, unexpected5xx, totalsDiffer,
                    pendingDeliveries, unhealthy), and that there was something to verify; the others are reported
  --json            print the figures as JSON
  -h, --help        show this help

Each part is a host of its own, in a network namespace with two networks. A part that is cut off loses all packets of the
network between the parts, and keeps the one to its clients. Namespaces need root and the program ip; without them, proxies
between service nodes and servers stop passing bytes, and OpenSearch nodes are not cut off from each other.
A figure that a run had no occasion to measure is null. When a part does not recover, its state and the other figures are
reported, and the logs are kept. Ends with 1 when a goal is missed, 2 when the servers cannot be installed.
Needs Linux and 4 GB of memory. All processes end with the command, also after Ctrl-C.

Examples:
  pnpm rehearse-cluster
  pnpm rehearse-cluster --seconds 60 --seed 7
  pnpm rehearse-cluster --seconds 60 --search-nodes 1 --json`;

const report = (line: string) => console.error(line);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "600" },
      seed: { type: "string", default: "1" },
      "search-nodes": { type: "string", default: "3" },
      "safety-only": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const figures = await rehearse({
    seconds: wholeNumber("--seconds", values.seconds, 1, 86_400),
    seed: wholeNumber("--seed", values.seed, 0, 2 ** 31),
    searchNodes: wholeNumber("--search-nodes", values["search-nodes"], 1, 3),
    report,
    signal: stopping.signal,
  });
  console.log(values.json ? JSON.stringify(figures) : describe(figures));
  const missed = values["safety-only"] ? missedSafetyGoals(figures) : missedGoals(figures);
  for (const line of missed) report(`Missed: ${line}.`);
  for (const name of unmeasuredGoals(figures)) report(`Not measured: ${name}.`);
  if (missed.length > 0) process.exitCode = 1;
}

function describe({ faults, findings, unhealthy, counts, ...figures }: RehearsalFigures): string {
  const rows = Object.entries({ ...figures, faults: faults.length, ...counts });
  return [...rows.map(([name, value]) => `${name}: ${value}`), ...findings].join("\n");
}

const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (!stopping.signal.aborted) report("Ending all processes …");
    stopping.abort(new Error(`Stopped by ${signal}.`));
  });
}

try {
  await main();
} catch (error) {
  report(stopping.signal.aborted ? "Stopped." : error instanceof Error ? error.message : String(error));
  // Also ends what was under way.
  process.exit(stopping.signal.aborted ? 130 : error instanceof ServersError ? 2 : 1);
}
