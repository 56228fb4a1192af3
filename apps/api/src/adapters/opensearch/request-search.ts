import type { Cluster, ClusterRequest } from "./cluster.ts";
import { ClusterError } from "./cluster-error.ts";

/**
 * After this time, another node is asked as well. A search takes a few milliseconds, but a node that hangs is a member
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
  const until = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
  const attempt = async (copies: string | undefined) =>
    parse(await cluster.request({ ...request(copies), retry: false }, until));
  const attemptElsewhere = async () => {
    await cluster.checkNodes();
    return attempt(cluster.copiesInUse());
  };
  const first = attempt(cluster.isDisturbed() ? cluster.copiesInUse() : preference);
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), secondAttemptAfterMs);
  try {
    const hasEnded = await Promise.race([first.then(() => true, isFinal), late.promise]);
    if (hasEnded) return await first;
    return await Promise.any([first, attemptElsewhere()]);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors.at(-1) : error;
  } finally {
    clearTimeout(timer);
    ended.abort(hasReplied);
  }
}

/** Whether another attempt would fail as well. */
function isFinal(error: unknown): boolean {
  return !(error instanceof ClusterError && error.isTemporary);
}
