import type { Availability } from "@product-search/core/domain/availability.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { starsForPrice } from "@product-search/core/domain/service-score.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { unlessUsedUp } from "../reading.ts";
import { colourNames, comparable, namesThing } from "../understanding/colours.ts";
import type { ProductQuestion } from "../understanding/conversation/resolve-question.ts";
import { textOfProduct } from "../understanding/product-words.ts";
import { statesWish } from "../understanding/shop-question.ts";
import type { ThingDeps } from "../understanding/things.ts";
import {
  emptyIntent,
  type Intent,
  type Sorting,
  type Understanding,
} from "../understanding/understanding.ts";
import { type FoundIntent, filtersOf, findIntent } from "./find-intent.ts";
import { findShopFacts, type ShopFacts } from "./shop-facts.ts";

const cheapestOne = { sort: "price", order: "asc", offset: 0, limit: 1, everyWord: true } as const;

/** If there are fewer different things than this, other sizes and colours of one thing are shown as well. */
const enough = 3;

const sizes = new Set("xs s m l xl xxl xxxl small medium large size eu uk us one".split(" "));

/** If reductions are asked for, what one percent is worth in stars. */
const starsPerPercentOff = 0.1;

const goodRating = 4;

export type RetrieveDeps = Omit<ThingDeps, "reading">;

/** An intent with the products chosen for it. */
export interface Part extends FoundIntent {
  products: readonly StoredProduct[];
}

export interface Retrieved {
  parts: readonly Part[];
  /** At most ten, the best of each part in turn. */
  products: readonly StoredProduct[];
  /** The sum over the parts. */
  productCount: number;
  /** One product of each part, together within the shared budget. */
  together?: readonly StoredProduct[];
  /** The answer to a question about the shop. */
  shop?: ShopFacts;
  /** Something cheaper was requested: these are the cheapest instead. */
  nothingCheaper?: true;
}

const maxProducts = 10;
const perBrand = 3;

/** Finds the products of every intent. If there are none, it relaxes constraints step by step, but never a price bound. */
export async function retrieve(
  deps: RetrieveDeps,
  understanding: Understanding,
  signal: AbortSignal,
): Promise<Retrieved> {
  const { textSearch, catalogStore } = deps;
  const { sharedBudgetMinor, sorting, question, shop, skipped = [] } = understanding;
  if (question !== undefined) return retrievedForQuestion(question);
  if (understanding.referred !== undefined) return retrievedAgain(understanding.referred);
  const priceOf = async (rowId: number) => (await catalogStore.findByRowIds([rowId]))[0]?.priceMinor;
  const intents =
    sharedBudgetMinor === undefined
      ? understanding.intents
      : await fitBudget(textSearch, understanding.intents, sharedBudgetMinor, priceOf, signal);
  const found = await Promise.all(
    intents.map((intent) =>
      findIntent(deps, intent, sorting, signal, skipped.length + (shop === undefined ? 0 : allOfShop)),
    ),
  );
  const parts = await Promise.all(
    found.map(async (part) => ({
      ...part,
      products: await chooseProducts(catalogStore, part, sorting, skipped),
    })),
  );
  const productCount = parts.reduce((sum, { hits }) => sum + hits.total, 0);
  if (understanding.asksForCheaper && parts.every(isLess)) {
    const cheapest = await cheapestOf(deps, understanding, signal);
    if (productCount === 0 || !cheapest.parts.some(isLess)) return cheapest;
  }
  const [only] = parts;
  const facts = shop && only && (await findShopFacts(deps, shop, only, signal));
  const { products, ...arranged } = arrange(parts, sharedBudgetMinor);
  return {
    parts,
    productCount,
    ...arranged,
    products: facts?.products === undefined ? products : withProducts(facts, products),
    ...(facts !== undefined && { shop: facts }),
  };
}

/** Whether nothing meets all that was requested. */
function isLess({ hits, relaxed }: FoundIntent): boolean {
  return hits.total === 0 || relaxed.length > 0;
}

/** Questions about the shop are answered from this many more hits. */
const allOfShop = 160;

/** A product for each name of the answer; for prices, the cheapest products and the most expensive one. */
function withProducts(
  { asks, products: own = [] }: ShopFacts,
  products: readonly StoredProduct[],
): readonly StoredProduct[] {
  if (asks !== "prices") return own.length > 0 ? own : products;
  const [first, last] = own;
  if (first === undefined || last === undefined) return products;
  const others = products.filter(({ rowId }) => rowId !== first.rowId && rowId !== last.rowId);
  return [first, ...others.slice(0, maxProducts - 2), last];
}

/** Without the limit of "cheaper", but with that of the shopper. */
async function cheapestOf(
  deps: RetrieveDeps,
  { asksForCheaper, ...understanding }: Understanding,
  signal: AbortSignal,
): Promise<Retrieved> {
  const limit = asksForCheaper?.limitMinor;
  const intents = understanding.intents.map(
    ({ constraints: { maxPriceMinor: _, ...others }, ...intent }) => ({
      ...intent,
      constraints: { ...others, ...(limit !== undefined && { maxPriceMinor: limit }) },
    }),
  );
  return { ...(await retrieve(deps, { ...understanding, intents }, signal)), nothingCheaper: true };
}

/** Only the product that the question is about. */
function retrievedForQuestion({ product }: ProductQuestion): Retrieved {
  const products = product === undefined ? [] : [product];
  return { parts: [], products, productCount: products.length };
}

/** Products of the last answer, each as its own part. */
function retrievedAgain(products: readonly StoredProduct[]): Retrieved {
  const parts = products.map((product) => ({
    intent: emptyIntent,
    relaxed: [],
    droppedWords: [],
    hits: { rowIds: [product.rowId], total: 1, sourceHas: "thing" as const, droppedWords: [] },
    products: [product],
  }));
  return { parts, products, productCount: products.length };
}

async function chooseProducts(
  catalogStore: RetrieveDeps["catalogStore"],
  part: FoundIntent,
  sorting: Sorting,
  skipped: readonly number[],
): Promise<StoredProduct[]> {
  const { hits, intent } = part;
  const { sort } = sorting;
  const products = await catalogStore.findByRowIds(hits.rowIds.filter((rowId) => !skipped.includes(rowId)));
  const chosen = diversify(products, {
    limit: maxProducts,
    perBrand: intent.constraints.brands === undefined ? perBrand : maxProducts,
    availableFirst: sort === "relevance" && asksForNoState(intent),
  });
  return bestFirst(chosen, part, sorting);
}

function asksForNoState({ constraints }: Intent): boolean {
  return constraints.availability === undefined;
}

function arrange(
  parts: readonly Part[],
  budgetMinor: number | undefined,
): Pick<Retrieved, "products" | "together"> {
  const lists = parts.map(({ products }) => products).filter((list) => list.length > 0);
  const together =
    budgetMinor === undefined || lists.length < parts.length
      ? undefined
      : chooseTogether(
          lists.map((list) => list.slice(0, 5)),
          budgetMinor,
        );
  const inTurn = Array.from({ length: maxProducts }, (_, rank) =>
    lists.flatMap((list) => list[rank] ?? []),
  ).flat();
  const unique = new Map([...(together ?? []), ...inTurn].map((product) => [product.rowId, product]));
  const products = [...unique.values()].slice(0, maxProducts);
  return { products, ...(together !== undefined && { together }) };
}

/**
 * Puts the product to recommend first: of those that fit the request equally well, the one with the best rating for its
 * price. Then no other product of the list is both cheaper and better rated. A list in a requested order keeps it, except that
 * of several best rated products the cheapest comes first.
 */
function bestFirst(
  products: readonly StoredProduct[],
  part: FoundIntent,
  { sort, order }: Sorting,
): StoredProduct[] {
  const [first] = products;
  if (first === undefined) return [];
  if (sort === "rating" && order === "desc") return cheapestOfBestFirst(products, first);
  if (sort !== "relevance") return [...products];
  const fits = new Map(products.map((product) => [product, fitOf(product, part)]));
  const fit = (product: StoredProduct): number => fits.get(product) ?? 0;
  const isSale = part.intent.constraints.minDiscount !== undefined;
  const value = ({ averageRating: rating, priceMinor, discountVal }: StoredProduct): number =>
    starsForPrice({ ...(rating !== undefined && { rating }), priceMinor }) +
    (isSale ? discountVal * starsPerPercentOff : 0);
  const most = Math.max(...products.map(fit));
  const fitting = products.filter((product) => fit(product) === most);
  // Prices compare within one kind of thing only: a running shirt is no cheap running shoe.
  const alike = fitting.filter(({ category }) => category === fitting[0]?.category);
  const [best = first] = alike.toSorted((a, b) => value(b) - value(a));
  return moveFirst(products, best);
}

function cheapestOfBestFirst(products: readonly StoredProduct[], first: StoredProduct): StoredProduct[] {
  const tied = products.filter(({ averageRating }) => averageRating === first.averageRating);
  const [best = first] = tied.toSorted((a, b) => waitFor(a) - waitFor(b) || a.priceMinor - b.priceMinor);
  return moveFirst(products, best);
}

function moveFirst(products: readonly StoredProduct[], best: StoredProduct): StoredProduct[] {
  return [best, ...products.filter((product) => product !== best)];
}

/** How much of the request the product's own texts state. What cannot be bought now fits worst. */
function fitOf(product: StoredProduct, { intent, served, droppedWords }: FoundIntent): number {
  const { name, averageRating = 0 } = product;
  const texts = ` ${comparable(textOfProduct(product))} `;
  const has = (word: string): boolean => texts.includes(` ${comparable(word)} `);
  const wished = intent.wishes.filter((wish) => statesWish(product, wish)).length;
  const asked = new Set([...askedWords(intent), ...droppedWords]);
  const noun = intent.requestWords.at(-1);
  const isNamed = noun !== undefined && namesThing(name, noun);
  return (
    [...asked, ...(served === undefined ? [] : [served.by])].filter(has).length +
    wished +
    (isNamed ? 1 : 0) +
    (averageRating >= goodRating ? 1 : 0) -
    100 * waitFor(product)
  );
}

function askedWords({ words, purpose, constraints: { colours = [] } }: Intent): string[] {
  return [...new Set([...words, ...purpose, ...colours.flat()])];
}

interface Diversity {
  limit: number;
  /** Maximum number of products of one brand, as long as there are others. */
  perBrand: number;
  /** Products that cannot be bought come last. */
  availableFirst: boolean;
}

/** Chooses different things from the best hits and keeps their order, so that the result is not ten sizes of one shoe. */
function diversify(products: readonly StoredProduct[], diversity: Diversity): StoredProduct[] {
  const ordered = diversity.availableFirst
    ? products.toSorted((one, other) => waitFor(one) - waitFor(other))
    : [...products];
  const families = new Set<string>();
  const different = ordered.filter((product) => isNew(families, familyOf(product)));
  const spread = spreadBrands(different, diversity.perBrand).slice(0, diversity.limit);
  const chosen = spread.length >= enough ? spread : ordered.slice(0, diversity.limit);
  const positions = new Map(ordered.map((product, index) => [product.rowId, index]));
  return chosen.toSorted((a, b) => (positions.get(a.rowId) ?? 0) - (positions.get(b.rowId) ?? 0));
}

function spreadBrands(products: readonly StoredProduct[], perBrand: number): StoredProduct[] {
  const counts = new Map<string, number>();
  const first: StoredProduct[] = [];
  const surplus: StoredProduct[] = [];
  for (const product of products) {
    const brand = product.brand ?? "";
    const count = (counts.get(brand) ?? 0) + 1;
    counts.set(brand, count);
    (brand === "" || count <= perBrand ? first : surplus).push(product);
  }
  return [...first, ...surplus];
}

/** Products in stock first, then those that can be ordered, then those out of stock. */
const waits: Record<Availability, number> = { in_stock: 0, preorder: 1, backorder: 1, out_of_stock: 2 };

function waitFor({ availability }: StoredProduct): number {
  return waits[availability];
}

function isNew(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/**
 * The common name of all variants of a thing: its name up to the first comma or bracket, which most shops put before the
 * variant, without sizes, numbers and colours.
 */
function familyOf({ brand = "", name }: StoredProduct): string {
  const [start = ""] = name.split(/,|\(|\s[–—|-]\s/u);
  const base = start.trim().includes(" ") ? start : name;
  const words = comparable(base.includes(brand) ? base : `${brand} ${base}`).split(" ");
  return words.filter((word) => !/\d/u.test(word) && !sizes.has(word) && !colourNames.has(word)).join(" ");
}

/**
 * Limits the price of each intent so that the budget still covers the cheapest product of every other intent. Then every
 * product found for one intent can be bought together with some product of each of the others.
 */
async function fitBudget(
  textSearch: TextSearch,
  intents: readonly Intent[],
  budgetMinor: number,
  priceOf: (rowId: number) => Promise<number | undefined>,
  signal: AbortSignal,
): Promise<Intent[]> {
  const cheapest = await Promise.all(
    intents.map(async (intent) => {
      const query = { ...cheapestOne, text: intent.words.join(" "), filters: filtersOf(intent) };
      const { rowIds } = await unlessUsedUp(() => textSearch.search(query, signal), { rowIds: [] });
      return rowIds[0] === undefined ? 0 : ((await priceOf(rowIds[0])) ?? 0);
    }),
  );
  const all = cheapest.reduce((sum, price) => sum + price, 0);
  return intents.map((intent, index) => {
    const left = budgetMinor - (all - (cheapest[index] ?? 0));
    const bound = Math.min(left, intent.constraints.maxPriceMinor ?? left);
    return { ...intent, constraints: { ...intent.constraints, maxPriceMinor: bound } };
  });
}

interface Priced {
  priceMinor: number;
}

/** One product of each list, as early as possible, together within the budget; undefined if there is no such choice. */
function chooseTogether<Item extends Priced>(
  lists: readonly (readonly Item[])[],
  budgetMinor: number,
): Item[] | undefined {
  let best: { items: Item[]; rank: number } | undefined;
  const choose = (index: number, items: Item[], left: number, rank: number): void => {
    if (best !== undefined && rank >= best.rank) return;
    const list = lists[index];
    if (list === undefined) {
      best = { items, rank };
      return;
    }
    for (const [position, item] of list.entries()) {
      if (item.priceMinor <= left)
        choose(index + 1, [...items, item], left - item.priceMinor, rank + position);
    }
  };
  choose(0, [], budgetMinor, 0);
  return best?.items;
}
