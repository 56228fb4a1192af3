import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { NamedKind } from "@product-search/core/ports/kind-finder.ts";
import type { TextFilters, TextHits, TextQuery } from "@product-search/core/ports/text-search.ts";
import { unlessUsedUp } from "../reading.ts";
import { comparable } from "../understanding/colours.ts";
import type { ShopAsks, ShopQuestion } from "../understanding/shop-question.ts";
import type { ThingDeps } from "../understanding/things.ts";
import { type FoundIntent, filtersOf } from "./find-intent.ts";

/** The answer to a question about the shop, from counts and facets. */
export interface ShopFacts {
  asks: ShopAsks;
  isCount?: true;
  /** Brands, kinds or values, most frequent first. */
  names: readonly string[];
  /** How many there are besides. */
  more: number;
  /** For brands, kinds and prices: a product for each, in the same order; the cheapest and the most expensive. */
  products?: readonly StoredProduct[];
}

/** At most this many names are said. */
const maxNames = 10;
/** With more, nothing is said about all of them: to rank thousands of values would block the thread. */
const maxValues = 1000;
const maxKinds = 60;

/** Undefined if nothing was found, or if the question is only how many there are. */
export async function findShopFacts(
  deps: ThingDeps,
  { asks, isCount }: ShopQuestion,
  part: FoundIntent,
  signal: AbortSignal,
): Promise<ShopFacts | undefined> {
  const facts = { asks, ...(isCount && { isCount }), names: [], more: 0 };
  if (part.hits.total === 0) return undefined;
  /** Some of what a search finds may have been left out of these. */
  const isWhole = part.hits.total <= part.hits.rowIds.length;
  const search = searchOf(deps, part, signal);
  const named: Named = (values, products) => {
    if (values.length >= maxValues) return { ...facts, asks: "count" };
    return {
      ...facts,
      names: values.slice(0, maxNames),
      more: Math.max(0, values.length - maxNames),
      ...(products !== undefined && { products }),
    };
  };
  if (typeof asks === "object" && isWhole)
    return named(valuesOf(await deps.catalogStore.findByRowIds(part.hits.rowIds), asks.attribute));
  if (typeof asks === "object") {
    const hits = await search({
      facets: { names: [], maxValues, attributes: { frequent: 0, names: [asks.attribute] } },
    });
    return named(hits.facets?.attributes[0]?.values.map(({ value }) => value) ?? []);
  }
  switch (asks) {
    case "brands":
      return brandFacts(deps, part, search, named);
    case "kinds":
      return kindFacts(deps, part, search, named);
    case "prices": {
      const ends = isWhole
        ? [part.hits]
        : [
            { rowIds: (await search({ sort: "price", order: "asc" })).rowIds.slice(0, 1) },
            { rowIds: (await search({ sort: "price", order: "desc" })).rowIds.slice(0, 1) },
          ];
      const read = await deps.catalogStore.findByRowIds(ends.flatMap(({ rowIds }) => rowIds));
      const [first, ...others] = read.toSorted((one, other) => one.priceMinor - other.priceMinor);
      const last = others.at(-1);
      // Without both ends, nothing can be said about all prices.
      if (first === undefined || last === undefined) return { ...facts, asks: "count" };
      return { ...facts, products: [first, last] };
    }
    default:
      return facts;
  }
}

/** The values of an attribute, most frequent first. */
function valuesOf(products: readonly StoredProduct[], name: string): string[] {
  const all = products.flatMap(({ attributes = {} }) =>
    Object.hasOwn(attributes, name) ? (attributes[name] ?? []) : [],
  );
  const groups = [...Map.groupBy(all, comparable).values()];
  return groups.toSorted((one, other) => other.length - one.length).flatMap(([value]) => value ?? []);
}

type Named = (values: readonly string[], products?: readonly StoredProduct[]) => ShopFacts;
type Search = (change: Partial<TextQuery>, filters?: TextFilters) => Promise<TextHits>;

/** Searches for what was found, with more filters or in another order. */
function searchOf(
  { textSearch }: ThingDeps,
  { intent, droppedWords, served }: FoundIntent,
  signal: AbortSignal,
): Search {
  const asked = [...intent.words, ...intent.purpose].filter((word) => !droppedWords.includes(word));
  const words = asked.filter((word) => !served?.words.includes(word));
  const query = {
    text: [...words, ...(served === undefined ? [] : [served.by])].join(" "),
    sort: "relevance",
    order: "desc",
    offset: 0,
    limit: 1,
    everyWord: true,
  } as const;
  return (change, filters = {}) =>
    unlessUsedUp(
      () => textSearch.search({ ...query, ...change, filters: { ...filtersOf(intent), ...filters } }, signal),
      { rowIds: [], total: 0, sourceHas: "nothing", droppedWords: [] },
    );
}

/** Brands of the products that were found, if these are few enough to read; else from the facet. */
async function brandFacts(
  deps: ThingDeps,
  { hits }: FoundIntent,
  search: Search,
  named: Named,
): Promise<ShopFacts> {
  if (hits.total > hits.rowIds.length) {
    const { facets } = await search({ facets: { names: ["brands"], maxValues } });
    const brands = facets?.brands.map(({ value }) => value) ?? [];
    return named(brands, await oneOfEach(deps, brands, (brand) => search({}, { brands: [brand] })));
  }
  const products = await deps.catalogStore.findByRowIds(hits.rowIds);
  const groups = Map.groupBy(products, ({ brand = "" }) => brand);
  groups.delete("");
  const inOrder = [...groups].toSorted(([, one], [, other]) => other.length - one.length);
  return named(
    inOrder.map(([brand]) => brand),
    inOrder.slice(0, maxNames).flatMap(([, [first]]) => first ?? []),
  );
}

async function oneOfEach(
  { catalogStore }: ThingDeps,
  names: readonly string[],
  search: (name: string) => Promise<TextHits>,
): Promise<StoredProduct[]> {
  const hits: TextHits[] = [];
  for (const name of names.slice(0, maxNames)) hits.push(await search(name));
  return catalogStore.findByRowIds(hits.flatMap(({ rowIds }) => rowIds.slice(0, 1)));
}

/** The categories, or the kinds of the only one. */
async function kindFacts(
  deps: ThingDeps,
  { intent }: FoundIntent,
  search: Search,
  named: Named,
): Promise<ShopFacts> {
  const { facets } = await search({ facets: { names: ["categories"], maxValues } });
  const categories = facets?.categories.map(({ value }) => value) ?? [];
  const [only] = categories;
  const kinds = categories.length === 1 && only !== undefined ? kindsIn(deps, only) : [];
  const counted: { name: string; hits: TextHits }[] = [];
  for (const { name, category, words } of kinds)
    counted.push({ name, hits: await search({}, { kinds: [{ category, words }] }) });
  const present = counted.filter(({ hits }) => hits.total > 0);
  if (present.length > 1 && intent.kinds === undefined) {
    const inOrder = present.toSorted((one, other) => other.hits.total - one.hits.total);
    const rowIds = inOrder.slice(0, maxNames).flatMap(({ hits }) => hits.rowIds.slice(0, 1));
    // Only some kinds were counted: how many there are is not known.
    const { isCount: _, ...facts } = named(
      inOrder.map(({ name }) => name),
      await deps.catalogStore.findByRowIds(rowIds),
    );
    return facts;
  }
  const ofCategory = (category: string) => search({}, { categories: [category] });
  return named(categories, await oneOfEach(deps, categories, ofCategory));
}

/** The names of things that products of the category share; at most as many as can be counted. */
function kindsIn({ kindFinder }: ThingDeps, category: string): NamedKind[] {
  const near = kindFinder?.kindsNear(category, maxKinds) ?? [];
  const all = near.map(({ kind }) => kind).filter((kind) => kind.category === category && kind.words !== "");
  const isPlural = (name: string): boolean => comparable(name) === comparable(category);
  return all.filter(({ name }) => !isPlural(name)).slice(0, maxNames);
}
