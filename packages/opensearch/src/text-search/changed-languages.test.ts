import { bareProduct } from "@product-search/testing/fake-products.ts";
import { languagesOfCatalog } from "@product-search/text-search/catalog-languages.ts";
import { serviceLanguages } from "@product-search/text-search/service-languages.ts";
import { expect, onTestFinished, test } from "vitest";
import { describeOnOpenSearch } from "../../testing/opensearch.ts";
import { openTextOnOpenSearch } from "../../testing/opensearch-text.ts";
import { findBuiltIndex } from "../cluster/index-names.ts";

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
