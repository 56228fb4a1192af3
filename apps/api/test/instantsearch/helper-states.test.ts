// The search client and a naive index receive the requests of the same helper in the same random states. What the helper
// makes of their results must be the same.
import type { ProductInput } from "@product-search/core/domain/product.ts";
import { createSearchClient } from "@product-search/instantsearch";
import { bareProduct } from "@product-search/testing/fake-products.ts";
import algoliasearchHelper, { type SearchResults } from "algoliasearch-helper";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";
import { createNaiveClient, toRecord } from "./naive-index.ts";

const values = {
  brand: ["Ilmari", "Smith, Wesson", "-Minus", "Zoë"],
  storeName: ["North", "South"],
  availability: ["in_stock", "out_of_stock", "preorder"],
  category: ["Desk lamps", "Floor lamps", "Chairs", "Tents"],
  onSale: ["true"],
  "attributes.color": ["Black", "Navy", "Red: dark", "White"],
  "attributes.size": ["S", "M", "L"],
};
const paths = ["Home > Lamps > Desk lamps", "Home > Lamps > Floor lamps", "Home > Chairs", "Outdoor > Tents"];
const levels = ["Home", "Home > Lamps", "Outdoor", ...paths];

const pick = <Item>(list: readonly Item[], n: number): Item => list[n % list.length] as Item;
const products: ProductInput[] = Array.from({ length: 90 }, (_, n) => {
  const path = (place: number) => pick(paths, place).split(" > ");
  const colours = [pick(values["attributes.color"], n), pick(values["attributes.color"], Math.floor(n / 3))];
  const priceMinor = 500 + ((n * 37) % 40) * 250;
  return bareProduct(`K${n}`, {
    name: `${pick(["Zither", "Cello", "Trumpet"], n * 7)} ${pick(["alpha", "beta", "gamma", "delta"], Math.floor(n / 2))}`,
    ...(n % 9 > 0 && { brand: pick(values.brand, Math.floor(n / 2)) }),
    storeName: pick(values.storeName, Math.floor(n / 5)),
    availability: pick(["in_stock", "out_of_stock", "preorder"] as const, Math.floor(n / 4)),
    category: path(n).at(-1) ?? "",
    categoryPaths: n % 4 === 0 ? [path(n), path(n + 3)] : [path(n)],
    priceMinor,
    ...(n % 3 === 0 && { originalPriceMinor: priceMinor + (n % 2) * 100 }),
    ...(n % 5 > 0 && { averageRating: 1 + ((n * 13) % 40) / 10 }),
    attributes: {
      color: [...new Set(n % 2 === 0 ? colours : colours.slice(1))],
      ...(n % 7 > 0 && { size: [pick(values["attributes.size"], n * 5)] }),
      capacity: [`${1 + (n % 8) / 2} l`],
    },
  });
});

let service: TestService;
let client: ReturnType<typeof createSearchClient>;
beforeAll(async () => {
  service = await createTestService({ environment: { TOKEN_RATE_LIMIT: "0" } });
  await service.stores.catalogStore.apply(products);
  await service.indexed();
  client = createSearchClient({
    baseUrl: "http://service.test/api/v1",
    token: await service.token({ scopes: ["search"] }),
    fetch: async (input, init) => {
      const { body, statusCode } = await service.app.inject({
        method: "POST",
        url: new URL(String(input)).pathname,
        headers: Object.fromEntries(new Headers(init?.headers)),
        payload: String(init?.body),
      });
      return new Response(body, { status: statusCode });
    },
  });
});
afterAll(() => service.close());

const naive = createNaiveClient(products.map(toRecord));

type Field = keyof typeof values;
interface State {
  query: string;
  /** Lists in which a product must have all values that are chosen, and those in which it must have one. */
  all: Field[];
  chosen: [Field, number][];
  excluded: [Field, number][];
  path: string | undefined;
  compared: Comparison[];
}
type Comparison = [field: string, operator: "<" | "<=" | ">" | ">=" | "=", value: number];
const field = fc.constantFrom(...(Object.keys(values) as Field[]));
const comparison: fc.Arbitrary<Comparison> = fc.oneof(
  fc.tuple(
    fc.constantFrom("price", "attributes.capacity"),
    fc.constantFrom("<", "<=", ">", ">=", "="),
    fc.constantFrom(-1, 0, 1.5, 3, 5, 30, 30.001, 62.5, 2000),
  ),
  fc.tuple(fc.constant("averageRating"), fc.constantFrom(">", ">="), fc.constantFrom(0, 1, 2, 3.3, 4, 5)),
);
/** Nothing is in between, although products have the value. */
const contradiction: fc.Arbitrary<Comparison[]> = fc
  .tuple(
    fc.constantFrom<[string, number]>(["price", 5], ["price", 62.5], ["attributes.capacity", 3]),
    fc.constantFrom<["<" | "<=", number]>(["<", 0], ["<=", 1], ["<=", 0.5]),
  )
  .map(([[name, value], [operator, less]]) => [
    [name, ">=", value],
    [name, operator, value - less],
  ]);
const states: fc.Arbitrary<State> = fc.record({
  query: fc.constantFrom("", "", "zither", "alpha", "cello beta"),
  all: fc.uniqueArray(field, { maxLength: 4 }),
  chosen: fc.array(fc.tuple(field, fc.nat(3)), { maxLength: 4 }),
  excluded: fc.array(
    fc.tuple(
      field.filter((one) => one !== "onSale"),
      fc.nat(3),
    ),
    { maxLength: 2 },
  ),
  path: fc.option(fc.constantFrom(...levels), { nil: undefined }),
  compared: fc
    .oneof(
      { weight: 4, arbitrary: fc.array(comparison, { maxLength: 3 }) },
      { weight: 1, arbitrary: contradiction },
    )
    .chain((compared) => fc.shuffledSubarray(compared, { minLength: compared.length })),
});

function helperIn(searchClient: unknown, { query, all, chosen, excluded, path, compared }: State) {
  const alternatives = (Object.keys(values) as Field[]).filter((one) => !all.includes(one));
  const conjunctive = [...new Set([...all, ...excluded.map(([name]) => name)])];
  const helper = algoliasearchHelper(searchClient as Parameters<typeof algoliasearchHelper>[0], "products", {
    facets: conjunctive,
    disjunctiveFacets: [
      ...alternatives.filter((one) => !conjunctive.includes(one)),
      "price",
      "averageRating",
      "attributes.capacity",
    ],
    hierarchicalFacets: [
      {
        name: "tree",
        attributes: ["categoryPaths.lvl0", "categoryPaths.lvl1", "categoryPaths.lvl2"],
        separator: " > ",
      },
    ],
    hitsPerPage: 250,
    maxValuesPerFacet: 200,
  });
  helper.setQuery(query);
  for (const [name, place] of chosen) {
    // As the widgets write it.
    const value = pick(values[name], place).replace(/^-/, "\\-");
    if (conjunctive.includes(name)) helper.addFacetRefinement(name, value);
    else helper.addDisjunctiveFacetRefinement(name, value);
  }
  for (const [name, place] of excluded) helper.addFacetExclusion(name, pick(values[name], place));
  if (path !== undefined) helper.addHierarchicalFacetRefinement("tree", path);
  for (const [name, operator, value] of compared) helper.addNumericRefinement(name, operator, value);
  return helper;
}

interface Shown {
  name: string;
  count: number;
  isRefined: boolean;
  data?: Shown[] | null;
}

function shown(results: SearchResults, name: string): unknown {
  const list = results.getFacetValues(name, { sortBy: ["name:asc"] }) as unknown as
    | Shown[]
    | { data?: Shown[] }
    | undefined;
  const items = Array.isArray(list) ? list : (list?.data ?? []);
  if (name === "averageRating") return [1, 2, 3, 4].map((least) => sum(items, least));
  return items.map(visible).filter(({ count, isRefined }) => count > 0 || isRefined);
}

const sum = (items: Shown[], least: number) =>
  items.filter(({ name }) => Number(name) >= least).reduce((total, { count }) => total + count, 0);

const visible = ({ name, count, isRefined, data }: Shown): Shown => ({
  name,
  count,
  isRefined,
  ...(data && { data: data.map(visible) }),
});

async function outcome(searchClient: unknown, state: State) {
  const helper = helperIn(searchClient, state);
  const { content } = await helper.searchOnce({});
  const facets = [...(helper.state.facets ?? []), ...(helper.state.disjunctiveFacets ?? []), "tree"].filter(
    (name) => name !== "price" && name !== "attributes.capacity",
  );
  return {
    nbHits: content.nbHits,
    keys: content.hits.map((hit) => ("key" in hit ? hit.key : hit.objectID)).sort(),
    facets: Object.fromEntries(facets.map((name) => [name, shown(content, name)])),
  };
}

it("finds and counts what a naive index finds and counts, or says what is not supported", async () => {
  let refused = 0;
  let total = 0;
  await fc.assert(
    fc.asyncProperty(states, async (state) => {
      total += 1;
      const expected = await outcome(naive, state);
      const found = await outcome(client, state).catch((error: Error) => error);
      if (found instanceof Error) {
        expect(found.message).toMatch(/is not supported|cannot be excluded/);
        refused += 1;
      } else expect(found).toEqual(expected);
    }),
    { numRuns: 150 },
  );
  // A fifth, on average.
  expect(refused).toBeLessThan(total / 3);
});
