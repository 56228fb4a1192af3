import type { Cluster, ClusterRequest } from "./cluster.ts";
import { ClusterError } from "./cluster-error.ts";

/**
 * How long the first attempts of a search may take; the last one has the usual timeout. A search takes a few
 * milliseconds. A node that hangs is a member of its cluster for many seconds, and searches of its shards hang as well.
 */
const attemptMs = [500, 1_000];

export interface SearchRequest<Result> {
  /**
   * The first attempt uses the preferred copies of the index, so that the pages of a search are consistent. Later ones
   * leave the choice to OpenSearch, which avoids nodes that do not respond; so do all others for a while.
   */
  request(usesPreferredCopies: boolean): ClusterRequest;
  parse(response: unknown): Result;
}

export async function requestSearch<Result>(
  cluster: Cluster,
  { request, parse }: SearchRequest<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    const timeoutMs = attemptMs[attempt];
    const asked = request(attempt === 0 && !cluster.isDisturbed());
    try {
      return parse(
        await cluster.request(
          { ...asked, retry: false, ...(timeoutMs !== undefined && { timeoutMs }) },
          signal,
        ),
      );
    } catch (error) {
      if (!(error instanceof ClusterError && error.isTemporary) || timeoutMs === undefined) throw error;
    }
  }
}
