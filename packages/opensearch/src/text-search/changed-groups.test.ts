import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { TextQuery } from "@product-search/core/ports/text-search.ts";
import { bareProduct } from "@product-search/testing/fake-products.ts";
import { testSeed } from "@product-search/testing/seed.ts";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { describeOnOpenSearch } from "../../testing/opensearch.ts";
import { openTextOnOpenSearch } from "../../testing/opensearch-text.ts";
import { type Cluster, ClusterError } from "../cluster/cluster.ts";

const { signal } = new AbortController();
const everything: TextQuery = {
  text: "",
  filters: { source: "catalog" },
  sort: "price",
  offset: 0,
  limit: 50,
  facets: {
    names: ["brands", "price", "availability"],
    maxValues: 50,
    attributes: { frequent: 5, names: [] },
    ignoreOwnFilter: true,
  },
  grouped: { maxVariants: 50 },
};
const queries: readonly TextQuery[] = [
  everything,
  { ...everything, filters: { source: "catalog", attributes: [{ name: "color", values: ["red"] }] } },
  { ...everything, text: "lamp", sort: "relevance" },
];

describeOnOpenSearch("groups whose products change", () => {
  const seed = testSeed("the changes of groups", 11);
  const numbers = fc.sample(fc.integer({ min: 0, max: 9_999 }), { seed, numRuns: 5_000 });
  const next = () => (numbers.pop() ?? 0) / 10_000;
  const chance = (share: number) => next() < share;
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  const pick = <Item>(items: readonly [Item, ...Item[]]): Item =>
    items[integer(0, items.length - 1)] ?? items[0];
  const product = (number: number): ProductInput =>
    bareProduct(`p${number}`, {
      name: pick(["Lamp", "Desk lamp", "Oak desk"]),
      brand: pick(["Noctis", "Bolt"]),
      priceMinor: integer(1, 5) * 1000,
      availability: pick(["in_stock", "out_of_stock"]),
      attributes: { color: [pick(["Red", "Blue"])] },
      ...(chance(0.8) && { groupId: pick(["A", "B", "C"]) }),
    });

  /** Fails now and then before or after the cluster has done what was asked, as when a node is lost. */
  const unreliable = (cluster: Cluster): Cluster => ({
    ...cluster,
    request: async (request, ...rest) => {
      const fails = request.path.includes("_bulk") && chance(0.3);
      if (fails && chance(0.5)) throw new ClusterError(undefined, "lost before");
      const response = await cluster.request(request, ...rest);
      if (fails) throw new ClusterError(undefined, "lost after");
      return response;
    },
  });

  const openComparison = async () => {
    const opened = await openTextOnOpenSearch();
    onTestFinished(opened.close);
    const compare = async () => {
      await opened.caughtUp();
      for (const query of queries)
        expect(await opened.textSearch.search(query, signal)).toEqual(
          await opened.embedded.search(query, signal),
        );
    };
    return { ...opened, compare };
  };

  test("are counted like those of the embedded index after every change", async () => {
    const { store, compare, ...opened } = await openComparison();
    await store.apply(Array.from({ length: 12 }, (_, i) => product(i)));
    opened.startWriter({ cluster: unreliable(opened.cluster) });
    for (let round = 0; round < 5; round++) {
      for (let change = integer(1, 4); change > 0; change--) {
        const found = await store.scan(0, 100);
        const { id } = found[integer(0, found.length - 1)] ?? { id: "" };
        if (found.length > 2 && chance(0.3)) await store.remove([id]);
        else await store.apply([product(integer(0, 15)), product(integer(0, 15))]);
      }
      await compare();
    }
    // The last members leave.
    for (const { id } of await store.scan(0, 100)) await store.remove([id]);
    await store.apply([bareProduct("last", {})]);
    await compare();
  });

  test("have all members when failures make the batches smaller", async () => {
    const { store, compare, cluster, startWriter } = await openComparison();
    const inGroup = (key: string, groupId: string) => bareProduct(key, { name: "Lamp", brand: key, groupId });
    await store.apply([inGroup("stays", "A"), inGroup("leaves", "A"), inGroup("joins", "B")]);
    const stop = startWriter();
    await compare();
    await stop();
    // Of both changes, what they leave is written, then the rows. Then nothing is, until one change is written at once.
    let bulks = 0;
    startWriter({
      cluster: {
        ...cluster,
        request: async (request, ...rest) => {
          if (!request.path.includes("_bulk") || ++bulks > 11) return cluster.request(request, ...rest);
          const response = bulks <= 2 ? await cluster.request(request, ...rest) : undefined;
          if (bulks === 1) return response;
          throw new ClusterError(undefined, "lost");
        },
      },
    });
    await store.apply([inGroup("joins", "A"), inGroup("leaves", "B")]);
    await compare();
  });
});
