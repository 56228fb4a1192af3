import { productId } from "@product-search/core/domain/identity.ts";
import { bareProduct } from "@product-search/testing/fake-products.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeOnOpenSearch } from "../../testing/opensearch.ts";
import { openTextOnOpenSearch, type TextOnOpenSearch } from "../../testing/opensearch-text.ts";

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
