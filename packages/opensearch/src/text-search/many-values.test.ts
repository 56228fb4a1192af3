import type { FacetRequest } from "@product-search/text-index";
import { expect, test } from "vitest";
import { describeOnOpenSearch, openTestIndex } from "../../testing/opensearch.ts";
import { chooseAttributes, valueAggregations } from "./attribute-facets.ts";
import { bucketsOf, compileFacets } from "./facets.ts";
import { runSearches } from "./run-searches.ts";
import { textLayout } from "./text-layout.ts";

describeOnOpenSearch("lists with more values than a response of OpenSearch can have", () => {
  const numbers = Array.from({ length: 17_000 }, (_, i) => `${i}`);
  const names = ["color", "size", "shape", "weave"];
  const request: FacetRequest = { names: ["brands", "categories", "stores", "categoryPaths"], maxValues: 50 };

  test("are cut at their ends", async () => {
    const { cluster, alias, close } = openTestIndex(60_000);
    try {
      const settings = { ...textLayout().settings, number_of_shards: 2, number_of_replicas: 0 };
      await cluster.request({ method: "PUT", path: `/${alias}`, body: { ...textLayout(), settings } });
      const all = {
        rowId: 1,
        brandFacet: numbers,
        category: numbers,
        storeFacet: numbers,
        levels: numbers,
        attributeNames: names,
        attributes: names.flatMap((name) => numbers.map((number) => `${name}\u0000${number}`)),
      };
      const some = { rowId: 2, brandFacet: ["16999"], attributes: ["weave\u000016999"] };
      const lines = [{ index: { _id: "1" } }, all, { index: { _id: "2" } }, some];
      await cluster.request({
        method: "POST",
        path: `/${alias}/_bulk?refresh=true`,
        lines: lines.map((line) => JSON.stringify(line)),
      });
      const own = new Map();
      const chosen = chooseAttributes(
        { frequent: 4, names: [] },
        own,
        () => names.map((key) => ({ key, doc_count: 1 })),
        () => true,
      );
      const [values, facets] = await runSearches(
        { cluster, index: alias },
        [
          { size: 0, aggs: valueAggregations(chosen, own, "products") },
          { size: 0, aggs: compileFacets(request, own, "alone") },
        ],
        { preference: "test" },
      );
      const inList = (aggregations: unknown, name: string) => bucketsOf(aggregations)(name);
      for (const name of names) expect(inList(values?.aggregations, `${name}\u0000`)).toHaveLength(15_000);
      for (const name of ["brands", "categories", "stores", "categoryPaths"])
        expect(inList(facets?.aggregations, name)).toHaveLength(8_000);
      // The most frequent values stay, with exact counts.
      expect(inList(facets?.aggregations, "brands")[0]).toEqual({ key: "16999", doc_count: 2 });
      expect(inList(values?.aggregations, "weave\u0000")[0]).toEqual({
        key: "weave\u000016999",
        doc_count: 2,
      });
    } finally {
      await close();
    }
  });
});
