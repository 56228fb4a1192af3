import { z } from "zod";
import type { Cluster, ClusterRequest } from "../../opensearch/cluster.ts";
import { ClusterError } from "../../opensearch/cluster-error.ts";
import { requestSearch } from "../../opensearch/request-search.ts";

const column = z.tuple([z.string()]).optional();
const hit = z.object({
  fields: z.object({ rowId: z.tuple([z.number()]), name: column, language: column }),
  matched_queries: z.array(z.string()).default([]),
  sort: z.array(z.unknown()).default([]),
});
export type Hit = z.infer<typeof hit>;

const found = z.object({
  timed_out: z.boolean(),
  _shards: z.object({ failed: z.number() }),
  hits: z.object({ total: z.object({ value: z.number(), relation: z.literal("eq") }), hits: z.array(hit) }),
  aggregations: z.unknown().optional(),
});
export type Found = z.infer<typeof found>;

const failed = z.object({ status: z.number(), error: z.unknown() });
const responses = z.object({ responses: z.array(z.union([found, failed])) });

export interface SearchTarget {
  readonly cluster: Cluster;
  readonly index: string;
}

/** Requests with the same preference use the same copies of the index, so that the pages of a search are consistent. */
export interface SearchOptions {
  readonly preference: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs several searches in one request. A result of only some shards has no exact total, so it counts as a failure.
 */
export function runSearches(
  { cluster, index }: SearchTarget,
  bodies: readonly object[],
  { preference, signal }: SearchOptions,
): Promise<Found[]> {
  const search = {
    request(usesPreferredCopies: boolean): ClusterRequest {
      const header = {
        index,
        allow_partial_search_results: false,
        ...(usesPreferredCopies && { preference }),
      };
      const lines = bodies.flatMap((body) => [
        header,
        { track_total_hits: true, stored_fields: "_none_", ...body },
      ]);
      return { method: "POST", path: "/_msearch", lines };
    },
    parse(response: unknown): Found[] {
      const parsed = responses.parse(response).responses;
      const fault = parsed.map(faultOf).find((one) => one !== undefined);
      if (fault !== undefined) throw fault;
      return parsed.filter((one) => "hits" in one);
    },
  };
  return requestSearch(cluster, search, signal);
}

function faultOf(response: z.infer<typeof responses>["responses"][number]): ClusterError | undefined {
  if ("error" in response)
    return new ClusterError(response.status, JSON.stringify(response.error).slice(0, 500));
  if (response.timed_out) return new ClusterError(undefined, "a search took too long");
  if (response._shards.failed > 0) return new ClusterError(undefined, "a part of the index did not reply");
  return undefined;
}
