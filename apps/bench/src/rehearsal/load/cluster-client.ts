import { setTimeout as delay } from "node:timers/promises";
import type { ServicePart } from "../parts/service-part.ts";

export interface Reply {
  status: number;
  body: unknown;
}

export interface ClusterClient {
  nodes: readonly ServicePart[];
  /** Through a balancer: to a node that reports itself ready, and once more to another one if that fails. */
  request(path: string, init?: RequestInit): Promise<Reply | undefined>;
  /** To one node. Undefined if there was no response in time. */
  requestFrom(node: ServicePart, path: string, init?: RequestInit): Promise<Reply | undefined>;
  /** Those that report themselves ready. When none does, all get requests: searches go on while PostgreSQL is down. */
  inUse(): readonly ServicePart[];
  /** When the node reported itself ready, as `Date.now()` tells. */
  readySpans(node: ServicePart): readonly ReadySpan[];
  /** Responses with 500 or more that are not 503 with `Retry-After`. */
  unexpected5xx: string[];
  stop(): void;
}

const checkEveryMs = 500;
const checkTimeoutMs = 1000;
const requestTimeoutMs = 2000;

export function createClusterClient(nodes: readonly ServicePart[], token: () => string): ClusterClient {
  const unexpected5xx: string[] = [];
  const readiness = new Map(nodes.map((node) => [node, createReadySpans()]));
  const checks = [...readiness].map(([node, spans]) => watchReadiness(node, spans));
  const inUse = () => {
    const ready = nodes.filter((node) => readiness.get(node)?.isReady());
    return ready.length > 0 ? ready : nodes;
  };
  let turn = 0;

  const requestFrom = async (node: ServicePart, path: string, init: RequestInit = {}) => {
    const headers = {
      authorization: `Bearer ${token()}`,
      "content-type": "application/json",
      ...Object.fromEntries(new Headers(init.headers)),
    };
    try {
      const signal = AbortSignal.timeout(requestTimeoutMs);
      const response = await fetch(`${node.url}${path}`, { ...init, headers, signal });
      const text = await response.text();
      const { status } = response;
      if (status >= 500 && !(status === 503 && response.headers.has("retry-after"))) {
        unexpected5xx.push(`${node.name}: ${init.method ?? "GET"} ${path}: ${status} ${text.slice(0, 300)}`);
      }
      return { status, body: parse(text) };
    } catch {
      return undefined;
    }
  };

  return {
    nodes,
    unexpected5xx,
    requestFrom,
    inUse,
    async request(path, init) {
      const candidates = inUse();
      turn += 1;
      const first = candidates[turn % candidates.length];
      if (!first) return undefined;
      const reply = await requestFrom(first, path, init);
      if (reply && reply.status < 500) return reply;
      const others = candidates.length > 1 ? candidates : nodes;
      const second = others.filter((node) => node !== first)[turn % (others.length - 1)];
      return second ? ((await requestFrom(second, path, init)) ?? reply) : reply;
    },
    readySpans: (node) => readiness.get(node)?.spans ?? [],
    stop: () => {
      for (const stop of checks) stop();
    },
  };
}

function watchReadiness(node: ServicePart, spans: ReadySpans): () => void {
  let isStopped = false;
  const check = async () => {
    const isReady = await fetch(`${node.url}/readyz`, { signal: AbortSignal.timeout(checkTimeoutMs) })
      .then(async (response) => {
        await response.arrayBuffer();
        return response.ok;
      })
      .catch(() => false);
    spans.note(isReady, Date.now());
    if (!isStopped) setTimeout(check, checkEveryMs).unref();
  };
  void check();
  return () => {
    isStopped = true;
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** When a node reported itself ready: from its first response until the last one before a check failed. */
export interface ReadySpan {
  fromMs: number;
  /** Infinity while it is ready. */
  untilMs: number;
}

interface ReadySpans {
  spans: readonly ReadySpan[];
  isReady(): boolean;
  note(isReady: boolean, atMs: number): void;
}

function createReadySpans(): ReadySpans {
  const spans: ReadySpan[] = [];
  let lastReadyMs = 0;
  const isReady = () => spans.at(-1)?.untilMs === Number.POSITIVE_INFINITY;
  return {
    spans,
    isReady,
    note(isNowReady, atMs) {
      const current = spans.at(-1);
      if (isNowReady) {
        if (!isReady()) spans.push({ fromMs: atMs, untilMs: Number.POSITIVE_INFINITY });
        lastReadyMs = atMs;
      } else if (current && isReady()) current.untilMs = lastReadyMs;
    },
  };
}

/**
 * The longest time from the change until it was found in which the node was ready without a break. Undefined if the
 * node was not ready when it was found: the wait in a ready node was cut short then, and would look fast. Such a
 * wait still counts when it already exceeds the goal.
 */
export function waitWhileReady(
  spans: readonly ReadySpan[],
  committedMs: number,
  foundMs: number,
  goalMs: number,
): { fromMs: number; toMs: number } | undefined {
  const waits = spans
    .map(({ fromMs, untilMs }) => ({
      fromMs: Math.max(fromMs, committedMs),
      toMs: Math.min(untilMs, foundMs),
    }))
    .toSorted((one, other) => one.toMs - one.fromMs - (other.toMs - other.fromMs));
  const longest = waits.at(-1);
  const isReady = spans.some(({ fromMs, untilMs }) => fromMs <= foundMs && foundMs <= untilMs);
  return longest && (isReady || longest.toMs - longest.fromMs > goalMs) ? longest : undefined;
}

/** The limit by IP address of the nodes during the rehearsal. It also applies to unknown paths, which cost little. */
export const rehearsedLimit = { requests: 60, seconds: 10 };

const everyMs = 80;
/** Near the borders of a window, it is not known to which one a request was counted. */
const borderMs = 300;

export interface MeasuredLimit {
  /** By how much the limit was exceeded in the worst window, as a part of it; null if no window was used up. */
  overshoot: number | null;
  /** The windows in which it was exceeded. */
  exceeded: { startMs: number; admitted: number }[];
}

/** Sends twice as many requests as the limit allows, to all nodes by turns that a balancer would use. */
export async function measureLimit(
  client: Pick<ClusterClient, "inUse">,
  signal: AbortSignal,
): Promise<MeasuredLimit> {
  const windowMs = rehearsedLimit.seconds * 1000;
  const windows = new Map<number, WindowCounts>();
  const underWay = new Set<Promise<void>>();
  const send = async (node: ServicePart) => {
    const sentMs = Date.now();
    const window = Math.floor(sentMs / windowMs);
    const status = await statusOf(node);
    if (Math.floor(Date.now() / windowMs) !== window) return;
    const counts = windows.get(window) ?? { admitted: 0, refused: 0 };
    windows.set(window, counts);
    if (status === 404) counts.admitted += 1;
    if (status === 429) counts.refused += 1;
  };
  for (let turn = 0; !signal.aborted; turn += 1) {
    const inWindow = Date.now() % windowMs;
    const nodes = client.inUse();
    const node = nodes[turn % nodes.length];
    if (node && inWindow > borderMs && inWindow < windowMs - borderMs) {
      const sending = send(node).finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
    await delay(everyMs, undefined, { signal }).catch(() => {});
  }
  await Promise.all(underWay);
  return exceededWindows(windows, windowMs);
}

interface WindowCounts {
  admitted: number;
  refused: number;
}

function exceededWindows(windows: ReadonlyMap<number, WindowCounts>, windowMs: number): MeasuredLimit {
  const { requests } = rehearsedLimit;
  const exceeded = [...windows]
    .filter(([, { admitted }]) => admitted > requests)
    .map(([window, { admitted }]) => ({ startMs: window * windowMs, admitted }));
  const isUsedUp = exceeded.length > 0 || [...windows.values()].some(({ refused }) => refused > 0);
  const most = Math.max(requests, ...exceeded.map(({ admitted }) => admitted));
  return { exceeded, overshoot: isUsedUp ? (most - requests) / requests : null };
}

async function statusOf({ url }: ServicePart): Promise<number | undefined> {
  try {
    const response = await fetch(`${url}/api/v1/rehearsal`, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}
