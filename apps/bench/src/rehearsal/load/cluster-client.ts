import type { ServicePart } from "../parts/service-part.ts";
import { createReadySpans, type ReadySpan, type ReadySpans } from "./ready-spans.ts";

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
