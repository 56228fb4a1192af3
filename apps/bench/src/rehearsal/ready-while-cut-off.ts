import type { Fault } from "./faults.ts";
import type { ReadySpan } from "./load/ready-spans.ts";
import type { Part } from "./parts/part.ts";

/** After this time, a service node must report that it is not ready. */
const toleratedSeconds = 5;

export interface CutOffSettings {
  faults: readonly Fault[];
  parts: readonly Pick<Part, "name" | "kind">[];
  spansOf(node: string): readonly ReadySpan[];
  /** As `Date.now()` tells. */
  startedMs: number;
  endedMs: number;
}

/** The service nodes that reported themselves ready although they could not reach PostgreSQL. Undefined if no cut was long enough. */
export function readyWhileCutOff(settings: CutOffSettings): string[] | undefined {
  const { faults, parts, spansOf, startedMs, endedMs } = settings;
  const cuts = faults.flatMap(({ action, part, atSeconds, seconds }) => {
    const fromMs = startedMs + (atSeconds + toleratedSeconds) * 1000;
    const untilMs = Math.min(startedMs + (atSeconds + seconds) * 1000, endedMs);
    const isLong = action === "isolate" && untilMs > fromMs;
    return isLong ? cutOffBy(part, parts).map((node) => ({ node, part, atSeconds, fromMs, untilMs })) : [];
  });
  if (cuts.length === 0) return undefined;
  return cuts
    .filter(({ node, fromMs, untilMs }) =>
      spansOf(node).some((span) => span.fromMs <= untilMs && span.untilMs >= fromMs),
    )
    .map(({ node, part, atSeconds }) => `${node} was ready while ${part} was cut off at ${atSeconds} s`);
}

function cutOffBy(part: string, parts: CutOffSettings["parts"]): string[] {
  const kind = parts.find(({ name }) => name === part)?.kind;
  if (kind === "service") return [part];
  return kind === "postgres" ? parts.filter((one) => one.kind === "service").map(({ name }) => name) : [];
}
