import { readFile } from "node:fs/promises";

/** The requests to one operation, and their statuses. */
export interface Reach {
  cases: number;
  statuses: Map<number, number>;
}

interface Scenario {
  ScenarioFinished?: {
    recorder?: {
      cases: Record<string, { value: { method: string; path: string } }>;
      interactions: Record<string, { response: { status_code: number } | null }>;
    } | null;
  };
}

/** Adds the events of a run's log to the counts of each operation, by method and path. */
export async function addReach(reached: Map<string, Reach>, eventsFile: string): Promise<void> {
  for (const line of (await readFile(eventsFile, "utf8")).split("\n")) {
    if (!line.startsWith('{"ScenarioFinished"')) continue;
    const { ScenarioFinished }: Scenario = JSON.parse(line);
    const { cases = {}, interactions = {} } = ScenarioFinished?.recorder ?? {};
    for (const [id, { value }] of Object.entries(cases)) {
      const status = interactions[id]?.response?.status_code;
      if (status !== undefined) count(reached, `${value.method} ${value.path}`, status);
    }
  }
}

function count(reached: Map<string, Reach>, operation: string, status: number): void {
  const reach = reached.get(operation);
  if (!reach) return;
  reach.cases += 1;
  reach.statuses.set(status, (reach.statuses.get(status) ?? 0) + 1);
}

/** Operations without any successful response: the code after their checks was not tested. */
export function withoutSuccess(reached: ReadonlyMap<string, Reach>): string[] {
  return [...reached]
    .filter(([, { statuses }]) => ![...statuses.keys()].some((status) => status >= 200 && status < 300))
    .map(([operation]) => operation);
}

export function describeReach(reached: ReadonlyMap<string, Reach>): string {
  const width = Math.max(...[...reached.keys()].map((name) => name.length));
  return [...reached]
    .map(([operation, { cases, statuses }]) => {
      const parts = [...statuses]
        .toSorted(([a], [b]) => a - b)
        .map(([status, times]) => `${status} × ${times}`);
      return `${operation.padEnd(width)}  ${String(cases).padStart(6)}  ${parts.join(", ")}`;
    })
    .join("\n");
}
