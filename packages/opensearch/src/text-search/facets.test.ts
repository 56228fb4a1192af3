import { maxFacetAttributes } from "@product-search/core/domain/attributes.ts";
import type { TextHits } from "@product-search/core/ports/text-search.ts";
import { bareProduct } from "@product-search/testing/fake-products.ts";
import type { FacetRequest } from "@product-search/text-index";
import { expect, onTestFinished, test } from "vitest";
import { describeOnOpenSearch, openTestIndex } from "../../testing/opensearch.ts";
import { openTextOnOpenSearch } from "../../testing/opensearch-text.ts";
import { chooseAttributes, valueAggregations } from "./attribute-facets.ts";
import { bucketsOf, compileFacets } from "./facets.ts";
import { runSearches } from "./run-searches.ts";
import { textLayout } from "./text-layout.ts";

const { signal } = new AbortController();

describeOnOpenSearch("a catalog with more names of attributes than can be facets", () => {
  test("has those of most products, as the text index does; the others find nothing", async () => {
    const opened = await openTextOnOpenSearch();
    onTestFinished(opened.close);
    // The names of the last products come too late, except the one that many have.
    const products = Array.from({ length: 300 }, (_, at) =>
      bareProduct(`P${at}`, {
        name: "Mug",
        attributes: {
          [`own ${at} a`]: ["x"],
          [`own ${at} b`]: [`y${at}`],
          ...(at < 100 && { finish: ["glazed"] }),
        },
      }),
    );
    await opened.store.apply(products);
    opened.startWriter();
    await opened.caughtUp();
    const query = (name?: string, value = "x") => ({
      text: "mug",
      filters: {
        source: "catalog" as const,
        ...(name !== undefined && { attributes: [{ name, values: [value] }] }),
      },
      sort: "relevance" as const,
      offset: 0,
      limit: 1,
      facets: { names: [], maxValues: 10, attributes: { frequent: 1000, names: ["own 299 b"] } },
    });
    const both = async (name?: string, value?: string): Promise<[TextHits, TextHits]> => [
      await opened.embedded.search(query(name, value), signal),
      await opened.textSearch.search(query(name, value), signal),
    ];
    const [embedded, cluster] = await both();
    const namesOf = ({ facets }: TextHits) => facets?.attributes?.map(({ name }) => name).toSorted();
    expect(namesOf(cluster)).toEqual(namesOf(embedded));
    expect(namesOf(cluster)).toContain("finish");
    const filled = cluster.facets?.attributes?.filter(({ values }) => values.length > 0);
    expect(filled).toHaveLength(maxFacetAttributes);
    for (const [name, value] of [
      ["finish", "glazed"],
      ["own 0 a", "x"],
      ["own 299 b", "y299"],
    ] as const) {
      const [one, other] = await both(name, value);
      expect([name, other.total]).toEqual([name, one.total]);
    }
    expect((await both("own 299 b", "y299"))[1].total).toBe(0);
  });
});

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
