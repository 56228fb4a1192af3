import type { ProductImageStore } from "../ports/images.ts";
import { fold } from "./name-list.ts";

/** A product with an image that is similar to the query's. */
interface SimilarInCategory {
  similarity: number;
  category?: string | undefined;
  /** What its name says it is: "bar stool". */
  kind?: string | undefined;
}

/** So many of the most similar products say what the image shows. */
const voters = 10;
/** A category is left out if the evidence for it is less than this share of the evidence for the strongest one. */
const minShare = 0.5;
/** The image is said to show a category only if it has more than this share of the evidence. */
const majority = 0.5;
/** Only the categories that the image shows are the closest ones if the strongest has this share of the evidence. */
const clearMajority = 0.75;
/** If the image may show many things, the closest products are of this many categories. */
const maxGuesses = 5;
/** A product this much of the way from the typical similarity to 1 is kept in any category: it may be the same one. */
const almostTheSame = 0.8;

/** Within a category, a kind is left out if the evidence for it is less than this share of that for the strongest kind. */
const minShareOfKind = 0.3;
/** Kinds count only if the strongest one has this share of all evidence: names that are all different say nothing. */
const agreement = 0.3;
const wordsOfKind = 2;

/** Adds what is known of the products to the hits. A product that was deleted meanwhile has no category and no kind. */
export function withCategories<Hit extends { rowId: number; similarity: number }>(
  hits: readonly Hit[],
  products: readonly { rowId: number; category?: string | undefined; name: string }[],
): (Hit & SimilarInCategory)[] {
  const known = new Map(products.map((product) => [product.rowId, product]));
  return hits.map((hit) => {
    const { category, name } = known.get(hit.rowId) ?? {};
    return { ...hit, category, kind: name === undefined ? undefined : kindInName(name) };
  });
}

/** The end of a name before its variant says what the thing is: "Skagen Loft Bar Stool, Tan Bamboo" is a bar stool. */
export function kindInName(name: string): string | undefined {
  const [start = ""] = name.split(/,|\(|\s[–—|-]\s/u);
  const words = fold(start).match(/\p{L}[\p{L}\p{M}'’-]*/gu) ?? [];
  return words.length === 0 ? undefined : words.slice(-wordsOfKind).join(" ");
}

/**
 * For each category of the most similar products, the sum of their similarities above the typical one, strongest first.
 * Products without a category count under undefined. If few of `hits` are as similar as is typical, because the image is
 * of another sort than the catalog's (a photograph, and drawings), what counts is how much more similar the first are than
 * the last.
 */
function evidenceByCategory(
  hits: readonly SimilarInCategory[],
  typicalSimilarity: number,
): [category: string | undefined, evidence: number][] {
  const least = Math.min(typicalSimilarity, hits.at(-1)?.similarity ?? typicalSimilarity);
  return evidenceBy(({ category }) => category, hits, least);
}

/** What the most similar products say an image shows. */
export interface ShownCategories {
  /** Strongest first; empty if they do not agree. */
  readonly categories: string[];
  /** Whether they agree so clearly that products of other categories are not close. */
  readonly isClear: boolean;
}

/** `nearest` are the most similar products, however similar they are, best first. */
export function shownCategories(
  nearest: readonly SimilarInCategory[],
  typicalSimilarity: number,
): ShownCategories {
  const evidence = evidenceByCategory(nearest, typicalSimilarity);
  const total = evidence.reduce((sum, [, one]) => sum + one, 0);
  const [first, strongest = 0] = evidence[0] ?? [];
  if (first === undefined || !(strongest > majority * total)) return { categories: [], isClear: false };
  const categories = evidence.flatMap(([category, sum]) =>
    category !== undefined && sum >= minShare * strongest ? [category] : [],
  );
  return { categories, isClear: strongest >= clearMajority * total };
}

function evidenceBy(
  nameOf: (hit: SimilarInCategory) => string | undefined,
  hits: readonly SimilarInCategory[],
  typicalSimilarity: number,
): [name: string | undefined, evidence: number][] {
  const evidence = new Map<string | undefined, number>();
  for (const hit of hits.slice(0, voters)) {
    const name = nameOf(hit);
    evidence.set(name, (evidence.get(name) ?? 0) + Math.max(0, hit.similarity - typicalSimilarity));
  }
  return [...evidence].toSorted(([, one], [, other]) => other - one);
}

/**
 * Those to show where few products are similar: of the categories that the image shows, most similar first; or, if it is
 * not clear what it shows, of the nearest categories in turn, so that the first few are of several.
 */
export function closestProducts<Hit extends SimilarInCategory>(
  hits: readonly Hit[],
  { categories, isClear }: ShownCategories,
): Hit[] {
  if (isClear) return hits.filter(({ category }) => category === undefined || categories.includes(category));
  const guesses = [...Map.groupBy(hits, ({ category }) => category).values()].slice(0, maxGuesses);
  const turns = Math.max(0, ...guesses.map(({ length }) => length));
  return Array.from({ length: turns }, (_, turn) => guesses.flatMap((guess) => guess[turn] ?? [])).flat();
}

/**
 * Leaves out products of categories that few of the most similar products have: a lamp among watches. Then, if the names of
 * the rest agree on what they are, those that are called otherwise: a dining chair among bar stools. `hits` are sorted by
 * similarity. Products without a category or name are kept, since nothing speaks against them. `nearest` are the most
 * similar products that say what the image shows, if these are more than the hits.
 */
export function keepAgreeing<Hit extends SimilarInCategory>(
  hits: readonly Hit[],
  typicalSimilarity: number,
  nearest: readonly SimilarInCategory[] = hits,
): Hit[] {
  const categories = evidenceByCategory(nearest, typicalSimilarity);
  const ofCategory = keepNamed(({ category }) => category, categories, minShare, hits, typicalSimilarity);
  const kinds = evidenceBy(({ kind }) => kind, ofCategory, typicalSimilarity);
  const total = kinds.reduce((sum, [, one]) => sum + one, 0);
  const [strongest = 0] = kinds.flatMap(([kind, one]) => (kind === undefined ? [] : [one]));
  if (strongest < agreement * total) return ofCategory;
  return keepNamed(({ kind }) => kind, kinds, minShareOfKind, ofCategory, typicalSimilarity);
}

function keepNamed<Hit extends SimilarInCategory>(
  nameOf: (hit: SimilarInCategory) => string | undefined,
  evidence: readonly [name: string | undefined, evidence: number][],
  leastShare: number,
  hits: readonly Hit[],
  typicalSimilarity: number,
): Hit[] {
  const ofNames = evidence.filter(([name]) => name !== undefined);
  const strongest = ofNames[0]?.[1] ?? 0;
  const kept = new Set(ofNames.flatMap(([name, sum]) => (sum >= leastShare * strongest ? [name] : [])));
  const same = typicalSimilarity + (1 - typicalSimilarity) * almostTheSame;
  return hits.filter((hit) => {
    const name = nameOf(hit);
    return name === undefined || kept.has(name) || hit.similarity >= same;
  });
}

/** Number of sampled products: about two thousand pairs. */
const sampled = 64;
/** Fewer vectors say nothing about a catalog. */
const minVectors = 20;
/** In a catalog of one kind of product all are similar; the minimum must not rise until only the same image is found. */
const maxVectors = 0.5;
const scanBatchSize = 2048;

/**
 * The typical similarity of two products of the catalog: the median over pairs of a sample spread over all row ids. It
 * depends much more on the model than on the catalog.
 */
export async function typicalSimilarity(
  store: Pick<ProductImageStore, "scan">,
  model: string,
  maxRowId: number | undefined,
): Promise<number> {
  const vectors = await sample(store, model, maxRowId);
  if (vectors.length < minVectors) return 0;
  const similarities: number[] = [];
  for (const [at, one] of vectors.entries()) {
    for (const other of vectors.slice(at + 1)) similarities.push(dot(one, other));
  }
  similarities.sort((one, other) => one - other);
  return Math.min(maxVectors, Math.max(0, similarities[similarities.length >> 1] ?? 0));
}

async function sample(
  store: Pick<ProductImageStore, "scan">,
  model: string,
  maxRowId: number | undefined,
): Promise<Float32Array[]> {
  if (maxRowId === undefined) {
    const products = await store.scan(model, 0, scanBatchSize);
    const step = Math.max(1, products.length / sampled);
    return products
      .filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
      .flatMap(firstVector);
  }
  const found = new Map<number, Float32Array[]>();
  for (let n = 0; n < sampled; n++) {
    const [product] = await store.scan(model, Math.floor((n * maxRowId) / sampled), 1);
    if (product) found.set(product.rowId, firstVector(product));
  }
  return [...found.values()].flat();
}

function firstVector({ vectors }: { vectors: Float32Array[] }): Float32Array[] {
  return vectors.slice(0, 1);
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

/**
 * The minimum similarity, as a share of the way from the typical similarity to 1. Images below it show something else.
 * With the built-in model, 8 % of photographs find another kind of thing at 0.25 and 98 % still their own; at 0.2 it is
 * 19 and 99 %, at 0.3 3 and 94 %. With the small model alone it is 8 and 89 % at 0.2, and 3 and 71 % at 0.25.
 */
const similarityFloor = 0.25;
const smallModelFloor = 0.2;
/** As packages/vision names the small model. Joined with another encoder, it has another name. */
const smallModel = /^built-in-\d+-[0-9a-f]+$/;

/**
 * The minimum similarity for image search with this model in a catalog with this typical similarity. With the built-in
 * model, images of different kinds of things are hardly similar (0). With a learned encoder, any two images may have 0.5.
 */
export function floorAbove(typicalSimilarity: number, model: string | undefined): number {
  const share = model !== undefined && smallModel.test(model) ? smallModelFloor : similarityFloor;
  return typicalSimilarity + (1 - typicalSimilarity) * share;
}

/** What speaks for the name that the similar products give to an object. */
interface NameEvidence {
  /** The detector's confidence that the box contains exactly one object. */
  box: number;
  /** The category's share of the evidence of the most similar products. */
  share: number;
  /** How similar the best product of the category is: 0 is typical of any two products, 1 is the same image. */
  strength: number;
}

/**
 * Logistic regression of "box and name are right". The detector's confidence alone says only that the box holds one
 * object. Fitted to half of the trials on generated scenes, and judged on the
 * others.
 */
const weights = [-3, 0.74, 4.27, 2.5] as const;

/** The category that most of the similar products have, with the evidence for it; undefined if they do not agree. */
export function evidenceOfName(
  hits: readonly SimilarInCategory[],
  typicalSimilarity: number,
  box: number,
): { category: string; evidence: NameEvidence } | undefined {
  const evidence = evidenceByCategory(hits, typicalSimilarity);
  const [category, sum = 0] = evidence[0] ?? [];
  const share = sum / evidence.reduce((total, [, one]) => total + one, 0);
  if (category === undefined || !(share > majority)) return undefined;
  const best = hits.find((hit) => hit.category === category)?.similarity ?? 0;
  return {
    category,
    evidence: { box, share, strength: (best - typicalSimilarity) / (1 - typicalSimilarity) },
  };
}

/** The share of objects with this evidence whose box and name are right. */
export function nameConfidence(
  evidence: NameEvidence,
  [constant = 0, ...others]: readonly number[] = weights,
): number {
  const sum = inputsOf(evidence).reduce((total, input, at) => total + input * (others[at] ?? 0), constant);
  return 1 / (1 + Math.exp(-sum));
}

/** The inputs of the regression. Agreement counts for little where nothing is very similar. */
function inputsOf({ box, share, strength }: NameEvidence): number[] {
  return [Math.log((box + 0.01) / (1.01 - box)), share * strength, strength];
}
