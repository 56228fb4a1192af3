import { describeTextSearch, type OpenTextSearch } from "@product-search/testing/contracts/text-search.ts";
import { bareProduct } from "@product-search/testing/fake-products.ts";
import { emptySnapshot, type Languages } from "@product-search/text-index";
import { describeLanguages } from "@product-search/text-search/testing/contract-languages.ts";
import { expect, onTestFinished, test } from "vitest";
import { describeOnOpenSearch } from "../../testing/opensearch.ts";
import { openTextOnOpenSearch } from "../../testing/opensearch-text.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { createOpenSearchTextSearch } from "./opensearch.ts";

describeOnOpenSearch("text search on OpenSearch", () => {
  const open = async (languages?: Languages): Promise<OpenTextSearch> => {
    const opened = await openTextOnOpenSearch(undefined, languages);
    opened.startWriter();
    return {
      textSearch: opened.textSearch,
      changeSynonyms: opened.changeSynonyms,
      add: async (inputs) => {
        await opened.store.apply(inputs);
        await opened.caughtUp();
      },
      setPopularity: async (values) => {
        const products = await opened.store.scan(0, 1000);
        const changed = products.flatMap(({ rowId, key }) => {
          const popularity = values[key];
          return popularity === undefined ? [] : [{ rowId, popularity }];
        });
        await opened.store.setPopularity(changed);
        await opened.caughtUp();
      },
      keyOf: async (rowId) => (await opened.store.findByRowIds([rowId]))[0]?.key ?? "absent",
      close: opened.close,
    };
  };
  test("has terms as a whole, however long they are", async () => {
    const opened = await openTextOnOpenSearch();
    onTestFinished(opened.close);
    const { cluster, alias, store } = opened;
    opened.startWriter();
    const code = "x1".repeat(150);
    await store.apply([bareProduct("a", { name: "Cable", description: code })]);
    await opened.caughtUp();
    const has = async (term: string) => {
      const body = { query: { term: { terms: term } } };
      return cluster.request({ method: "POST", path: `/${alias}/_count`, body });
    };
    expect(await has(code)).toMatchObject({ count: 1 });
    expect(await has(code.slice(255))).toMatchObject({ count: 0 });
  });

  describeTextSearch(open);
  describeLanguages(open);
});

test("a search fails with a remedy when all its requests together take too long", async () => {
  const request: Cluster["request"] = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  const cluster = { request, isDisturbed: () => false } as Partial<Cluster> as Cluster;
  const textSearch = createOpenSearchTextSearch({
    cluster,
    index: "products",
    timeoutMs: 20,
    subscribe: (receive) => receive(emptySnapshot),
  });
  const query = { text: "lamp", filters: {}, sort: "relevance", offset: 0, limit: 5 } as const;
  const searching = textSearch.search(query, new AbortController().signal);
  await expect(searching).rejects.toMatchObject({ code: "unavailable", headers: { "retry-after": "2" } });
});
