import { setTimeout } from "node:timers/promises";
import { describeVectorSearch, dimensions, model } from "@product-search/testing/contracts/vector-search.ts";
import { createMemoryVectors } from "@product-search/testing/memory-ports.ts";
import { describeOnOpenSearch, openTestIndex, soleLease } from "../../testing/opensearch.ts";
import { followVectorModel, keepVectorIndex, type SearchedVectors } from "./keep-vector-index.ts";
import { createOpenSearchVectorSearch } from "./opensearch.ts";

const fail = (error: unknown) => {
  throw error;
};

describeOnOpenSearch("vector search on OpenSearch", () => {
  describeVectorSearch(async () => {
    const { cluster, alias, close } = openTestIndex();
    const store = createMemoryVectors();
    const stopping = new AbortController();
    const kept = keepVectorIndex(
      {
        cluster,
        alias,
        store,
        lease: soleLease,
        markAt: async () => "test",
        model,
        dimensions,
        onRefused: fail,
        onError: fail,
        onNewerLayout: fail,
        pollMs: 5,
      },
      stopping.signal,
    );
    let searched: SearchedVectors | undefined;
    let receive: (newest: SearchedVectors) => void = () => {};
    const followed = followVectorModel(
      {
        cluster,
        alias,
        store,
        publish: (newest) => {
          searched = newest;
          receive(newest);
        },
        onError: fail,
        pollMs: 5,
      },
      stopping.signal,
    );
    const search = createOpenSearchVectorSearch({
      cluster,
      subscribe: (listener) => {
        receive = listener;
      },
    });
    while (searched === undefined) await Promise.race([setTimeout(5), kept, followed]);
    return {
      search,
      async put(rowId, vectors) {
        const sequence = store.put(rowId, vectors);
        while ((searched?.sequence ?? 0) < sequence) await Promise.race([setTimeout(5), kept, followed]);
        await cluster.request({ method: "POST", path: `/${alias}/_refresh` });
      },
      async close() {
        stopping.abort();
        await Promise.all([kept, followed]);
        await close();
      },
    };
  });
});
