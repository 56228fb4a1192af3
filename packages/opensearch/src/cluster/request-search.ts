import type { Cluster, ClusterRequest } from "./cluster.ts";
import { ClusterError, OverloadError } from "./cluster-error.ts";
import type { Node } from "./nodes.ts";

/**
 * After this time, a second request is sent. A search takes a few milliseconds, but a node that hangs is a member
 * of its cluster for seconds, and searches of the copies on it hang as long.
 */
const secondAttemptAfterMs = 500;

/** Made once: an error is expensive because of its stack trace. */
const hasReplied = new Error("Another attempt has replied.");

export interface SearchRequest<Result> {
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
