import { setTimeout as delay } from "node:timers/promises";
import { createRandom, type Random } from "@product-search/testing/seed.ts";
import { describePart, type Part, untilHealthy } from "./parts/part.ts";

const actions = ["kill", "pause", "isolate", "restart"] as const;
export type FaultAction = (typeof actions)[number];

export interface PlannedFault {
  part: string;
  action: FaultAction;
  /** How long the part is down, paused or cut off. */
  seconds: number;
  /** Between the start of this fault and the next one. */
  gapSeconds: number;
}

/** A fault as it happened. */
export interface Fault extends Omit<PlannedFault, "gapSeconds"> {
  atSeconds: number;
  /** From its start until the part was healthy again; null if that was not seen. */
  recoveredSeconds: number | null;
}

const maxGapSeconds = 14;
const longFaultSeconds = 30;
/** One long fault at a time: with one in each kind of part, none could begin for too long. */
const shortFaultsBetween = 3;

/** Every action on every kind of part, in an order drawn from the seed, again and again. */
export function* planFaults(
  parts: readonly Pick<Part, "name" | "kind">[],
  seed: number,
): Generator<PlannedFault, never> {
  const random = createRandom(seed);
  let shortFaults = shortFaultsBetween;
  const kinds = [...new Set(parts.map(({ kind }) => kind))];
  for (;;) {
    const left = kinds.flatMap((kind) => actions.map((action) => ({ kind, action })));
    while (left.length > 0) {
      const [{ kind, action } = { kind: undefined, action: "kill" as const }] = left.splice(
        random.integer(0, left.length - 1),
        1,
      );
      const members = parts.filter((part) => part.kind === kind);
      const part = members[random.integer(0, members.length - 1)]?.name ?? "";
      const seconds = secondsOf(action, shortFaults >= shortFaultsBetween, random);
      shortFaults = seconds === longFaultSeconds ? 0 : shortFaults + 1;
      yield { part, action, seconds, gapSeconds: random.integer(10, maxGapSeconds) };
    }
  }
}

/** Most faults are short, so that there are many. Some are longer than every lease and time limit of the service. */
function secondsOf(action: FaultAction, mayBeLong: boolean, random: Random): number {
  if (action === "restart") return 0;
  const isLong = random.integer(1, 4) === 1;
  return isLong && mayBeLong ? longFaultSeconds : random.integer(2, 10);
}

export interface FaultsDeps {
  parts: readonly Part[];
  startedMs: number;
  onFault(part: Part): void;
  /** A part that was paused or cut off works again. */
  onReturn(part: Part): void;
  report(line: string): void;
}

const recoveryTimeoutMs = 120_000;

/**
 * Applies the planned faults until the signal aborts, then ends them and waits until all parts are healthy. A fault
 * on a kind that has not recovered yet waits, and the next one of another kind is applied first: two parts of a kind
 * are never down together.
 */
export async function applyFaults(
  deps: FaultsDeps,
  plan: Generator<PlannedFault, never>,
  signal: AbortSignal,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  const underWay = new Map<string, Promise<void>>();
  const waiting: PlannedFault[] = [];
  const kindOf = (name: string) => deps.parts.find((part) => part.name === name);
  while (!signal.aborted) {
    const planned = await nextFault(plan, waiting, (name) => underWay.has(kindOf(name)?.kind ?? ""), signal);
    const part = planned && kindOf(planned.part);
    if (!planned || !part) break;
    const { gapSeconds, ...rest } = planned;
    const atSeconds = Math.round((performance.now() - deps.startedMs) / 100) / 10;
    const fault: Fault = { atSeconds, ...rest, recoveredSeconds: null };
    faults.push(fault);
    const applied = applyFault(deps, part, fault, signal).finally(() => underWay.delete(part.kind));
    underWay.set(part.kind, applied);
    await delay(gapSeconds * 1000, undefined, { signal }).catch(() => {});
  }
  await Promise.all(underWay.values());
  return faults;
}

/** The first one that waits or is planned and whose kind of part is healthy. */
async function nextFault(
  plan: Generator<PlannedFault, never>,
  waiting: PlannedFault[],
  isBusy: (part: string) => boolean,
  signal: AbortSignal,
): Promise<PlannedFault | undefined> {
  while (!signal.aborted) {
    const at = waiting.findIndex(({ part }) => !isBusy(part));
    if (at >= 0) return waiting.splice(at, 1)[0];
    if (waiting.length < 12) waiting.push(plan.next().value);
    else await delay(100);
  }
  return undefined;
}

/** A start takes many seconds of processor time, in which the other parts on this machine would hardly respond. */
function startGently({ process }: Part): void {
  process.start();
  process.yieldProcessor(true);
}

async function applyFault(
  { onFault, onReturn, report }: FaultsDeps,
  part: Part,
  fault: Fault,
  signal: AbortSignal,
): Promise<void> {
  const startedMs = performance.now();
  const length = fault.seconds > 0 ? ` for ${fault.seconds} s` : "";
  report(`${fault.action} ${part.name}${length}`);
  onFault(part);
  const during = () => delay(fault.seconds * 1000, undefined, { signal }).catch(() => {});
  if (fault.action === "kill") {
    await part.process.kill();
    await during();
    startGently(part);
  } else if (fault.action === "restart") {
    await part.process.stop(part.stopSignal, 30_000);
    startGently(part);
  } else if (fault.action === "pause") {
    part.process.pause();
    await during();
    part.process.resume();
    onReturn(part);
  } else {
    for (const link of part.host.links) link.silence();
    await during();
    for (const link of part.host.links) link.restore();
    onReturn(part);
  }
  const isHealthy = await untilHealthy(part, recoveryTimeoutMs);
  part.process.yieldProcessor(false);
  if (!isHealthy) {
    report(`not healthy again after ${recoveryTimeoutMs / 1000} s: ${await describePart(part)}`);
    return;
  }
  fault.recoveredSeconds = Math.round((performance.now() - startedMs) / 100) / 10;
  report(`${part.name} is healthy again after ${fault.recoveredSeconds} s`);
}
