import type { ProductInput } from "@product-search/core/domain/product.ts";
import { productFilter } from "@product-search/core/domain/product-filter.ts";
import type {
  AttributeRange,
  TextFilters,
  TextQuery,
  TextSearch,
} from "@product-search/core/ports/text-search.ts";
import { compileSynonyms, english, parseSynonyms, type SynonymTable } from "@product-search/text-index";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bareProduct } from "../fake-products.ts";
import { describeBoosts } from "./text-search-boosts.ts";
import { describeGroups } from "./text-search-groups.ts";
import { describeSuggestions } from "./text-search-suggestions.ts";

const named = { names: ["brands", "categories", "stores"], maxValues: 10 } as const;

export interface OpenTextSearch {
  readonly textSearch: TextSearch;
  /** Applies products to the catalog. Resolves when searches see them. */
  add(inputs: readonly ProductInput[]): Promise<void>;
  /** Resolves when searches see the popularity of the products, by their keys. */
  setPopularity(values: Readonly<Record<string, number>>): Promise<void>;
  /** Replaces the synonyms, as after a change by an operator. */
  changeSynonyms(synonyms: SynonymTable): void;
  /** The key of the product with this row id. */
  keyOf(rowId: number): Promise<string>;
  close(): Promise<void>;
}

const products = [
  bareProduct("a", {
    name: "Red desk lamp",
    brand: "Noctis",
    category: "Lamps",
    priceMinor: 3000,
    averageRating: 4.5,
    gtin: "04006381333931",
  }),
  bareProduct("b", { name: "Blue desk lamp", brand: "Café Lumière", category: "Lamps", priceMinor: 2000 }),
  bareProduct("c", {
    name: "Oak shelf",
    brand: "Noctis",
    category: "Shelves",
    description: "Room for a lamp.",
    gtin: "00012345678905",
    priceMinor: 9000,
  }),
  bareProduct("d", {
    name: "Floor lamp",
    category: "Lamps",
    storeName: "Nord",
    availability: "out_of_stock",
    priceMinor: 2000,
    originalPriceMinor: 2500,
  }),
  bareProduct("e", {
    name: "Desk lamp of leather",
    source: "marketplace-a",
    brand: "Aurelio",
    priceMinor: 500,
    gtin: "00000096385074",
  }),
];

/** Tests for every text search. */
export function describeTextSearch(open: () => Promise<OpenTextSearch>): void {
  let opened: OpenTextSearch;
  beforeAll(async () => {
    opened = await open();
    await opened.add(products);
  });
  afterAll(() => opened.close());

  const search = async (text: string, query: Partial<TextQuery> = {}) => {
    const hits = await opened.textSearch.search(
      { text, filters: {}, sort: "relevance", order: "desc", offset: 0, limit: 20, ...query },
      new AbortController().signal,
    );
    return { ...hits, keys: await Promise.all(hits.rowIds.map(opened.keyOf)) };
  };

  describe("a search with rules", () => {
    const rowOf = async (key: string) => {
      const { rowIds } = await search("", { sort: "price" });
      for (const rowId of rowIds) if ((await opened.keyOf(rowId)) === key) return rowId;
      throw new Error(`No product has the key ${key}.`);
    };
    const none = { hide: [], pin: [], boosts: [] };

    test("hides products from hits, counts and facets", async () => {
      const before = await search("desk lamp", { filters: { source: "catalog" } });
      const hide = [await rowOf("a")];
      const ruled = await search("desk lamp", {
        filters: { source: "catalog" },
        rules: { ...none, hide },
        facets: named,
        relatedCount: 20,
      });
      expect(ruled.keys).toEqual(before.keys.filter((key) => key !== "a"));
      expect(ruled.total).toBe(before.total - 1);
      expect(ruled.facets?.brands.map(({ value }) => value)).not.toContain("Noctis");
      expect(ruled.relatedRowIds).not.toContain(hide[0]);
    });

    test("puts pinned products that pass the filters at their positions, and counts them", async () => {
      const pin = [
        { rowId: await rowOf("c"), position: 1 },
        { rowId: await rowOf("e"), position: 0 },
      ];
      const query = { filters: { source: "catalog" }, rules: { ...none, pin }, facets: named } as const;
      const before = await search("desk lamp", { filters: { source: "catalog" } });
      const { keys, total, facets } = await search("desk lamp", query);
      const [first = "", ...others] = before.keys.filter((key) => key !== "c");
      expect(keys).toEqual([first, "c", ...others]);
      expect(total).toBe(keys.length);
      expect(facets?.categories).toContainEqual({ value: "Shelves", count: 1 });
      const pages = [];
      for (let offset = 0; offset < total; offset++)
        pages.push(...(await search("desk lamp", { ...query, offset, limit: 1 })).keys);
      expect(pages).toEqual(keys);
    });

    test("multiplies the relevance of some products", async () => {
      const { keys } = await search("lamp", { filters: { source: "catalog" } });
      const last = keys.filter((key) => key !== "c").at(-1) ?? "";
      const raise = [{ filters: {}, rowIds: [await rowOf(last)], factor: 10 }];
      const raised = await search("lamp", {
        filters: { source: "catalog" },
        rules: { ...none, boosts: raise },
      });
      expect(raised.keys[0]).toBe(last);
      expect(raised.total).toBe(keys.length);
      const lower = [{ filters: { brands: ["NOCTIS"], categories: ["lamps"] }, factor: 0.1 }];
      const lowered = await search("lamp", {
        filters: { source: "catalog", categories: ["Lamps"] },
        rules: { ...none, boosts: lower },
      });
      expect(lowered.keys.at(-1)).toBe("a");
    });
  });

  describe("search", () => {
    test("applies changed synonyms from the next search on", async () => {
      const change = (rules: string) => opened.changeSynonyms(compileSynonyms(parseSynonyms(rules)));
      const found = async () => (await search("zyxboard")).keys;
      expect(await found()).toEqual([]);
      change("zyxboard => shelf");
      expect(await found()).toEqual(["c"]);
      change(english.synonymRules);
      expect(await found()).toEqual([]);
    });

    test("finds words in any field, names first, with an exact total", async () => {
      const { keys, total } = await search("lamps", { filters: { source: "catalog" } });
      expect(keys).toHaveLength(4);
      expect(keys.at(-1)).toBe("c");
      expect(total).toBe(4);
    });

    test("pages without gaps or repeats", async () => {
      const pages = await Promise.all([0, 2, 4, 6].map((offset) => search("lamp", { offset, limit: 2 })));
      expect(pages.flatMap(({ keys }) => keys).sort()).toEqual(["a", "b", "c", "d", "e"]);
      expect(pages.map(({ total }) => total)).toEqual([5, 5, 5, 5]);
    });

    test("sorts all matches by price, ties by relevance", async () => {
      const filters = { source: "catalog" } as const;
      const { keys } = await search("desk lamp", { filters, sort: "price:relevance", order: "asc" });
      expect(keys).toEqual(["b", "a"]);
      expect((await search("lamp", { filters, sort: "price", order: "desc" })).keys[0]).toBe("c");
    });

    test.each([
      ["a source", { source: "marketplace-a" }, ["e"]],
      ["prices, both bounds included", { minPriceMinor: 2000, maxPriceMinor: 3000 }, ["a", "b", "d"]],
      ["availability", { availability: ["out_of_stock", "preorder"] }, ["d"]],
      ["brands, without case and accents", { brands: ["CAFE LUMIERE", "aurelio"] }, ["b", "e"]],
      ["categories", { categories: ["shelves"] }, ["c"]],
      ["stores", { stores: ["nord"] }, ["d"]],
      ["a rating", { minRating: 4.5 }, ["a"]],
      ["a discount", { minDiscount: 1 }, []],
      ["a reduced price", { onSale: true }, ["d"]],
      ["all but some brands", { notBrands: ["noctis", "AURELIO"] }, ["b", "d"]],
      ["all but some categories", { notCategories: ["shelves"], source: "catalog" }, ["a", "b", "d"]],
      ["all but some stores", { notStores: ["NORD"], brands: ["noctis"] }, ["a", "c"]],
      ["words it must have", { withWords: [["red", "blue"], ["desk"]] }, ["a", "b"]],
      ["words it must not have", { withoutWords: ["leather", "floor"] }, ["a", "b", "c"]],
    ] as const)("filters by %s", async (_, filters, expected) => {
      const { keys, total } = await search("lamp", { filters });
      expect(keys.sort()).toEqual(expected);
      expect(total).toBe(expected.length);
    });

    test("accepts filters without a text", async () => {
      expect((await search("", { filters: { maxPriceMinor: 2000 } })).keys.sort()).toEqual(["b", "d", "e"]);
    });

    test("reports how it read the words, and drops none if that is requested", async () => {
      expect((await search("dsek lamp")).correctedText).toBe("desk lamp");
      expect((await search("desk lamp zzyzx")).droppedWords).toEqual(["zzyzx"]);
      const { total, droppedWords } = await search("desk lamp zzyzx", { everyWord: true });
      expect([total, droppedWords]).toEqual([0, []]);
    });

    test("finds nothing if no product is the thing, and reports it", async () => {
      const { total, absentThing } = await search("red umbrella stand");
      expect([total, absentThing]).toEqual([0, "stand"]);
      expect((await search("red desk lamp")).absentThing).toBeUndefined();
    });

    test("returns products with only some of the words separately on request", async () => {
      const { keys, relatedRowIds = [] } = await search("red desk lamp", { relatedCount: 20 });
      const related = await Promise.all(relatedRowIds.map(opened.keyOf));
      expect(related.filter((key) => keys.includes(key))).toEqual([]);
      expect([...keys, ...related].sort()).toEqual(["a", "b", "c", "d", "e"]);
      expect((await search("red desk lamp", { relatedCount: 1 })).relatedRowIds).toHaveLength(
        Math.min(1, related.length),
      );
      expect((await search("red desk lamp")).relatedRowIds).toBeUndefined();
    });

    test("finds a product first by its identifier, code and slug", async () => {
      for (const text of ["marketplace-a_e", "MARKETPLACE A E"])
        expect((await search(text)).keys[0]).toBe("e");
    });

    test.each([
      [
        "a GTIN of 13 digits",
        "a",
        ["4006381333931", "04006381333931", "400-6381-333931", "EAN 4006381333931"],
      ],
      ["a GTIN of 12 digits", "c", ["012345678905", "12345678905", "0012345678905", "00012345678905"]],
      ["a GTIN of 8 digits", "e", ["96385074", "00000096385074"]],
    ])("finds a product first by %s, whatever its leading zeros", async (_, key, texts) => {
      for (const text of texts) expect((await search(text)).keys, text).toEqual([key]);
      expect((await search(texts[0] ?? "", { filters: { brands: ["Nobody"] } })).total).toBe(0);
    });

    test("finds a product first by its manufacturer's number, and takes no part of it", async () => {
      await opened.add([
        bareProduct("mpn", { name: "Cordless drill", mpn: "DCD-771 C2" }),
        bareProduct("other", { name: "Drill stand for DCD-771" }),
      ]);
      for (const text of ["DCD-771 C2", "dcd771c2"]) expect((await search(text)).keys[0], text).toBe("mpn");
      expect((await search("DCD-771")).keys).toEqual(["other"]);
    });

    test("reads the name of an attribute beside a value, without requiring it", async () => {
      await opened.add(
        ["S", "M"].map((size) =>
          bareProduct(`jersey ${size}`, {
            name: "Jersey",
            attributes: { size: [size], "shell fabric": ["Wool"] },
          }),
        ),
      );
      for (const text of ["jersey size M", "jersey, size: M", "jersey sizes M"]) {
        const { keys, droppedWords } = await search(text);
        expect([keys, droppedWords], text).toEqual([["jersey M"], []]);
      }
      // Without a value it is a word like any other.
      expect((await search("jersey size")).droppedWords).toEqual(["size"]);
    });

    test("requires articles and the like only in titles that have no other words", async () => {
      await opened.add([
        bareProduct("pendant", {
          name: "Brass pendant",
          attributes: { colour: ["Crimson"] },
        }),
        // "ared" would have the stem of "are".
        bareProduct("bonnet", { name: "Green bonnet", description: "Bonnets are warm." }),
        bareProduct("title", { name: "Of This" }),
      ]);
      for (const text of [
        "a crimson pendant",
        "the crimson pendant",
        "your crimson pendant",
        "pendant by crimson",
      ])
        expect(await search(text), text).toMatchObject({
          keys: ["pendant"],
          droppedWords: [],
          thing: "pendant",
        });
      const bonnets = await search("a red bonnet");
      expect([bonnets.keys, bonnets.droppedWords]).toEqual([["bonnet"], ["red"]]);
      expect((await search("of this")).keys[0]).toBe("title");
    });

    test("finds other names and forms of a thing", async () => {
      expect((await search("standing lamp")).keys[0]).toBe("d");
      expect((await search("deskk lamp")).correctedText).toBe("desk lamp");
    });

    test("completes the last word unless it begins more than 10,000 words", async () => {
      const numbers = (start: number) => Array.from({ length: 3000 }, (_, i) => `77${100_000 + start + i}`);
      const gaskets = [0, 3000, 6000, 9000].map((start) =>
        bareProduct(`g${start}`, { name: "Gasket", description: numbers(start).join(" ") }),
      );
      await opened.add(gaskets);
      expect(await search("gasket 7710")).toMatchObject({ total: 4, droppedWords: [] });
      // Products with only some of the words are apart.
      const some = await search("gasket 7711", { relatedCount: 9 });
      expect(some).toMatchObject({ keys: ["g9000"], total: 1, droppedWords: [] });
      expect(some.relatedRowIds).toHaveLength(3);
      expect(await search("gasket 77")).toMatchObject({ total: 4, droppedWords: ["77"] });
      expect((await search("77")).total).toBe(0);
    });

    test("counts brands, categories and stores over all matches", async () => {
      const { facets } = await search("lamp", { facets: { ...named, maxValues: 2 }, limit: 1 });
      expect(facets?.brands).toEqual([
        { value: "Noctis", count: 2 },
        { value: "Aurelio", count: 1 },
      ]);
      expect(facets?.categories[0]).toEqual({ value: "Lamps", count: 3 });
      expect(facets?.stores[0]).toEqual({ value: "Lichthaus", count: 4 });
    });

    test("counts the requested facets, each without its own filter", async () => {
      const filters = { source: "catalog", brands: ["noctis"], maxPriceMinor: 5000 } as const;
      const { keys, facets } = await search("lamp", {
        filters,
        facets: { names: ["brands", "categories", "price", "rating"], maxValues: 50, ignoreOwnFilter: true },
      });
      expect(keys).toEqual(["a"]);
      expect(facets).toEqual({
        brands: [
          { value: "Café Lumière", count: 1 },
          { value: "Noctis", count: 1 },
        ],
        categories: [{ value: "Lamps", count: 1 }],
        stores: [],
        price: [
          { from: 3000, to: 3999, count: 1 },
          { from: 7500, to: 9999, count: 1 },
        ],
        rating: [4.5, 4, 3, 2, 1].map((from) => ({ from, to: 5, count: 1 })),
        categoryPaths: [],
        availability: [],
        onSale: [],
        attributes: [],
      });
      const plain = await search("lamp", { filters, facets: { names: ["brands"], maxValues: 50 } });
      expect(plain.facets?.brands).toEqual([{ value: "Noctis", count: 1 }]);
    });

    test("finds what is below a level of categories by the whole name of the level", async () => {
      const paths = [["Wharf & Quayside", "Planks"]];
      await opened.add([
        bareProduct("w1", { name: "Orvo", category: "Planks", categoryPaths: paths }),
        bareProduct("w2", { name: "Quayside Zilo" }),
      ]);
      expect((await search("wharf quayside")).keys).toEqual(["w1"]);
      expect((await search("quayside")).keys).toEqual(["w2"]);
    });

    test("filters and counts attributes, levels of categories and availability", async () => {
      await opened.add([
        bareProduct("x1", {
          attributes: { color: ["Black", "Näthe"], size: ["M"] },
          category: "Sofas",
          categoryPaths: [["Wohnen", "Sofas"], ["Gifts"]],
        }),
        bareProduct("x2", {
          attributes: { color: ["Navy Blue"] },
          category: "Sofas",
          categoryPaths: [["Wohnen", "Sofas"]],
          availability: "preorder",
        }),
        bareProduct("x3", {
          attributes: { "size (eu)": ["42"] },
          category: "Wohnen",
          priceMinor: 100,
          originalPriceMinor: 101,
        }),
      ]);
      const counted = {
        facets: {
          names: ["categories", "categoryPaths", "availability", "onSale"],
          maxValues: 50,
          attributes: { frequent: 2, names: ["size (eu)", "nothing"] },
          ignoreOwnFilter: true,
        },
      } as const;
      const keysOf = async (filters: TextQuery["filters"]) => (await search("", { filters })).keys.toSorted();
      expect(await keysOf({ attributes: [{ name: "Color", values: ["NATHE", "navy blue"] }] })).toEqual([
        "x1",
        "x2",
      ]);
      expect(
        await keysOf({
          attributes: [
            { name: "color", values: ["black", "navy blue"] },
            { name: "size", values: ["m"] },
          ],
        }),
      ).toEqual(["x1"]);
      expect(await keysOf({ attributes: [{ name: "colour", values: ["black"] }] })).toEqual([]);
      expect(await keysOf({ categories: ["wohnen"] })).toEqual(["x1", "x2", "x3"]);
      expect(await keysOf({ categories: ["Wohnen > Sofas", "gifts"] })).toEqual(["x1", "x2"]);
      const below = { categories: ["wohnen"] };
      expect(await keysOf({ ...below, notCategories: ["Wohnen > Sofas"] })).toEqual(["x3"]);
      expect(
        await keysOf({ ...below, notAttributes: [{ name: "COLOR", values: ["black", "none"] }] }),
      ).toEqual(["x2", "x3"]);
      expect(await keysOf({ ...below, onSale: true })).toEqual(["x3"]);
      for (const own of [{}, { onSale: true }])
        for (const grouped of [{}, { grouped: { maxVariants: 0 } }]) {
          const found = await search("", { filters: { ...below, ...own }, ...counted, ...grouped });
          expect(found.facets?.onSale).toEqual([{ value: "true", count: 1 }]);
          expect(found.facets?.attributes.map(({ name }) => name)).not.toContain("onsale");
        }
      const filters = { categories: ["Wohnen"], attributes: [{ name: "color", values: ["black"] }] };
      const { facets } = await search("", { filters, ...counted });
      expect(facets).toMatchObject({
        categories: [
          { value: "Gifts", count: 1 },
          { value: "Sofas", count: 1 },
        ],
        categoryPaths: [
          { value: "Gifts", count: 1 },
          { value: "Wohnen", count: 1 },
          { value: "Wohnen > Sofas", count: 1 },
        ],
        availability: [{ value: "in_stock", count: 1 }],
        attributes: [
          {
            name: "color",
            values: [
              { value: "Black", count: 1 },
              { value: "Navy Blue", count: 1 },
              { value: "Näthe", count: 1 },
            ],
          },
          { name: "size", values: [{ value: "M", count: 1 }] },
          { name: "size (eu)", values: [] },
          { name: "nothing", values: [] },
        ],
      });
      const typed = await search("", {
        filters,
        facets: { ...counted.facets, query: { facet: { attribute: "color" }, text: "BLU" } },
      });
      expect(typed.facets?.attributes[0]?.values).toEqual([{ value: "Navy Blue", count: 1 }]);
    });

    test("compares, ranges and sorts the numbers of attributes, whatever their unit", async () => {
      const inputs = [
        ["n1", "1.7 l", "20"],
        ["n2", "1700 ml", "5"],
        ["n3", "0.35 l", "-3"],
        ["n4", "2 l", "1,500"],
        ["n5", undefined, "100"],
        ["n6", "1.9", "7"],
        ["n7", "3 kg", "8"],
      ].map(([key = "", capacity, level = ""]) =>
        bareProduct(key, {
          brand: "Numberers",
          attributes: {
            ...(capacity !== undefined && { capacity: [capacity] }),
            level: [level],
            label: [`is ${level}`],
          },
        }),
      );
      const others = Array.from({ length: 6 }, (_, n) =>
        bareProduct(`other ${n}`, { brand: "Others", attributes: { capacity: ["1 l"] } }),
      );
      await opened.add([...inputs, ...others]);
      const within = async (
        range: Omit<AttributeRange, "name">,
        name = "capacity",
        more: Pick<TextFilters, "attributes"> = {},
      ) => {
        const numberers = { source: "catalog", brands: ["numberers"], ...more } as const;
        const ranges = [{ name, ...range }];
        const { keys } = await search("", { filters: { ...numberers, ranges } });
        expect((await search("", { filters: { ...numberers, always: { ranges } } })).keys).toEqual(keys);
        const unit = await opened.textSearch.numberUnit(name, "catalog");
        const passes = productFilter({ ...more, ranges }, () => unit);
        expect(new Set(inputs.filter(passes).map(({ key }) => key))).toEqual(new Set(keys));
        return keys.toSorted();
      };
      expect(await within({ min: { value: 1 }, max: { value: 1.7 } })).toEqual(["n1", "n2"]);
      expect(await within({ min: { value: 1700, unit: "ml" } }, "Capacity")).toEqual([
        "n1",
        "n2",
        "n4",
        "n6",
      ]);
      expect(await within({ min: { value: 1.7, isExcluded: true } })).toEqual(["n4", "n6"]);
      expect(await within({ max: { value: 1.7, isExcluded: true } })).toEqual(["n3"]);
      expect(await within({ max: { value: 1, unit: "kg" } })).toEqual([]);
      expect(await within({ min: { value: -10 }, max: { value: 20 } }, "level")).toEqual([
        "n1",
        "n2",
        "n3",
        "n6",
        "n7",
      ]);
      expect(await within({ min: { value: 21 } }, "level")).toEqual(["n4", "n5"]);
      expect(await within({ min: { value: 0 } }, "label")).toEqual([]);
      expect(await within({ min: { value: 0 } }, "nothing")).toEqual([]);
      const both = { attributes: [{ name: "capacity", values: ["2 l", "0.35 l"] }] };
      expect(await within({ min: { value: 1 } }, "capacity", both)).toEqual(["n4"]);
      for (const grouped of [{}, { grouped: { maxVariants: 0 } }]) {
        const { facets } = await search("", {
          filters: {
            source: "catalog",
            brands: ["numberers"],
            ranges: [{ name: "capacity", min: { value: 1.8 } }],
          },
          facets: {
            names: ["brands", "categories", "stores"],
            maxValues: 10,
            attributes: { frequent: 0, names: ["capacity", "level", "label"] },
            ignoreOwnFilter: true,
          },
          ...grouped,
        });
        expect(facets?.attributes.map(({ name, range }) => ({ name, range }))).toEqual([
          { name: "capacity", range: { min: 0.35, max: 2, unit: "l" } },
          { name: "level", range: { min: 7, max: 1500, unit: "" } },
          { name: "label", range: undefined },
        ]);
      }
      const sorted = async (sort: TextQuery["sort"], order: "asc" | "desc") =>
        (await search("", { filters: { source: "catalog", brands: ["numberers"] }, sort, order })).keys;
      const litres: Record<string, number> = { n1: 1.7, n2: 1.7, n3: 0.35, n4: 2, n6: 1.9 };
      const capacities = async (order: "asc" | "desc") =>
        (await sorted("attributes.capacity", order)).map((key) => litres[key]);
      expect(await capacities("asc")).toEqual([0.35, 1.7, 1.7, 1.9, 2, undefined, undefined]);
      expect(await capacities("desc")).toEqual([2, 1.9, 1.7, 1.7, 0.35, undefined, undefined]);
      expect(await sorted("attributes.level", "desc")).toEqual(["n4", "n5", "n1", "n7", "n6", "n2", "n3"]);
      const unitOf = (name: string) => opened.textSearch.numberUnit(name, "catalog");
      expect(await Promise.all(["capacity", "LEVEL", "label", "nothing"].map(unitOf))).toEqual([
        "l",
        "",
        undefined,
        undefined,
      ]);
    });

    test("bounds every attribute with numbers in a unit, and leaves out what has none", async () => {
      const measured = (key: string, attributes: Record<string, string[]>) =>
        bareProduct(key, { brand: "Measurers", attributes: { form: ["round"], ...attributes } });
      await opened.add([
        measured("m1", { height: ["30 cm"], width: ["25 cm"], weight: ["4 kg"] }),
        measured("m2", { height: ["300 mm"], width: ["1.2 m"], weight: ["6 kg"] }),
        measured("m3", { height: ["30 cm"], width: ["15 cm"] }),
        measured("m4", { weight: ["5"] }),
        measured("m5", { height: ["20"] }),
        measured("m6", {}),
      ]);
      const within = async (
        measures: NonNullable<TextFilters["measures"]>,
        more: Partial<TextQuery> = {},
      ) => {
        const filters = { source: "catalog", brands: ["measurers"], measures } as const;
        return (await search("", { filters, ...more })).keys.toSorted();
      };
      expect(await within([{ unit: "cm", min: 20 }])).toEqual(["m1", "m2", "m5"]);
      expect(await within([{ unit: "mm", min: 200.5 }])).toEqual(["m1", "m2"]);
      expect(await within([{ unit: "cm", min: 20, max: 100 }])).toEqual(["m1", "m5"]);
      expect(await within([{ unit: "kg", max: 5 }])).toEqual(["m1", "m4"]);
      const both = [
        { unit: "g", max: 5000 },
        { unit: "cm", min: 20 },
      ];
      expect(await within(both)).toEqual(["m1"]);
      expect(await within(both, { grouped: { maxVariants: 0 } })).toEqual(["m1"]);
      expect(await within([{ unit: "l", min: 1 }])).not.toContain("m1");
      const { facets, total } = await search("", {
        filters: { source: "catalog", brands: ["measurers"], measures: [{ unit: "cm", min: 20 }] },
        facets: {
          names: ["brands", "categories", "stores"],
          maxValues: 9,
          attributes: { frequent: 0, names: ["height"] },
          ignoreOwnFilter: true,
        },
      });
      expect([total, facets?.attributes[0]?.values.length]).toEqual([3, 3]);
      const hasUnit = (unit: string) => opened.textSearch.hasUnit(unit, "catalog");
      expect(await Promise.all(["cm", "zoll", "g", "volt", "round"].map(hasUnit))).toEqual([
        true,
        true,
        true,
        false,
        false,
      ]);
    });

    test("sorts by release and by rank, what has none last", async () => {
      await opened.add([
        bareProduct("r1", { brand: "Releasers", releasedAtMs: Date.UTC(2026, 1, 1), rank: 3 }),
        bareProduct("r2", { brand: "Releasers", releasedAtMs: Date.UTC(2026, 2, 1), rank: -1 }),
        bareProduct("r3", { brand: "Releasers" }),
      ]);
      const sorted = async (sort: TextQuery["sort"], order: { order?: "asc" | "desc" } = { order: "desc" }) =>
        (await search("", { filters: { brands: ["releasers"] }, sort, ...order })).keys;
      expect(await sorted("newest")).toEqual(["r2", "r1", "r3"]);
      expect(await sorted("newest", { order: "asc" })).toEqual(["r1", "r2", "r3"]);
      expect(await sorted("rank")).toEqual(["r1", "r2", "r3"]);
      expect(await sorted("rank", { order: "asc" })).toEqual(["r2", "r1", "r3"]);
    });

    test("stops when the caller aborts", async () => {
      const query: TextQuery = {
        text: "",
        filters: {},
        sort: "relevance",
        order: "desc",
        offset: 0,
        limit: 1,
      };
      await expect(opened.textSearch.search(query, AbortSignal.abort())).rejects.toThrow("aborted");
    });
  });

  describeSuggestions(() => opened.textSearch, search);
  describeBoosts(open);

  describeGroups(
    () => opened.textSearch,
    (inputs) => opened.add(inputs),
    search,
    (rowId) => opened.keyOf(rowId),
  );

  describe("changes", () => {
    test("become visible and replace former versions", async () => {
      await opened.add([
        bareProduct("a", { name: "Green umbrella" }),
        bareProduct("f", { name: "Umbrella stand" }),
      ]);
      expect((await search("umbrella")).keys.sort()).toEqual(["a", "f"]);
      expect((await search("red", { everyWord: true })).total).toBe(0);
    });
  });
}
