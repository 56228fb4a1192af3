/** What OpenSearch says of a search that found so many documents. */
export function searchHeader(total: number) {
  return {
    timed_out: false,
    _shards: { failed: 0 },
    hits: { total: { value: total, relation: "eq" }, hits: [] },
  };
}
