import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { TextQuery } from "@product-search/core/ports/text-search.ts";
import { bareProduct } from "@product-search/testing/fake-products.ts";
import { testSeed } from "@product-search/testing/seed.ts";
import { languagesOfCatalog } from "@product-search/text-search/catalog-languages.ts";
import { serviceLanguages } from "@product-search/text-search/service-languages.ts";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { describeOnOpenSearch } from "../../testing/opensearch.ts";
import { openTextOnOpenSearch, type TextOnOpenSearch } from "../../testing/opensearch-text.ts";
import { type Cluster, ClusterError } from "../cluster/cluster.ts";
import { findBuiltIndex } from "../cluster/index-names.ts";

describe("changed groups", () => {
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
      const inGroup = (key: string, groupId: string) =>
        bareProduct(key, { name: "Lamp", brand: key, groupId });
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
});

describe("changed languages", () => {
  const { signal } = new AbortController();

  describeOnOpenSearch("an index with other languages", () => {
    test("follows changes until the one with the languages of the service is complete", async () => {
      const opened = await openTextOnOpenSearch();
      onTestFinished(() => opened.close());
      const { store, cluster, alias } = opened;
      const total = async (text: string) => {
        const query = { text, filters: {}, sort: "relevance", offset: 0, limit: 5 } as const;
        return (await opened.textSearch.search(query, signal)).total;
      };
      await store.apply([bareProduct("a", { name: "Lamp for a desk" })]);
      const stop = opened.startWriter();
      await opened.caughtUp();
      await stop();
      const former = await findBuiltIndex(cluster, alias);

      let scans = 0;
      const searched: unknown[] = [];
      const scan: typeof store.scan = async (afterRowId, limit) => {
        if (afterRowId > 0 && limit > 1) scans += 1;
        if (scans === 1) await store.apply([bareProduct("b", { name: "Brass desk lamp" })]);
        if (scans === 2) {
          await cluster.request({ method: "POST", path: `/${alias}/_refresh` });
          searched.push({ total: await total("lamp"), index: (await findBuiltIndex(cluster, alias))?.name });
        }
        return store.scan(afterRowId, limit);
      };
      opened.startWriter({ languages: serviceLanguages(["de", "en"]), log: { ...store, scan } });
      await expect
        .poll(async () => (await findBuiltIndex(cluster, alias))?.identity, { timeout: 60_000 })
        .toBe("products de,en");
      expect(searched).toEqual([{ total: 2, index: former?.name }]);
      await opened.caughtUp();
      expect(await total("lamp")).toBe(2);
    });

    test("is replaced when products in other languages come", async () => {
      const opened = await openTextOnOpenSearch(undefined, languagesOfCatalog);
      onTestFinished(() => opened.close());
      const { store, cluster, alias } = opened;
      const identity = async () => (await findBuiltIndex(cluster, alias))?.identity;
      await store.apply([bareProduct("a", { name: "Lamp for a desk" })]);
      opened.startWriter({ languages: languagesOfCatalog, languagesReadMs: 20 });
      await expect.poll(identity, { timeout: 60_000 }).toBe("products");
      const names = [
        "Vestido de niña",
        "Falda para mujer",
        "Camisetas de algodón",
        "Zapatos de piel",
        "Silla azul",
      ];
      await store.apply(names.map((name, at) => bareProduct(`es${at}`, { name })));
      await expect.poll(identity, { timeout: 60_000 }).toBe("products es");
      await opened.caughtUp();
      const query = { text: "vestidos niñas", filters: {}, sort: "relevance", offset: 0, limit: 5 } as const;
      const find = async () => (await opened.textSearch.search(query, signal)).total;
      await expect.poll(find, { timeout: 60_000 }).toBe(1);
    });
  });
});

describe("former layout", () => {
  const { signal } = new AbortController();

  /** Creates indexes like the releases before: groups have no documents, and products no numbers, dates and ranks. */
  function ofFormerRelease(cluster: Cluster): Cluster {
    return {
      ...cluster,
      request(request, ...rest) {
        const text =
          request.method === "PUT" && request.body !== undefined ? JSON.stringify(request.body) : "";
        if (!text.includes('"members"')) return cluster.request(request, ...rest);
        const { mappings, ...others } = JSON.parse(text);
        const added = ["group", "groupKey", "isAlone", "members", "numbers", "newest", "rank"];
        const properties = Object.fromEntries(
          Object.entries(mappings.properties).filter(([name]) => !added.includes(name)),
        );
        return cluster.request(
          { ...request, body: { ...others, mappings: { ...mappings, properties } } },
          ...rest,
        );
      },
    };
  }

  describeOnOpenSearch("an index of the release before", () => {
    let opened: TextOnOpenSearch;
    beforeEach(async () => {
      opened = await openTextOnOpenSearch();
      await opened.store.apply([
        bareProduct("a", { name: "Lamp for a desk", groupId: "G" }),
        bareProduct("b", { name: "Brass desk lamp", groupId: "G" }),
        bareProduct("c", { name: "Oak desk" }),
      ]);
    });
    afterEach(() => opened?.close());

    const plain = (text: string) => ({ text, filters: {}, sort: "relevance", offset: 0, limit: 5 }) as const;
    const search = async (text: string) => {
      const { total, rowIds } = await opened.textSearch.search(plain(text), signal);
      return { total, keys: (await opened.store.findByRowIds(rowIds)).map(({ key }) => key) };
    };

    test("is not the only one that its nodes can search: this layout has what they read", async () => {
      opened.startWriter();
      await opened.caughtUp();
      const docvalueFields = ["rowId", "name", "language"];
      const sort = [{ quality: "desc" }, { tie: "asc" }, { rowId: "asc" }];
      const body = {
        query: { term: { source: 0 } },
        sort,
        docvalue_fields: docvalueFields,
        stored_fields: "_none_",
      };
      const path = `/${opened.alias}/_search`;
      const found = await opened.cluster.request({ method: "POST", path, body });
      const { rowId } = (await opened.store.scan(0, 10)).find(({ key }) => key === "a") ?? {};
      expect(found).toMatchObject({
        hits: {
          hits: expect.arrayContaining([
            expect.objectContaining({
              fields: { rowId: [rowId], name: ["Lamp for a desk"] },
              sort: [expect.any(Number), expect.any(Number), rowId],
            }),
          ]),
        },
      });
    });

    test("is searched with the same results until the one of this release is complete", async () => {
      const stop = opened.startWriter({ cluster: ofFormerRelease(opened.cluster), version: 1 });
      await opened.caughtUp();
      const before = [await search("desk lamp"), await search("oak desk"), await search("unicorn")];
      expect(before[0]).toMatchObject({ total: 2, keys: ["b", "a"] });
      for (const sort of ["newest", "rank", "attributes.width"] as const)
        expect(await opened.textSearch.search({ ...plain("desk lamp"), sort }, signal)).toMatchObject({
          total: 2,
        });
      const grouped = { ...plain("desk lamp"), grouped: { maxVariants: 0 } };
      await expect(opened.textSearch.search(grouped, signal)).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("being built for groups"),
      });
      const limits = { queryLimit: 0, nameLimit: 0, productLimit: 5 };
      const suggested = async () =>
        (await opened.textSearch.suggest({ text: "lamp", source: "catalog", ...limits }, signal)).rowIds
          .length;
      expect(await suggested()).toBe(2);
      await stop();
      opened.startWriter({ version: 2 });
      const { cluster, alias } = opened;
      const searchedIndex = () => cluster.request({ method: "GET", path: `/_alias/${alias}` });
      await expect
        .poll(async () => JSON.stringify(await searchedIndex()), { timeout: 60_000 })
        .toContain("-v2-");
      expect([await search("desk lamp"), await search("oak desk"), await search("unicorn")]).toEqual(before);
      expect(await opened.textSearch.search(grouped, signal)).toMatchObject({
        total: 1,
        groups: [{ count: 2 }],
      });
      expect(await suggested()).toBe(1);
    });
  });
});
