import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { TextHits, TextQuery, TextSearch } from "@product-search/core/ports/text-search.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { bareProduct } from "../fake-products.ts";

const poncho = (key: string, color: string, given: Partial<ProductInput> = {}) =>
  bareProduct(key, {
    name: "Poncho of wool",
    groupId: "PONCHO",
    priceMinor: 2000,
    attributes: { color: [color] },
    ...given,
  });

const products = [
  poncho("p1", "Teal", { priceMinor: 2500, averageRating: 4, availability: "out_of_stock" }),
  poncho("p2", "Plum", { priceMinor: 1500, averageRating: 2 }),
  poncho("p3", "Plum", { priceMinor: 9900, averageRating: 5 }),
  poncho("q1", "Teal", { groupId: "CAPE", name: "Poncho with a hood", priceMinor: 1800, averageRating: 3 }),
  bareProduct("r1", { name: "Poncho for children", priceMinor: 700, attributes: { color: ["Plum"] } }),
  poncho("s1", "Plum", { name: "Poncho of silk", source: "marketplace-a" }),
];

type Found = TextHits & { readonly keys: readonly string[] };

/** The part of the contract on groups. */
export function describeGroups(
  textSearch: () => TextSearch,
  add: (inputs: readonly ProductInput[]) => Promise<void>,
  search: (text: string, query: Partial<TextQuery>) => Promise<Found>,
  keyOf: (rowId: number) => Promise<string>,
): void {
  describe("a search for groups", () => {
    beforeAll(() => add(products));

    const filters = { source: "catalog" } as const;
    const grouped = (query: Partial<TextQuery>, maxVariants = 0) =>
      search("poncho", { filters, grouped: { maxVariants: maxVariants }, ...query });
    const rowOf = async (key: string) => {
      const { keys, rowIds } = await search("poncho", { filters });
      return rowIds[keys.indexOf(key)] ?? 0;
    };
    const none = { hide: [], pin: [], boosts: [] };

    test("has the best of each group by the sort, and counts groups", async () => {
      const byPrice = await grouped({ sort: "price", order: "asc" });
      expect(byPrice).toMatchObject({ keys: ["r1", "p2", "q1"], total: 3 });
      expect((await grouped({ sort: "price", order: "desc" })).keys).toEqual(["p3", "q1", "r1"]);
      expect((await grouped({ sort: "rating" })).keys).toEqual(["p3", "q1", "r1"]);
      // A group of a marketplace is another group.
      expect(await grouped({ filters: {}, sort: "price", order: "asc" })).toMatchObject({ total: 4 });
    });

    test("tells how many of a group match, their prices and which they are", async () => {
      const { groups = [] } = await grouped({ sort: "price", order: "asc" }, 2);
      expect(groups.map(({ rowIds: _, ...rest }) => rest)).toEqual([
        { count: 1, minPriceMinor: 700, maxPriceMinor: 700 },
        { count: 3, minPriceMinor: 1500, maxPriceMinor: 9900 },
        { count: 1, minPriceMinor: 1800, maxPriceMinor: 1800 },
      ]);
      expect(groups.map(({ rowIds }) => rowIds.length)).toEqual([1, 2, 1]);
    });

    test("shows the variant that passes the filters, and counts only those that do", async () => {
      const attributes = [{ name: "color", values: ["teal"] }];
      const { keys, total, groups } = await grouped({
        filters: { ...filters, attributes },
        sort: "price",
        order: "asc",
      });
      expect({ keys, total }).toEqual({ keys: ["q1", "p1"], total: 2 });
      expect(groups?.map(({ count }) => count)).toEqual([1, 1]);
    });

    test("has every group on exactly one page", async () => {
      for (const sort of ["relevance", "price", "rating"] as const) {
        const { keys } = await grouped({ sort });
        const pages = [];
        for (let offset = 0; offset < 4; offset++)
          pages.push(...(await grouped({ sort, offset, limit: 1 })).keys);
        expect(pages).toEqual(keys);
      }
    });

    test("counts groups in facets, each once for a value, and without its own filter", async () => {
      const { facets, total } = await grouped({
        filters: { ...filters, attributes: [{ name: "color", values: ["teal"] }], maxPriceMinor: 5000 },
        facets: {
          names: ["availability", "price"],
          maxValues: 50,
          attributes: { frequent: 1, names: [] },
          ignoreOwnFilter: true,
        },
      });
      expect(total).toBe(2);
      expect(facets?.attributes).toEqual([
        {
          name: "color",
          values: [
            { value: "Plum", count: 2 },
            { value: "Teal", count: 2 },
          ],
        },
      ]);
      expect(facets?.availability).toEqual([
        { value: "in_stock", count: 1 },
        { value: "out_of_stock", count: 1 },
      ]);
      expect(facets?.price.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    });

    test("counts attributes whatever signs their names have, also without groups", async () => {
      const [bracket, angle, coded] = ["Fit [UK]", "Warm > cold", "Fit %91UK%93"];
      await add([
        bareProduct("m1", { name: "Mitten", attributes: { [bracket]: ["7"], [angle]: ["Yes"] } }),
        bareProduct("m2", { name: "Mitten", groupId: "MITTEN", attributes: { [bracket]: ["8"] } }),
        bareProduct("m3", { name: "Mitten", groupId: "MITTEN", attributes: { [coded]: ["9"] } }),
      ]);
      for (const options of [{}, { grouped: { maxVariants: 0 } }]) {
        const { facets } = await search("mitten", {
          filters: { ...filters, attributes: [{ name: bracket, values: ["8"] }] },
          facets: {
            names: ["brands", "categories", "stores"],
            maxValues: 50,
            attributes: { frequent: 1, names: [angle, coded] },
            ignoreOwnFilter: true,
          },
          ...options,
        });
        expect(facets?.attributes).toEqual([
          {
            name: bracket,
            values: [
              { value: "7", count: 1 },
              { value: "8", count: 1 },
            ],
          },
          { name: angle, values: [] },
          { name: coded, values: [] },
        ]);
        const all = await search("mitten", {
          filters,
          facets: {
            names: ["brands", "categories", "stores"],
            maxValues: 50,
            attributes: { frequent: 0, names: [angle, coded] },
            ignoreOwnFilter: true,
          },
          ...options,
        });
        expect(all.facets?.attributes).toEqual([
          { name: angle, values: [{ value: "Yes", count: 1 }] },
          { name: coded, values: [{ value: "9", count: 1 }], range: { min: 9, max: 9, unit: "" } },
        ]);
      }
    });

    test("hides products, so that another variant is the hit", async () => {
      const hide = [await rowOf("p2"), await rowOf("r1")];
      const { keys, groups } = await grouped({ sort: "price", order: "asc", rules: { ...none, hide } });
      expect(keys).toEqual(["q1", "p1"]);
      expect(groups?.map(({ count }) => count)).toEqual([1, 2]);
    });

    test("shows a pinned product for its group, at its position", async () => {
      const pin = [
        { rowId: await rowOf("p3"), position: 1 },
        { rowId: await rowOf("p1"), position: 2 },
      ];
      const { keys, total, groups } = await grouped({ rules: { ...none, pin } });
      expect([keys.length, total, keys[1]]).toEqual([3, 3, "p3"]);
      expect(groups?.[1]?.count).toBe(3);
      const pages = [];
      for (let offset = 0; offset < 3; offset++)
        pages.push(...(await grouped({ rules: { ...none, pin }, offset, limit: 1 })).keys);
      expect(pages).toEqual(keys);
    });

    test("raises a group by one of its variants", async () => {
      const { keys } = await grouped({});
      const last = keys.at(-1) ?? "";
      const boosts = [{ filters: {}, rowIds: [await rowOf(last)], factor: 10 }];
      expect((await grouped({ rules: { ...none, boosts } })).keys[0]).toBe(last);
    });

    test("has pinned products under every sort, also if they lack the words", async () => {
      const pin = [{ rowId: await rowOf("q1"), position: 0 }];
      for (const sort of ["relevance", "price", "rating"] as const) {
        const wool = { everyWord: false, filters, sort, grouped: { maxVariants: 0 } };
        const found = await search("poncho of wool", wool);
        const pinned = await search("poncho of wool", { ...wool, rules: { ...none, pin } });
        expect([found.total, pinned.total], sort).toEqual([1, 2]);
        expect(pinned.keys, sort).toContain("q1");
      }
    });

    test("suggests one product of each group", async () => {
      const limits = { queryLimit: 8, nameLimit: 5, productLimit: 5 };
      const query = { text: "ponch", source: "catalog", ...limits } as const;
      const { rowIds } = await textSearch().suggest(query, new AbortController().signal);
      const keys = await Promise.all(rowIds.map(keyOf));
      expect(keys.map((key) => key.slice(0, 1)).toSorted()).toEqual(["p", "q", "r"]);
    });
  });
}
