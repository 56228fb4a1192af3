import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { SortKey, TextFacets, TextFilters, TextQuery } from "@product-search/core/ports/text-search.ts";
import { bareProduct } from "@product-search/testing/fake-products.ts";
import { createRandom, type Random, testSeed } from "@product-search/testing/seed.ts";
import type { TermWay } from "@product-search/text-index";
import { expect, onTestFinished, test } from "vitest";
import { describeOnOpenSearch, openTestIndex } from "../../testing/opensearch.ts";
import { openTextOnOpenSearch } from "../../testing/opensearch-text.ts";
import { compileReading } from "./compile-query.ts";
import { runSearches } from "./run-searches.ts";
import { textLayout } from "./text-layout.ts";

describeOnOpenSearch("the points of a word", () => {
  const weight = 92;
  const exact: TermWay = { terms: ["holdall"], weight: 1 };
  const synonym: TermWay = { terms: ["duffel"], weight: 0.8 };
  const several: TermWay = { terms: ["gym", "bag"], weight: 0.8 };

  test("are the rounded share of the best way, times the weight, as in the embedded index", async () => {
    const { cluster, alias, close } = openTestIndex(60_000);
    try {
      const { settings, ...layout } = textLayout();
      const body = { ...layout, settings: { ...settings, number_of_shards: 1, number_of_replicas: 0 } };
      await cluster.request({ method: "PUT", path: `/${alias}`, body });
      const texts = ["holdall|211", "duffel|211", "duffel|211\nholdall|100", "gym|150\nbag|150"];
      const lines = texts.flatMap((terms, rowId) => [
        { index: { _id: String(rowId) } },
        { rowId, terms, quality: 0 },
      ]);
      const path = `/${alias}/_bulk?refresh=true`;
      await cluster.request({ method: "POST", path, lines: lines.map((line) => JSON.stringify(line)) });
      const scoresOf = async (ways: readonly TermWay[]) => {
        const words = [{ ways, weight, isRequired: true }];
        const { filter, must, should } = compileReading({ finds: "words", words, key: undefined }).scored;
        const query = { bool: { filter, must, should } };
        const search = { size: 9, query, sort: [{ rowId: "asc" }, "_score"] };
        const [found] = await runSearches({ cluster, index: alias }, [search], { preference: "test" });
        return new Map(found?.hits.map(({ rowId, sort }) => [rowId, sort[1]]));
      };
      const shared = Math.round(211 * 0.8) * weight;
      expect(await scoresOf([exact])).toEqual(
        new Map([
          [0, 211 * weight],
          [2, 100 * weight],
        ]),
      );
      expect(await scoresOf([synonym])).toEqual(
        new Map([
          [1, shared],
          [2, shared],
        ]),
      );
      expect(await scoresOf([exact, synonym, several])).toEqual(
        new Map([
          [0, 211 * weight],
          [1, shared],
          [2, shared],
          [3, 150 * 0.8 * weight],
        ]),
      );
    } finally {
      await close();
    }
  });
});

const { signal } = new AbortController();
const words = ["lamp", "oak", "velvet", "chair", "blue", "kettle", "12"] as const;
const sorts: readonly SortKey[] = [
  "relevance",
  "price",
  "rating",
  "popularity",
  "newest",
  "attributes.height",
];

function randomText(random: Random, most: number): string {
  return Array.from({ length: random.integer(0, most) }, () => random.pick(words)).join(" ");
}

function randomProduct(random: Random, key: string): ProductInput {
  const category = random.pick(["Lamps", "LAMPS", "Chairs", "Kettles", "Home"]);
  return bareProduct(key, {
    name: `${random.pick(words)} ${randomText(random, 4)}`,
    description: randomText(random, 5),
    brand: random.pick(["Noctis", "NOCTIS", "Bolt", "Äröma", "Aroma"]),
    category,
    categoryPaths: [[random.pick(["Home", "home", "Garden"]), category]],
    priceMinor: random.pick([100, 2500, 2600, 90_000]),
    availability: random.pick(["in_stock", "out_of_stock", "backorder"]),
    ...(random.chance(0.7) && { averageRating: random.pick([2, 4.1, 4.6]), reviewCount: 3 }),
    ...(random.chance(0.4) && { groupId: random.pick(["g", "h", "i"]) }),
    attributes: {
      [random.pick(["colour", "Colour"])]: [
        random.pick(["red", "Red", "blue"]),
        random.pick(["réd", "blue"]),
      ],
      ...(random.chance(0.8) && { height: [random.pick(["20 cm", "300 mm", "0.2 m", "45 cm", "25"])] }),
    },
  });
}

function randomFilters(random: Random): TextFilters {
  return {
    source: "catalog",
    ...(random.chance(0.3) && { brands: random.pick([["noctis"], ["Bolt", "aroma"]]) }),
    ...(random.chance(0.3) && { categories: [random.pick(["lamps", "Home", "Home > Chairs"])] }),
    ...(random.chance(0.3) && { attributes: [{ name: "colour", values: ["red"] }] }),
    ...(random.chance(0.3) && { ranges: [{ name: "height", min: { value: 21 } }] }),
    ...(random.chance(0.2) && { measures: [{ unit: "m", max: 0.3 }] }),
    ...(random.chance(0.3) && { maxPriceMinor: 2550 }),
    ...(random.chance(0.2) && { minRating: 4 }),
    ...(random.chance(0.3) && { always: { ranges: [{ name: "height", max: { value: 250, unit: "mm" } }] } }),
  };
}

/** Each entry of the facets with the filter that it stands for. */
function entriesOf(facets: TextFacets): Array<readonly [number, Partial<TextFilters>]> {
  return [
    ...facets.brands.map(({ value, count }) => [count, { brands: [value] }] as const),
    ...[...facets.categories, ...facets.categoryPaths].map(
      ({ value, count }) => [count, { categories: [value] }] as const,
    ),
    ...facets.availability.map(({ value, count }) => [count, { availability: [value] }] as const),
    ...facets.rating.map(({ from: minRating, count }) => [count, { minRating }] as const),
    ...facets.price.map(
      ({ from: minPriceMinor, to: maxPriceMinor, count }) =>
        [count, { minPriceMinor, maxPriceMinor }] as const,
    ),
    ...facets.attributes.flatMap(({ name, values }) =>
      values.map(({ value, count }) => [count, { attributes: [{ name, values: [value] }] }] as const),
    ),
  ];
}

describeOnOpenSearch("one text has one meaning in OpenSearch", () => {
  const random = createRandom(testSeed("one reading"));

  test("counts agree with what filters find, under every order, on every page, and with the embedded engine", async () => {
    const opened = await openTextOnOpenSearch();
    onTestFinished(() => opened.close());
    await opened.store.apply(Array.from({ length: 60 }, (_, at) => randomProduct(random, `p${at}`)));
    opened.startWriter();
    await opened.caughtUp();
    const rows = (await opened.store.scan(0, 100)).map(({ rowId }) => rowId);
    const row = () => rows[random.integer(0, rows.length - 1)] ?? 0;
    for (let run = 0; run < 8; run++) {
      const query = {
        text: randomText(random, 3),
        filters: randomFilters(random),
        sort: "relevance",
        offset: 0,
        limit: 100,
        outOfStockLast: random.chance(0.5),
        ...(random.chance(0.4) && { grouped: { maxVariants: 0 } }),
        ...(random.chance(0.3) && {
          rules: { hide: [row()], pin: [{ rowId: row(), position: 2 }], boosts: [] },
        }),
      } as const satisfies TextQuery;
      const search = (more: Partial<TextQuery>) => opened.textSearch.search({ ...query, ...more }, signal);
      const facets = {
        names: ["brands", "categories", "price", "rating", "categoryPaths", "availability"],
        maxValues: 50,
        attributes: { frequent: 9, names: [] },
        ignoreOwnFilter: true,
      } as const satisfies TextQuery["facets"];
      const all = await search({ facets });
      const about = JSON.stringify(query);
      expect(all.rowIds, about).toHaveLength(all.total);
      const embedded = await opened.embedded.search({ ...query, facets }, signal);
      expect(all.rowIds, about).toEqual(embedded.rowIds);
      expect(all.facets, about).toEqual(embedded.facets);
      const { ranges: _, ...others } = query.filters;
      await Promise.all(
        entriesOf(all.facets ?? expect.fail("no facets")).map(async ([count, filter]) => {
          // The facet of an attribute ignores its values and its ranges, and no other's.
          const name = filter.attributes?.[0]?.name;
          const kept = (query.filters.attributes ?? []).filter(
            (one: { name: string }) => one.name !== name?.toLowerCase(),
          );
          const attributes = [...kept, ...(filter.attributes ?? [])];
          const filters = {
            ...(name === "height" ? others : query.filters),
            ...filter,
            ...(attributes.length > 0 && { attributes }),
          };
          expect([filter, (await search({ filters, limit: 0 })).total], about).toEqual([filter, count]);
        }),
      );
      for (const sort of sorts) {
        const order = random.pick(["asc", "desc"] as const);
        const found = await search({ sort, order });
        expect([sort, order, found.total], about).toEqual([sort, order, all.total]);
        const embedded = await opened.embedded.search({ ...query, sort, order }, signal);
        expect(found.rowIds, `${sort} ${order} ${about}`).toEqual(embedded.rowIds);
        const offsets = Array.from({ length: Math.ceil(all.total / 7) }, (__, page) => page * 7);
        const pages = await Promise.all(offsets.map((offset) => search({ sort, order, offset, limit: 7 })));
        expect(
          pages.flatMap(({ rowIds }) => rowIds),
          `${sort} ${order} ${about}`,
        ).toEqual(found.rowIds);
      }
      const fewer = await search({ filters: { ...query.filters, withWords: [["oak"]] } });
      expect(fewer.total, about).toBeLessThanOrEqual(all.total);
    }
  });
});
