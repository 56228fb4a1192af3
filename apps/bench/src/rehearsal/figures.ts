import type { Fault } from "./faults.ts";

/** Null where a run had no occasion to measure it. */
export interface RehearsalFigures {
  seconds: number;
  seed: number;
  searchNodes: number;
  lost: number | null;
  invented: number | null;
  doubled: number | null;
  unexpected5xx: number;
  searchAvailability: number | null;
  visibleP99Ms: number | null;
  takeoverSeconds: number | null;
  limitOvershoot: number | null;
  totalsDiffer: number | null;
  /** Service nodes that reported themselves ready although they could not reach PostgreSQL. */
  readyWhileCutOff: number | null;
  /** What the figures were measured on. */
  counts: {
    products: number;
    imports: number;
    failedImports: number;
    webhooks: number;
    deliveries: number;
    searches: number;
    visibilitySamples: number;
  };
  /** Deliveries that still had attempts left at the end. */
  pendingDeliveries: number | null;
  /** The parts that had not recovered at the end, and what a node did not respond to then, each with the reason. */
  unhealthy: string[];
  faults: Fault[];
  /** The first findings of each sort. */
  findings: string[];
}

type Goal = [name: keyof RehearsalFigures, limit: number, isLeast?: boolean];

const safetyGoals: readonly Goal[] = [
  ["lost", 0],
  ["invented", 0],
  ["doubled", 0],
  ["unexpected5xx", 0],
  ["totalsDiffer", 0],
  ["pendingDeliveries", 0],
];

export const visibleGoalMs = 2000;

/** They need a machine that is not busy with other work. */
const timingGoals: readonly Goal[] = [
  ["searchAvailability", 0.99, true],
  ["visibleP99Ms", visibleGoalMs],
  ["takeoverSeconds", 10],
  // A node that alone cannot reach PostgreSQL admits its part of the limit: here a third.
  ["limitOvershoot", 0.4],
  ["readyWhileCutOff", 0],
];

const gapGoalSeconds = 15;

/** Without these, nothing was verified. */
const workNames = ["imports", "webhooks", "deliveries", "searches"] as const;

/** A line for each goal that was missed. A time that was not measured is not missed. */
export function missedGoals(figures: RehearsalFigures): string[] {
  return [...missedSafetyGoals(figures), ...missedOf(timingGoals, figures), ...missedTimes(figures)];
}

/** Only the goals that hold at any speed, and that there was something to verify. */
export function missedSafetyGoals(figures: RehearsalFigures): string[] {
  const leastFaults = Math.floor(figures.seconds / gapGoalSeconds);
  return [
    ...missedOf(safetyGoals, figures),
    ...safetyGoals.filter(([name]) => figures[name] === null).map(([name]) => `${name} was not measured`),
    ...workNames.filter((name) => figures.counts[name] === 0).map((name) => `there were no ${name}`),
    ...(figures.faults.length < leastFaults
      ? [`faults: ${figures.faults.length}; the goal is at least ${leastFaults}`]
      : []),
    ...figures.unhealthy.map((part) => `not healthy at the end: ${part}`),
  ];
}

function missedOf(goals: readonly Goal[], figures: RehearsalFigures): string[] {
  return goals.flatMap(([name, limit, isLeast]) => {
    const value = figures[name];
    if (typeof value !== "number" || (isLeast ? value >= limit : value <= limit)) return [];
    return [`${name} is ${value}; the goal is ${isLeast ? "at least" : "at most"} ${limit}`];
  });
}

function missedTimes(figures: RehearsalFigures): string[] {
  const unrecovered = figures.faults.filter(({ recoveredSeconds }) => recoveredSeconds === null);
  const gap = gapSecondsOf(figures);
  return [
    ...(gap > gapGoalSeconds ? [`${gap} s without a new fault; the goal is at most ${gapGoalSeconds}`] : []),
    ...unrecovered.map(({ part, action }) => `${part} did not recover after ${action}`),
  ];
}

function gapSecondsOf({ faults, seconds }: RehearsalFigures): number {
  const times = [0, ...faults.map(({ atSeconds }) => atSeconds), seconds];
  return Math.round(Math.max(...times.slice(1).map((time, at) => time - (times[at] ?? 0))));
}

/** Goals without a figure. */
export function unmeasuredGoals(figures: RehearsalFigures): string[] {
  return [...safetyGoals, ...timingGoals].flatMap(([name]) => (figures[name] === null ? [name] : []));
}

export function percentile(values: readonly number[], part: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}

/** Each list has one line per fault of the cluster that was found. */
export interface Findings {
  /** Acknowledged, and not there. */
  lost: string[];
  /** There, and nobody asked for it. */
  invented: string[];
  /** An effect that happened twice. */
  doubled: string[];
}

export function createFindings(): Findings {
  return { lost: [], invented: [], doubled: [] };
}

type Fields = Record<string, unknown>;

/** The fields of a JSON object; none if it is something else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The objects of a JSON array; none if it is something else. */
export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** One new price of a product. Prices of a product are never used twice, so that each effect has one cause. */
export interface PriceWrite {
  price: number;
  startedMs: number;
  /** When the import ended with success; undefined if it failed or was killed: then it may or may not take effect. */
  acknowledgedMs?: number;
}

export interface WebhookWrite {
  path: string;
  acknowledgedMs?: number;
}

/** What clients of the cluster asked for, and what was acknowledged to them. */
export interface Ledger {
  /** By key. The writes of a product are in the order in which they were started, one after the other. */
  products: Map<string, PriceWrite[]>;
  webhooks: WebhookWrite[];
}

export function createLedger(): Ledger {
  return { products: new Map(), webhooks: [] };
}

/** Notes that an import with these prices starts. Returns the function that notes its success. */
export function noteImport(
  { products }: Ledger,
  prices: ReadonlyMap<string, number>,
): (atMs: number) => void {
  const startedMs = Date.now();
  const writes = [...prices].map(([key, price]) => {
    const write: PriceWrite = { price, startedMs };
    products.set(key, [...(products.get(key) ?? []), write]);
    return write;
  });
  return (atMs) => {
    for (const write of writes) write.acknowledgedMs = atMs;
  };
}
