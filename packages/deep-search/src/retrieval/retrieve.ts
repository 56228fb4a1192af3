import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { ProductQuestion } from "../understanding/conversation/resolve-question.ts";
import type { Intent, Sorting, Understanding } from "../understanding/understanding.ts";
import { bestFirst } from "./best-first.ts";
import { diversify } from "./diversify.ts";
import { type FoundIntent, findIntent } from "./find-intent.ts";
import { chooseTogether, fitBudget } from "./fit-budget.ts";
import { fittingCategoriesFirst } from "./fitting-categories.ts";

export interface RetrieveDeps {
  textSearch: TextSearch;
  catalogStore: Pick<CatalogStore, "findByRowIds">;
}

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
}

const maxProducts = 10;
const perBrand = 3;

/** Finds the products of every intent. If there are none, it relaxes constraints step by step, but never a price bound. */
export async function retrieve(
  { textSearch, catalogStore }: RetrieveDeps,
  understanding: Understanding,
  signal: AbortSignal,
): Promise<Retrieved> {
  const { sharedBudgetMinor, sorting, question, skipped = [] } = understanding;
  if (question !== undefined) return retrievedForQuestion(question);
  if (understanding.referred !== undefined) return retrievedAgain(understanding.referred);
  const priceOf = async (rowId: number) => (await catalogStore.findByRowIds([rowId]))[0]?.priceMinor;
  const intents =
    sharedBudgetMinor === undefined
      ? understanding.intents
      : await fitBudget(textSearch, understanding.intents, sharedBudgetMinor, priceOf, signal);
  const found = await Promise.all(
    intents.map((intent) =>
      findIntent({ textSearch, catalogStore }, intent, sorting, signal, skipped.length),
    ),
  );
  const parts = await Promise.all(
    found.map(async (part) => ({
      ...part,
      products: await chooseProducts({ textSearch, catalogStore }, part, sorting, skipped, signal),
    })),
  );
  const productCount = parts.reduce((sum, { hits }) => sum + hits.total, 0);
  return { parts, productCount, ...arrange(parts, sharedBudgetMinor) };
}

/** Only the product that the question is about. */
function retrievedForQuestion({ product }: ProductQuestion): Retrieved {
  const products = product === undefined ? [] : [product];
  return { parts: [], products, productCount: products.length };
}

/** Products of the last answer, each as its own part. */
function retrievedAgain(products: readonly StoredProduct[]): Retrieved {
  const nothingAsked = {
    words: [],
    said: [],
    features: [],
    purpose: [],
    wishes: [],
    asksForQuality: false,
    constraints: {},
  };
  const parts = products.map((product) => ({
    intent: nothingAsked,
    relaxed: [],
    droppedWords: [],
    hits: { rowIds: [product.rowId], total: 1, droppedWords: [] },
    products: [product],
  }));
  return { parts, products, productCount: products.length };
}

async function chooseProducts(
  { textSearch, catalogStore }: RetrieveDeps,
  found: FoundIntent,
  sorting: Sorting,
  skipped: readonly number[],
  signal: AbortSignal,
): Promise<StoredProduct[]> {
  const { hits, intent } = found;
  const { sort } = sorting;
  const read = await catalogStore.findByRowIds(hits.rowIds.filter((rowId) => !skipped.includes(rowId)));
  const products =
    sort === "relevance" ? await fittingCategoriesFirst(read, found, textSearch, signal) : read;
  const chosen = diversify(products, {
    limit: maxProducts,
    perBrand: intent.constraints.brands === undefined ? perBrand : maxProducts,
    availableFirst: sort === "relevance" && asksForNoState(intent),
  });
  return bestFirst(chosen, found, sorting);
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
