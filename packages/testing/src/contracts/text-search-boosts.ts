import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { TextQuery, TextSearch } from "@product-search/core/ports/text-search.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bareProduct } from "../fake-products.ts";

/** The part of an open text search that these tests need. */
interface OpenRanking {
  readonly textSearch: TextSearch;
  add(inputs: readonly ProductInput[]): Promise<void>;
  setPopularity(values: Readonly<Record<string, number>>): Promise<void>;
  keyOf(rowId: number): Promise<string>;
  close(): Promise<void>;
}

const none = { hide: [], pin: [] };

/** Factors of the relevance, and the order of equally relevant products. In a catalog of their own. */
export function describeBoosts(open: () => Promise<OpenRanking>): void {
  let opened: OpenRanking;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const search = async (text: string, query: Partial<TextQuery> = {}) => {
    const hits = await opened.textSearch.search(
      { text, filters: {}, sort: "relevance", order: "desc", offset: 0, limit: 20, ...query },
      new AbortController().signal,
    );
    return { ...hits, keys: await Promise.all(hits.rowIds.map(opened.keyOf)) };
  };

  describe("rules", () => {
    test("multiplies the relevance of products with an attribute", async () => {
      await opened.add([
        bareProduct("q1", { name: "Quilt", attributes: { color: ["Crème"] } }),
        bareProduct("q2", { name: "Quilt", attributes: { color: ["Navy"] } }),
        bareProduct("q3", {
          name: "Quilt",
          attributes: { color: ["Navy"], size: ["M"], Edge_Trim: ["Lace"] },
        }),
      ]);
      const boosted = async (attributes: { name: string; values: string[] }[], factor: number) =>
        (await search("quilt", { rules: { ...none, boosts: [{ filters: { attributes }, factor }] } })).keys;
      expect((await boosted([{ name: "Color", values: ["creme"] }], 0.5)).at(-1)).toBe("q1");
      expect((await boosted([{ name: "Color", values: ["creme"] }], 2))[0]).toBe("q1");
      const both = [
        { name: "color", values: ["navy", "red"] },
        { name: "size", values: ["m"] },
      ];
      expect((await boosted(both, 2))[0]).toBe("q3");
    });

    test("finds the names of attributes in a text", async () => {
      const named = async (text: string) => (await opened.textSearch.attributesNamedIn(text)).toSorted();
      expect(await named("quilts by colour, Sizes and edge trim")).toEqual(["color", "edge_trim", "size"]);
      expect(await named("a navy quilt with an edge")).toEqual([]);
    });
  });

  describe("boosted products", () => {
    test("have more relevance by the factor, which is in no facet and changes no other sort", async () => {
      await opened.add([
        bareProduct("z1", { name: "Oak zither", priceMinor: 100 }),
        bareProduct("z2", { name: "Oak zither", priceMinor: 200 }),
        bareProduct("z3", { name: "Oak zither", priceMinor: 300, isBoosted: true }),
        bareProduct("z4", { name: "Zither stand with a long name", isBoosted: true, priceMinor: 50 }),
      ]);
      const plain = await search("zither");
      const boosted = await search("zither", {
        boostFactor: 1.5,
        facets: {
          names: ["brands", "categories", "stores"],
          maxValues: 5,
          attributes: { frequent: 20, names: [] },
        },
      });
      expect(plain.keys.indexOf("z3")).toBeGreaterThan(0);
      expect(boosted.keys[0]).toBe("z3");
      expect(boosted.total).toBe(plain.total);
      expect(boosted.facets?.attributes.map(({ name }) => name)).not.toContain("boosted");
      expect((await search("zither", { boostFactor: 10 })).keys.slice(0, 2).toSorted()).toEqual(["z3", "z4"]);
      const byPrice = { sort: "price", order: "asc", boostFactor: 10 } as const;
      expect((await search("zither", byPrice)).keys).toEqual(["z4", "z1", "z2", "z3"]);
    });

    test("add to the boosts of rules", async () => {
      const rules = { hide: [], pin: [], boosts: [{ filters: { brands: ["Noctis"] }, factor: 1.2 }] };
      await opened.add([
        bareProduct("y1", { name: "Yurt", brand: "Noctis" }),
        bareProduct("y2", { name: "Yurt", brand: "Other", isBoosted: true }),
      ]);
      expect((await search("yurt", { rules })).keys[0]).toBe("y1");
      expect((await search("yurt", { rules, boostFactor: 1.5 })).keys[0]).toBe("y2");
    });
  });

  describe("products out of stock", () => {
    test("come last by relevance in every page, behind groups with a member in stock; pins stay", async () => {
      const product = (key: string, name: string, availability: "in_stock" | "out_of_stock" | "backorder") =>
        bareProduct(key, { name, availability });
      await opened.add([
        product("w1", "Wherry", "out_of_stock"),
        product("w2", "Wherry model for a long shelf", "in_stock"),
        { ...product("w3", "Wherry", "out_of_stock"), groupId: "w" },
        { ...product("w4", "Wherry kit of green wood", "backorder"), groupId: "w" },
        product("w5", "Wherry of oak", "in_stock"),
      ]);
      const mixed = (await search("wherry")).keys;
      const isOut = (key: string) => key === "w1" || key === "w3";
      expect(mixed.findIndex(isOut)).toBeLessThan(2);
      const last = { outOfStockLast: true };
      const whole = [...mixed.filter((key) => !isOut(key)), ...mixed.filter(isOut)];
      expect((await search("wherry", last)).keys).toEqual(whole);
      const pages = await Promise.all(
        [0, 2, 4].map((offset) => search("wherry", { ...last, offset, limit: 2 })),
      );
      expect(pages.flatMap(({ keys }) => keys)).toEqual(whole);
      const grouped = await search("wherry", { ...last, grouped: { maxVariants: 0 } });
      expect(grouped.keys.toSorted()).toEqual(["w1", "w2", "w4", "w5"]);
      expect(grouped.keys.at(-1)).toBe("w1");
      const byPrice = { sort: "price", order: "asc" } as const;
      expect((await search("wherry", { ...last, ...byPrice })).keys).toEqual(
        (await search("wherry", byPrice)).keys,
      );
      const pinned = (await search("wherry")).rowIds[mixed.indexOf("w1")] ?? 0;
      const rules = { ...none, boosts: [], pin: [{ rowId: pinned, position: 0 }] };
      expect((await search("wherry", { ...last, rules })).keys).toEqual([
        "w1",
        ...whole.filter((key) => key !== "w1"),
      ]);
      const boosts = [{ filters: { brands: ["none"] }, factor: 3 }];
      expect((await search("wherry", { ...last, rules: { ...none, boosts } })).keys).toEqual(whole);
      const suggested = await opened.textSearch.suggest(
        { text: "wherry", source: "catalog", queryLimit: 3, nameLimit: 0, productLimit: 9, ...last },
        new AbortController().signal,
      );
      expect(await opened.keyOf(suggested.rowIds.at(-1) ?? 0)).toBe("w1");
    });
  });

  describe("popular products", () => {
    test("come first among equally relevant ones and by their own sort, and raise nothing that does not match", async () => {
      await opened.add(
        ["x1", "x2", "x3"].map((key) =>
          bareProduct(key, { name: "Xylophone", averageRating: 3, reviewCount: 9 }),
        ),
      );
      await opened.add([bareProduct("x4", { name: "Mallet", description: "For a xylophone." })]);
      const before = await search("xylophone");
      expect(before.keys.at(-1)).toBe("x4");
      await opened.setPopularity({ x2: 3, x3: 40, x4: 900, a: 1000 });
      const after = await search("xylophone");
      expect(after.keys).toEqual(["x3", "x2", "x1", "x4"]);
      expect(after.total).toBe(before.total);
      const sorted = async (order: "asc" | "desc") =>
        (await search("xylophone", { sort: "popularity", order })).keys;
      expect(await sorted("desc")).toEqual(["x4", "x3", "x2", "x1"]);
      expect(await sorted("asc")).toEqual(["x1", "x2", "x3", "x4"]);
    });
  });
}
