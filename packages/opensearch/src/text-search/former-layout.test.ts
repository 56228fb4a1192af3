import { bareProduct } from "@product-search/testing/fake-products.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeOnOpenSearch } from "../../testing/opensearch.ts";
import { openTextOnOpenSearch, type TextOnOpenSearch } from "../../testing/opensearch-text.ts";
import type { Cluster } from "../cluster/cluster.ts";

const { signal } = new AbortController();

/** Creates indexes like the releases before: groups have no documents, and products no numbers, dates and ranks. */
function ofFormerRelease(cluster: Cluster): Cluster {
  return {
    ...cluster,
    request(request, ...rest) {
      const text = request.method === "PUT" && request.body !== undefined ? JSON.stringify(request.body) : "";
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
      (await opened.textSearch.suggest({ text: "lamp", source: "catalog", ...limits }, signal)).rowIds.length;
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
