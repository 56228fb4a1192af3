import type { Cluster, ClusterRequest } from "./cluster.ts";
import { ClusterError } from "./cluster-error.ts";

/**
 * After this time, another node is asked as well. A search takes a few milliseconds, but a node that hangs is a member
 * of its cluster for many seconds, and searches of its shards hang as well.
 */
const secondAttemptAfterMs = 500;

/** Made once: an error is expensive because of its stack trace. */
const hasReplied = new Error("Another attempt has replied.");

export interface SearchRequest<Result> {
  /**
   * The first attempt uses the preferred copies of the index, so that the pages of a search are consistent. The second
   * one leaves the choice to OpenSearch, which avoids nodes that do not respond; so do all others for a while.
   */
  request(usesPreferredCopies: boolean): ClusterRequest;
  parse(response: unknown): Result;
}

/** The result of the node that responds first. The first one goes on while the second is asked: both may only be busy. */
export async function requestSearch<Result>(
  cluster: Cluster,
  { request, parse }: SearchRequest<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const ended = new AbortController();
  const until = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
  const attempt = async (usesPreferredCopies: boolean) =>
    parse(await cluster.request({ ...request(usesPreferredCopies), retry: false }, until));
  const first = attempt(!cluster.isDisturbed());
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), secondAttemptAfterMs);
  try {
    const hasEnded = await Promise.race([first.then(() => true, isFinal), late.promise]);
    if (hasEnded) return await first;
    cluster.noteDisturbance();
    return await Promise.any([first, attempt(false)]);
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
