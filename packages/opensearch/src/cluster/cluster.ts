import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "@product-search/core/errors.ts";
import { abortable } from "@product-search/core/mechanisms/retry.ts";
import { shareRunning } from "@product-search/core/mechanisms/share-in-flight.ts";
import { Agent, type Dispatcher } from "undici";
import { z } from "zod";

/** A failed request to OpenSearch. */
export class ClusterError extends Error {
  override readonly name = "ClusterError";
  /** The status of the response; undefined if there was none. */
  readonly status: number | undefined;

  constructor(status: number | undefined, reason: string, options?: ErrorOptions) {
    super(`OpenSearch: ${status === undefined ? "" : `status ${status}: `}${reason}`, options);
    this.status = status;
  }

  /** An index that does not exist: whoever keeps it makes it again. */
  get isMissing(): boolean {
    return this.status === 404;
  }

  /** Whether another node, or the same one later, may succeed. */
  get isTemporary(): boolean {
    return this.status === undefined || this.status === 429 || this.status >= 500;
  }
}

/** The nodes with the copies have too much to do: to ask again at once would make it worse. */
export class OverloadError extends ClusterError {}

/** The error for a client of the service. */
export function toApiError(cause: unknown): unknown {
  if (!(cause instanceof ClusterError) || !(cause.isTemporary || cause.isMissing)) return cause;
  return new ApiError("unavailable", "The search index cannot be reached. Try again in a moment.", {
    cause,
    retryAfterSeconds: 2,
  });
}

export interface ClusterSettings {
  /** URLs of nodes, each with user and password if needed. */
  readonly nodes: readonly string[];
  /** How long one node may take to respond. Default: 10 s. */
  readonly timeoutMs?: number;
  /** How long other nodes are preferred after a failure, at least. Default: 5 s. */
  readonly avoidMs?: number;
  /** A node that works responds to a check within this time. Default: 150 ms. */
  readonly momentMs?: number;
}

export interface ClusterRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "HEAD";
  readonly path: string;
  /** One JSON document. */
  readonly body?: unknown;
  /** JSON documents as text, instead of a body. */
  readonly lines?: readonly string[];
  readonly timeoutMs?: number;
  /**
   * How long the first node may take if there is a second one, so that a node that hangs delays nothing for long.
   * Default: 1 s for GET, else the timeout.
   */
  readonly firstAttemptMs?: number;
  /** Whether another node may be tried after a failure: only if doing it twice is harmless. Default: true. */
  readonly retry?: boolean;
  /** The nodes that have got this request; they are tried after the others. The node that gets it now is added. */
  readonly tried?: Set<Node>;
}

/** A cluster of OpenSearch nodes. Every node can handle every request. */
export interface Cluster {
  /** The parsed response; fails with `ClusterError` unless the status is below 300. */
  request(request: ClusterRequest, signal?: AbortSignal): Promise<unknown>;
  /** Whether a node was slow or could not be reached in the last few seconds, or has not responded since. */
  isDisturbed(): boolean;
  noteDisturbance(): void;
  /** A node hangs, the one that was asked or one behind it: finds out which, and avoids it. */
  checkNodes(): Promise<void>;
  /**
   * The `preference` of a search that uses the copies of nodes that are not avoided; undefined if none is known, or if there
   * is one address, which may be a load balancer.
   */
  copiesInUse(): string | undefined;
  close(): Promise<void>;
}

const usualTimeoutMs = 10_000;
const usualAvoidMs = 5_000;
const usualMomentMs = 150;
/** For requests that take a few milliseconds. */
const readAttemptMs = 1_000;
/** A node replies to this with its id, without asking another one. */
const ownNode = "/_nodes/_local/process?filter_path=nodes.*.name";
const ownNodeResponse = z.object({ nodes: z.record(z.string(), z.unknown()) });
/** A node that has not responded by then is preferred less, even if the client left before the timeout. */
const slowMs = 500;
/** Maximum number of nodes tried: more would multiply the load of an overloaded cluster. */
const maxAttempts = 2;
/** Pause before a single node is tried again. */
const retryDelayMs = 100;

export function createCluster({
  nodes: addresses,
  timeoutMs = usualTimeoutMs,
  avoidMs = usualAvoidMs,
  momentMs = usualMomentMs,
}: ClusterSettings): Cluster {
  const agent = new Agent({ connections: 64, pipelining: 1, connect: { timeout: 3_000 } });
  // Checks must not wait behind requests that hang.
  const checkAgent = new Agent({ connections: 2, pipelining: 1, connect: { timeout: 1_000 } });
  const nodes = createNodes({ addresses, isResponding, onSilence: noteDisturbance, avoidMs, momentMs });
  const closing = new AbortController();
  let disturbedUntilMs = 0;
  /** Searches that hang at the same time share one check. */
  const checkAll = shareRunning(() => nodes.checkAll());

  /** Not if it has responded to a check since then: what hangs is behind it. */
  function avoid(node: Node, sinceMs: number): void {
    if (node.respondedMs < sinceMs) nodes.avoid(node);
    noteDisturbance();
  }

  function noteDisturbance(): void {
    disturbedUntilMs = performance.now() + avoidMs;
  }

  /** The client itself ends no request that still waits for its connection when the signal aborts. */
  function exchange(by: Agent, options: Dispatcher.RequestOptions & { signal: AbortSignal }) {
    const receive = async () => {
      const { statusCode, body } = await by.request(options);
      return { statusCode, text: await body.text() };
    };
    return abortable(receive(), options.signal);
  }

  async function isResponding(node: Node, withinMs: number): Promise<boolean> {
    const { origin, authorization } = node;
    const headers = authorization === undefined ? {} : { authorization };
    const signal = AbortSignal.any([AbortSignal.timeout(withinMs), closing.signal]);
    try {
      const { statusCode, text } = await exchange(checkAgent, {
        origin,
        path: ownNode,
        method: "GET",
        headers,
        signal,
      });
      if (statusCode >= 500) return false;
      if (statusCode === 200) node.id = idIn(text);
      node.respondedMs = performance.now();
      return true;
    } catch {
      return false;
    }
  }

  async function send(
    node: Node,
    request: ClusterRequest,
    waitMs: number,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const timeout = AbortSignal.timeout(waitMs);
    const startedMs = performance.now();
    const options = {
      origin: node.origin,
      path: request.path,
      method: request.method,
      headers: headersOf(node, request),
      body: bodyOf(request),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    };
    try {
      const { statusCode, text } = await exchange(agent, options);
      if (statusCode >= 300) throw new ClusterError(statusCode, reasonOf(text));
      nodes.restore(node);
      return text === "" ? undefined : JSON.parse(text);
    } catch (cause) {
      if (cause instanceof ClusterError) throw cause;
      // The client has left because this node was slow: the next request begins with another one.
      if (performance.now() - startedMs > slowMs) avoid(node, startedMs);
      signal?.throwIfAborted();
      throw new ClusterError(undefined, `${node.origin} cannot be reached`, { cause });
    }
  }

  return {
    async request(request, signal) {
      const [first, second] = nodes.order(request.tried);
      const attempts = [first, second ?? first].slice(0, request.retry === false ? 1 : maxAttempts);
      for (const [at, node] of attempts.entries()) {
        signal?.throwIfAborted();
        if (node === undefined) break;
        request.tried?.add(node);
        const startedMs = performance.now();
        try {
          const waitMs = request.timeoutMs ?? timeoutMs;
          const isFirstOfTwo = at === 0 && second !== undefined && attempts.length > 1;
          const usualFirstMs = request.method === "GET" ? readAttemptMs : waitMs;
          const firstMs = isFirstOfTwo ? (request.firstAttemptMs ?? usualFirstMs) : waitMs;
          return await send(node, request, Math.min(waitMs, firstMs), signal);
        } catch (error) {
          if (!(error instanceof ClusterError) || !error.isTemporary) throw error;
          avoid(node, startedMs);
          if (at === attempts.length - 1) throw error;
          if (attempts[at + 1] !== node) continue;
          // It may still be doing what it had no time for: the same again would make it slower.
          if (isTimeout(error.cause)) throw error;
          await delay(retryDelayMs);
        }
      }
      throw new ClusterError(undefined, "there is no node to ask");
    },
    isDisturbed: () => performance.now() < disturbedUntilMs || nodes.isAnyAvoided(),
    noteDisturbance,
    checkNodes() {
      noteDisturbance();
      return checkAll();
    },
    copiesInUse() {
      const ids = addresses.length > 1 ? nodes.idsInUse() : [];
      return ids.length === 0 ? undefined : `_prefer_nodes:${ids.join()}`;
    },
    close: async () => {
      nodes.close();
      closing.abort();
      await Promise.all([agent.close(), checkAgent.destroy()]);
    },
  };
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

/** Undefined if something else responded, such as a load balancer. */
function idIn(text: string): string | undefined {
  try {
    return Object.keys(ownNodeResponse.parse(JSON.parse(text)).nodes)[0];
  } catch {
    return undefined;
  }
}

function headersOf({ authorization }: Node, { lines }: ClusterRequest): Record<string, string> {
  return {
    "content-type": lines === undefined ? "application/json" : "application/x-ndjson",
    ...(authorization !== undefined && { authorization }),
  };
}

function bodyOf({ body, lines }: ClusterRequest): string | null {
  if (lines !== undefined) return `${lines.join("\n")}\n`;
  return body === undefined ? null : JSON.stringify(body);
}

/** OpenSearch reports errors as JSON. A proxy in between may respond with anything. */
function reasonOf(text: string): string {
  return text.slice(0, 500);
}

/**
 * After this time, a second request is sent. A search takes a few milliseconds, but a node that hangs is a member
 * of its cluster for seconds, and searches of the copies on it hang as long.
 */
const secondAttemptAfterMs = 500;

/** Made once: an error is expensive because of its stack trace. */
const hasReplied = new Error("Another attempt has replied.");

interface SearchRequest<Result> {
  /** Requests with the same preference use the same copies of the index, so that the pages of a search are consistent. */
  readonly preference?: string;
  /** Without a preference, OpenSearch chooses the copies. */
  request(preference: string | undefined): ClusterRequest;
  parse(response: unknown): Result;
}

/**
 * The result of the node that responds first. The first one goes on while the second is asked: both may only be busy. The
 * second attempt, and for a while all others, use the copies of nodes that respond.
 */
export async function requestSearch<Result>(
  cluster: Cluster,
  { preference, request, parse }: SearchRequest<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const ended = new AbortController();
  const asked = new Set<Node>();
  const until = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
  const attempt = async (copies: string | undefined) =>
    parse(await cluster.request({ ...request(copies), tried: asked, retry: false }, until));
  const attemptElsewhere = async () => {
    await cluster.checkNodes();
    return attempt(cluster.copiesInUse());
  };
  const first = attempt(cluster.isDisturbed() ? cluster.copiesInUse() : preference);
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), secondAttemptAfterMs);
  try {
    const state = await Promise.race([first.then(() => "ended", stateAfter), late.promise]);
    if (state === "ended") return await first;
    if (state === "late") return await Promise.any([first, attemptElsewhere()]);
    cluster.noteDisturbance();
    return await attempt(cluster.copiesInUse());
  } catch (error) {
    throw error instanceof AggregateError ? error.errors.at(-1) : error;
  } finally {
    clearTimeout(timer);
    ended.abort(hasReplied);
  }
}

/** An attempt has ended if another one would fail as well, or do harm. */
function stateAfter(error: unknown): "ended" | "failed" {
  return error instanceof ClusterError && error.isTemporary && !(error instanceof OverloadError)
    ? "failed"
    : "ended";
}

/** A node of the cluster, and whether other nodes are preferred. */
interface Node {
  readonly origin: string;
  readonly authorization: string | undefined;
  isAvoided: boolean;
  /** OpenSearch's id of it; undefined while it is not known. */
  id: string | undefined;
  /** When it last responded to a check, as `performance.now()` tells. */
  respondedMs: number;
}

export interface NodesSettings {
  readonly addresses: readonly string[];
  /** Whether the node responds within this time. It must not fail. It sets the id and the time. */
  isResponding(node: Node, withinMs: number): Promise<boolean>;
  /** Called when an avoided node still does not respond. */
  onSilence(): void;
  readonly avoidMs: number;
  /** A node that works responds to a check within this time. */
  readonly momentMs: number;
}

export interface Nodes {
  /** In turn; those that were asked come after the others, and those that are avoided come last. */
  order(tried?: ReadonlySet<Node>): Node[];
  /**
   * Prefers other nodes, at least for a while and until the node responds to a check. No request waits for a node that
   * hangs, except for the first one.
   */
  avoid(node: Node): void;
  /** The node has responded. */
  restore(node: Node): void;
  /** Asks all nodes, and avoids exactly those that do not respond within a moment. */
  checkAll(): Promise<void>;
  /** The ids of those that are not avoided, as far as they are known. */
  idsInUse(): string[];
  isAnyAvoided(): boolean;
  close(): void;
}

const checkAgainMs = 1_000;
const checkTimeoutMs = 1_000;

function createNodes({ addresses, isResponding, onSilence, avoidMs, momentMs }: NodesSettings): Nodes {
  const nodes = addresses.map(toNode);
  const checks = new Map<Node, NodeJS.Timeout>();
  let turn = 0;
  let isClosed = false;

  function restore(node: Node): void {
    node.isAvoided = false;
    clearTimeout(checks.get(node));
    checks.delete(node);
  }

  function checkAfter(node: Node, waitMs: number): void {
    checks.set(node, setTimeout(() => void check(node), waitMs).unref());
  }

  async function check(node: Node): Promise<void> {
    const responds = await isResponding(node, checkTimeoutMs);
    if (isClosed || !node.isAvoided) return;
    if (responds) return restore(node);
    onSilence();
    checkAfter(node, checkAgainMs);
  }

  function avoid(node: Node): void {
    if (node.isAvoided || isClosed) return;
    node.isAvoided = true;
    checkAfter(node, avoidMs);
  }

  return {
    order(tried) {
      const first = turn++ % nodes.length;
      const rotated = [...nodes.slice(first), ...nodes.slice(0, first)];
      const rank = (node: Node) => (node.isAvoided ? 2 : 0) + (tried?.has(node) ? 1 : 0);
      return rotated.sort((a, b) => rank(a) - rank(b));
    },
    avoid,
    restore,
    async checkAll() {
      const checking = nodes.map(async (node) => {
        if (await isResponding(node, momentMs)) restore(node);
        else avoid(node);
      });
      await Promise.all(checking);
    },
    isAnyAvoided: () => nodes.some(({ isAvoided }) => isAvoided),
    idsInUse: () => nodes.flatMap(({ isAvoided, id }) => (isAvoided ? [] : (id ?? []))),
    close() {
      isClosed = true;
      for (const timer of checks.values()) clearTimeout(timer);
    },
  };
}

function toNode(address: string): Node {
  const { origin, username, password } = new URL(address);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    origin,
    authorization: username === "" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`,
    isAvoided: false,
    id: undefined,
    respondedMs: Number.NEGATIVE_INFINITY,
  };
}
