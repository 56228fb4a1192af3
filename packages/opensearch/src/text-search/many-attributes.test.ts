import { maxFacetAttributes } from "@product-search/core/domain/attributes.ts";
import type { TextHits } from "@product-search/core/ports/text-search.ts";
import { bareProduct } from "@product-search/testing/fake-products.ts";
import { expect, onTestFinished, test } from "vitest";
import { describeOnOpenSearch } from "../../testing/opensearch.ts";
import { openTextOnOpenSearch } from "../../testing/opensearch-text.ts";

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
