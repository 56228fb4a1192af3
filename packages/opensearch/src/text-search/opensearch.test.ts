import { productId } from "@product-search/core/domain/identity.ts";
import { describeTextSearch, type OpenTextSearch } from "@product-search/testing/contracts/text-search.ts";
import { bareProduct } from "@product-search/testing/fake-products.ts";
import { emptySnapshot, type Languages } from "@product-search/text-index";
import { describeLanguages } from "@product-search/text-search/testing/contract-languages.ts";
import { tieNumber } from "@product-search/text-search/to-index.ts";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, test } from "vitest";
import { describeOnOpenSearch } from "../../testing/opensearch.ts";
import { openTextOnOpenSearch, type TextOnOpenSearch } from "../../testing/opensearch-text.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { createOpenSearchTextSearch } from "./opensearch.ts";

describe("opensearch", () => {
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
});

const { signal } = new AbortController();

/** Five products that are always included, at most two more with new words, and one with a new name. */
const size = { documents: 5, words: 7, names: 8 };

describeOnOpenSearch("a vocabulary that is a sample of the catalog", () => {
  let opened: TextOnOpenSearch;
  beforeEach(async () => {
    opened = await openTextOnOpenSearch(size);
    opened.startWriter();
    const lamps = Array.from({ length: 20 }, (_, n) =>
      bareProduct(`L${n}`, { name: "Oak lamp", brand: "Lux" }),
    );
    await opened.store.apply(lamps);
    await opened.store.apply([
      bareProduct("K1", { name: "Zirkonium kettle", brand: "Ferrolux" }),
      bareProduct("K2", { name: "Yttrium kettle", brand: "Ferrolux" }),
      bareProduct("K3", { name: "Scandium kettle", brand: "Ferrolux" }),
      bareProduct("K4", { name: "Indium kettle", brand: "Nordwind" }),
      bareProduct("K5", { name: "Gallium kettle", brand: "Suedwind" }),
    ]);
    await opened.caughtUp();
  });
  afterEach(() => opened?.close());

  const search = async (text: string) => {
    const hits = await opened.textSearch.search(
      { text, filters: {}, sort: "relevance", offset: 0, limit: 5 },
      signal,
    );
    const products = await opened.store.findByRowIds(hits.rowIds);
    return { ...hits, keys: products.map(({ key }) => key) };
  };
  const suggest = (text: string) =>
    opened.textSearch.suggest(
      { text, source: "catalog", queryLimit: 5, nameLimit: 5, productLimit: 5 },
      signal,
    );

  test("finds all products and their exact number, those outside of the sample too", async () => {
    expect(await search("oak lamp")).toMatchObject({ total: 20 });
    expect(await search("kettle")).toMatchObject({ total: 5 });
    expect(await search("scandium kettle")).toMatchObject({ total: 1, keys: ["K3"] });
  });

  test("corrects and completes words that came after the first products, and finds their brands", async () => {
    expect(await search("zirkonum kettle")).toMatchObject({ total: 1, keys: ["K1"] });
    expect((await suggest("yttr")).queries).toEqual(["yttrium"]);
    expect(await opened.textSearch.findBrands("ferolux", 5)).toEqual(["Ferrolux"]);
  });

  test("finds a word after its product has left the sample, but does not complete it", async () => {
    await opened.store.apply([bareProduct("K6", { name: "Yttrium lamp", brand: "Lux" })]);
    await opened.store.remove([productId("catalog", "K2")]);
    await opened.caughtUp();
    expect(await search("yttrium lamp")).toMatchObject({ total: 1, keys: ["K6"] });
    expect((await suggest("yttr")).queries).toEqual([]);
  });

  test("finds brands that came when it had enough words", async () => {
    expect(await opened.textSearch.findBrands("nordwnd", 5)).toEqual(["Nordwind"]);
  });

  test("does not correct or complete words, or find brands, beyond its limits", async () => {
    expect((await search("scandum kettle")).keys).not.toEqual(["K3"]);
    expect((await suggest("scand")).queries).toEqual([]);
    expect(await opened.textSearch.findBrands("suedwind", 5)).toEqual([]);
  });
});

describe("tie number", () => {
  const catalogId = fc.stringMatching(/^[0-9a-f]{24}$/);
  const itemCode = fc.string({ unit: fc.constantFrom(..."-09AZ_az"), minLength: 1, maxLength: 8 });
  const id = fc.oneof(
    catalogId,
    itemCode.map((code) => `marketplace-a_${code}`),
    itemCode.map((code) => `marketplace-b_${code}`),
  );

  it("has the order of the identifiers, as far as it tells them apart", () => {
    fc.assert(
      fc.property(id, id, (one, other) => {
        const order = Math.sign(tieNumber(one) - tieNumber(other));
        if (order !== 0) expect(order).toBe(one < other ? -1 : 1);
      }),
    );
  });

  it("tells short item codes apart, and catalog products by their first eight digits", () => {
    fc.assert(
      fc.property(itemCode, itemCode, (one, other) => {
        const numbers = [`marketplace-a_${one}`, `marketplace-a_${other}`].map(tieNumber);
        expect(numbers[0] === numbers[1]).toBe(one === other);
      }),
    );
    expect(tieNumber("64f0c2a1".padEnd(24, "0"))).toBeLessThan(tieNumber("64f0c2a2".padEnd(24, "0")));
  });

  it.each(["", "é", "marketplace-b_zzzzzzzzzzzz", "~".repeat(30)])("is exact as JSON for %j", (text) => {
    expect(Number.isSafeInteger(tieNumber(text))).toBe(true);
  });
});
