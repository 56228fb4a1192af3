import { z } from "zod";
import type { Cluster, ClusterRequest } from "../../opensearch/cluster.ts";
import { ClusterError, OverloadError } from "../../opensearch/cluster-error.ts";
import { requestSearch } from "../../opensearch/request-search.ts";

const value = z.tuple([z.string()]).optional();
const columns = z.object({ rowId: z.tuple([z.number()]), name: value, language: value });
const stored = z.object({ name: z.string(), language: z.string().optional() });
const hit = z
  .object({
    fields: columns.optional(),
    _id: z.string().optional(),
    _source: stored.optional(),
    matched_queries: z.array(z.string()).default([]),
    sort: z.array(z.unknown()).default([]),
  })
  .transform(({ fields, _id, _source, matched_queries, sort }) => ({
    /** Undefined if the index has no columns for hits. */
    rowId: fields?.rowId[0] ?? (_id === undefined ? undefined : Number(_id)),
    name: fields?.name?.[0] ?? _source?.name ?? "",
    language: fields?.language?.[0] ?? _source?.language,
    matchedQueries: matched_queries,
    sort,
  }));
export interface Hit extends z.infer<typeof hit> {
  readonly rowId: number;
}

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

/** What hits return, by the form of the index. */
type ReturnedParts = Readonly<Record<string, unknown>>;
const asColumns: ReturnedParts = {
  _source: false,
  stored_fields: "_none_",
  docvalue_fields: ["rowId", "name", "language"],
};
const asStored: ReturnedParts = { _source: ["name", "language"] };

/**
 * Runs several searches in one request. A result of only some shards has no exact total, so it counts as a failure.
 */
export async function runSearches(
  target: SearchTarget,
  bodies: readonly object[],
  options: SearchOptions,
): Promise<Found[]> {
  const found = await request(target, bodies, asColumns, options);
  if (found.every(hasRowIds)) return found.map(withRowIds);
  // An index of the release before has no columns for hits. It is searched until the one of this release is complete.
  return (await request(target, bodies, asStored, options)).map(withRowIds);
}

type Unchecked = z.infer<typeof found>;

function hasRowIds({ hits }: Unchecked): boolean {
  return hits.hits.every(({ rowId }) => rowId !== undefined);
}

function withRowIds({ hits, aggregations }: Unchecked): Found {
  const known = hits.hits.flatMap(({ rowId, ...one }) => (rowId === undefined ? [] : [{ ...one, rowId }]));
  return { total: hits.total?.value ?? 0, hits: known, aggregations };
}

function request(
  { cluster, index }: SearchTarget,
  bodies: readonly object[],
  parts: ReturnedParts,
  { preference, signal }: SearchOptions,
): Promise<Unchecked[]> {
  const search = {
    preference,
    request(copies: string | undefined): ClusterRequest {
      const header = {
        index,
        allow_partial_search_results: false,
        ...(copies !== undefined && { preference: copies }),
      };
      const lines = bodies.flatMap((body) => [header, { track_total_hits: true, ...parts, ...body }]);
      return { method: "POST", path: "/_msearch", lines: lines.map((line) => JSON.stringify(line)) };
    },
    parse(response: unknown): Unchecked[] {
      const parsed = responses.parse(response).responses;
      const fault = parsed.map(faultOf).find((one) => one !== undefined);
      if (fault !== undefined) throw fault;
      return parsed.filter((one) => "hits" in one);
    },
  };
  return requestSearch(cluster, search, signal);
}

function faultOf(response: z.infer<typeof responses>["responses"][number]): ClusterError | undefined {
  if ("error" in response) {
    const FaultError = response.status === 429 ? OverloadError : ClusterError;
    return new FaultError(response.status, JSON.stringify(response.error).slice(0, 500));
  }
  if (response.timed_out) return new ClusterError(undefined, "a search took too long");
  if (response._shards.failed > 0) return new ClusterError(undefined, "a part of the index did not reply");
  return undefined;
}
