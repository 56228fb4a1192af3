import { ApiError } from "@product-search/core/errors.ts";
import { z } from "zod";
import {
  type Cluster,
  ClusterError,
  type ClusterRequest,
  OverloadError,
  requestSearch,
} from "../cluster/cluster.ts";

const value = z.tuple([z.string()]).optional();
const hit = z
  .object({
    fields: z.object({
      rowId: z.tuple([z.number()]),
      name: value,
      language: value,
      group: value,
      priceMinor: z.tuple([z.number()]).optional(),
    }),
    matched_queries: z.array(z.string()).default([]),
    sort: z.array(z.unknown()).default([]),
  })
  .transform(({ fields, matched_queries, sort }) => ({
    rowId: fields.rowId[0],
    name: fields.name?.[0] ?? "",
    language: fields.language?.[0],
    // Only if the search asks for them. In an index of the release before, every product is alone.
    group: fields.group?.[0] ?? String(fields.rowId[0]),
    priceMinor: fields.priceMinor?.[0] ?? 0,
    matchedQueries: matched_queries,
    sort,
  }));
export type Hit = z.infer<typeof hit>;

/** Always exact. Absent if the search does not ask for it. */
const total = z.object({ value: z.number(), relation: z.literal("eq") }).optional();
const found = z.object({
  timed_out: z.boolean(),
  _shards: z.object({ failed: z.number() }),
  hits: z.object({ total, hits: z.array(hit) }),
  aggregations: z.unknown().optional(),
});
export interface Found {
  readonly total: number;
  readonly hits: readonly Hit[];
  readonly aggregations: unknown;
}

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

/** Columns: stored documents would have to be decompressed for each hit. */
const returned = { _source: false, stored_fields: "_none_", docvalue_fields: ["rowId", "name", "language"] };

/**
 * Runs several searches in one request. A result of only some shards has no exact total, so it counts as a failure.
 */
export function runSearches(
  { cluster, index }: SearchTarget,
  bodies: readonly object[],
  { preference, signal }: SearchOptions,
): Promise<Found[]> {
  const search = {
    preference,
    request(copies: string | undefined): ClusterRequest {
      const header = {
        index,
        allow_partial_search_results: false,
        ...(copies !== undefined && { preference: copies }),
      };
      const lines = bodies.flatMap((body) => [header, { track_total_hits: true, ...returned, ...body }]);
      return { method: "POST", path: "/_msearch", lines: lines.map((line) => JSON.stringify(line)) };
    },
    parse(response: unknown): Found[] {
      const parsed = responses.parse(response).responses;
      const fault = parsed.map(faultOf).find((one) => one !== undefined);
      if (fault !== undefined) throw fault;
      return parsed.filter((one) => "hits" in one).map(toFound);
    },
  };
  return requestSearch(cluster, search, signal);
}

function toFound({ hits, aggregations }: z.infer<typeof found>): Found {
  return { total: hits.total?.value ?? 0, hits: hits.hits, aggregations };
}

/** What OpenSearch says of an index whose layout has no groups. */
const lacksGroups = "failed to find nested object under path";

function faultOf(response: z.infer<typeof responses>["responses"][number]): Error | undefined {
  if ("error" in response) {
    const reason = JSON.stringify(response.error);
    if (reason.includes(lacksGroups))
      return new ApiError(
        "unavailable",
        "grouped: the search index is being built for groups. Try again in a few minutes, or leave it out.",
        { retryAfterSeconds: 60 },
      );
    const FaultError = response.status === 429 ? OverloadError : ClusterError;
    return new FaultError(response.status, reason.slice(0, 500));
  }
  if (response.timed_out) return new ClusterError(undefined, "a search took too long");
  if (response._shards.failed > 0) return new ClusterError(undefined, "a part of the index did not reply");
  return undefined;
}
