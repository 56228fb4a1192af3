import { type LanguageCode, languageCodes } from "@product-search/core/domain/languages/languages.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { letOthersCome } from "@product-search/core/mechanisms/fair-queue.ts";
import { detectLanguage, type Languages } from "@product-search/text-index";
import { type CatalogLog, countProducts } from "./catalog-log.ts";
import { serviceLanguages } from "./service-languages.ts";

/** The languages of a catalog as an operator names them, or how they are found. */
export type ChosenLanguages = Languages | typeof languagesOfCatalog;

export async function readLanguages(chosen: ChosenLanguages, log: Read): Promise<Languages> {
  return typeof chosen === "function" ? chosen(log) : chosen;
}

/** Whether so much of a catalog changed that its languages may be others. */
export function mayHaveOtherLanguages(products: number, changes: number): boolean {
  return changes >= Math.max(1, products / 5);
}

type Read = Pick<CatalogLog, "scan" | "countBySource" | "lastSequence">;

/** Products are read at so many places of the catalog: a feed may bring one language after the other. */
const places = 25;
const productsEach = 60;
/** Enough to tell a language. */
const textLength = 300;
/** A language has at least this share of the products, and so many of them: a few foreign names are no language. */
const leastShare = 0.15;
const leastProducts = 4;

const all = serviceLanguages(languageCodes);

/** The languages of the names and descriptions of a catalog, that of most products first; English if they tell none. */
export async function languagesOfCatalog(log: Read): Promise<Languages> {
  const last = await lastRow(log);
  const sample = new Map<number, LanguageCode | undefined>();
  for (let place = 0; place < places; place++) {
    for (const product of await log.scan(Math.floor((last * place) / places), productsEach))
      sample.set(product.rowId, languageOf(product));
    // Requests that list synonyms read the sample, too: all at once takes 40 ms.
    await letOthersCome();
  }
  const [first = "en", ...others] = mostFrequent([...sample.values()]);
  return serviceLanguages([first, ...others]);
}

/** The languages that products are of, by their feed or by their texts. */
export function languagesOfProducts(products: readonly Described[]): LanguageCode[] {
  return mostFrequent(products.map(languageOf));
}

type Described = Pick<StoredProduct, "name" | "description" | "language">;

function languageOf({ name, description, language: told }: Described): LanguageCode | undefined {
  return codeOf(told) ?? codeOf(detectLanguage(all, `${name} ${description.slice(0, textLength)}`)?.code);
}

const codeOf = (text: string | undefined) => languageCodes.find((code) => code === text);

function mostFrequent(codes: ReadonlyArray<LanguageCode | undefined>): LanguageCode[] {
  const counts = new Map<LanguageCode | undefined, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  const least = Math.max(leastProducts, leastShare * codes.length);
  return languageCodes
    .filter((code) => (counts.get(code) ?? 0) >= least)
    .toSorted((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
}

/** Rows are numbered in their order; those of deleted products are missing. */
async function lastRow(log: Read): Promise<number> {
  let low = await countProducts(log);
  for (let step = Math.max(low, 1); (await log.scan(low + step, 1)).length > 0; step *= 2) low += step;
  return low;
}
