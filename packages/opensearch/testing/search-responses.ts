/** The response of OpenSearch to a search that found this many documents. */
export function searchHeader(total: number) {
  return {
    timed_out: false,
    _shards: { failed: 0 },
    hits: { total: { value: total, relation: "eq" }, hits: [] },
  };
}
