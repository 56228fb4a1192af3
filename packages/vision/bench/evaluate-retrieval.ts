import { createDescriber } from "../src/built-in-model.ts";
import { histogramLength, hogLength, writeHistogram, writeHog } from "../src/descriptor/colour-blocks.ts";
import { rasterSide } from "../src/descriptor/features.ts";
import { computeGradients, createGradients, type Frame, frameObject } from "../src/descriptor/frame.ts";
import { frameSize } from "../src/descriptor/patches.ts";
import { descriptorDimensions } from "../src/descriptor/weights.ts";
import { decodeImage, labFromRaster, type OpenedImage, type Raster } from "../src/image/open-image.ts";
import { loadLearnedEncoder } from "../src/learned/learned-encoder.ts";
import { embeddingLength, inputSide } from "../src/learned/network.ts";
import type { TransformName } from "../train/patch-model.ts";
import { productWithTransposed } from "../train/projection.ts";
import type { Photograph } from "../train/scenes.ts";
import type { TrainedWeights } from "../train/train-weights.ts";

/** Descriptors of photographs by one method: a table for the originals and one for each transform, one image a row. */
export interface Described {
  readonly dimensions: number;
  /** All photographs. */
  readonly originals: Float32Array;
  /** The evaluated ones only, in their order. */
  readonly transformed: ReadonlyMap<TransformName, Float32Array>;
  /** The photographs that are evaluated. The method may have been trained on the others: they are only distractors. */
  readonly judged: readonly number[];
}

/** The figures of each query, to be averaged over folds. */
export interface RetrievalScores {
  readonly classPrecisionAt10: number[];
  readonly classMap: number[];
  readonly productRecallAt1: number[];
  readonly packShotRecallAt1: number[];
  readonly nearDuplicate: Map<TransformName, number[]>;
}

const isPackShot = ({ view }: Photograph) => view === "iconic";

export function scoreRetrieval(photographs: readonly Photograph[], described: Described): RetrievalScores {
  return {
    ...scoreClasses(photographs, described),
    productRecallAt1: scoreProducts(photographs, described),
    packShotRecallAt1: scorePackShots(photographs, described),
    nearDuplicate: scoreNearDuplicates(photographs, described),
  };
}

function queryAndRank(
  { originals, dimensions }: Described,
  queries: readonly number[],
  gallery: readonly number[],
): [query: number, ranking: number[]][] {
  const rankings = rank(
    pickRows(originals, dimensions, queries),
    pickRows(originals, dimensions, gallery),
    (query, row) => queries[query] === gallery[row],
  );
  return queries.map((query, i) => [query, (rankings[i] ?? []).map((row) => gallery[row] ?? -1)]);
}

/** Evaluated photographs with a class and no product. Training moved other photographs of a class together. */
function scoreClasses(photographs: readonly Photograph[], described: Described) {
  const members = described.judged.filter(
    (i) => photographs[i]?.product === "" && photographs[i]?.class !== "",
  );
  const rankings = queryAndRank(described, members, members);
  const alike = (query: number) => (row: number) => photographs[row]?.class === photographs[query]?.class;
  return {
    classPrecisionAt10: rankings.map(([query, ranking]) => precisionAt10(ranking, alike(query))),
    classMap: rankings.map(([query, ranking]) => averagePrecision(ranking, alike(query))),
  };
}

function sameProduct(photographs: readonly Photograph[], query: number) {
  return (row: number) => photographs[row]?.product === photographs[query]?.product;
}

/** A photograph of a product finds another photograph of it before any other photograph; pack shots are left out. */
function scoreProducts(photographs: readonly Photograph[], described: Described): number[] {
  const gallery = [...photographs.keys()].filter((i) => {
    const photograph = photographs[i];
    return photograph !== undefined && !isPackShot(photograph);
  });
  const counts = Map.groupBy(gallery, (i) => photographs[i]?.product ?? "");
  const judged = new Set(described.judged);
  const queries = gallery.filter((i) => {
    const product = photographs[i]?.product ?? "";
    return judged.has(i) && product !== "" && (counts.get(product)?.length ?? 0) > 1;
  });
  const rankings = queryAndRank(described, queries, gallery);
  return rankings.map(([query, ranking]) => recallAt1(ranking, sameProduct(photographs, query)));
}

/** A photograph of a product finds its pack shot before any other pack shot. */
function scorePackShots(photographs: readonly Photograph[], described: Described): number[] {
  const gallery = [...photographs.entries()]
    .filter(([, photograph]) => isPackShot(photograph))
    .map(([i]) => i);
  const products = new Set(gallery.map((i) => photographs[i]?.product));
  const queries = described.judged.filter((i) => {
    const photograph = photographs[i];
    return photograph !== undefined && !isPackShot(photograph) && products.has(photograph.product);
  });
  const rankings = queryAndRank(described, queries, gallery);
  return rankings.map(([query, ranking]) => recallAt1(ranking, sameProduct(photographs, query)));
}

/** A changed image finds its original before all other originals. */
function scoreNearDuplicates(photographs: readonly Photograph[], described: Described) {
  const all = [...photographs.keys()];
  const gallery = pickRows(described.originals, described.dimensions, all);
  const scores = new Map<TransformName, number[]>();
  for (const [transform, table] of described.transformed) {
    const rankings = rank({ vectors: table, dimensions: described.dimensions }, gallery, () => false);
    const found = rankings.map((ranking, i) => recallAt1(ranking, (row) => row === described.judged[i]));
    scores.set(transform, found);
  }
  return scores;
}

/** The keys of the report; a figure is missing if the photographs do not allow it. */
export function summarise(scores: readonly RetrievalScores[]) {
  const all = (pick: (score: RetrievalScores) => readonly number[]) => mean(scores.flatMap(pick));
  const transforms = [...(scores[0]?.nearDuplicate.keys() ?? [])];
  const rows = transforms.map(
    (transform) => [transform, all((score) => score.nearDuplicate.get(transform) ?? [])] as const,
  );
  return {
    classPrecisionAt10: all((score) => score.classPrecisionAt10),
    classMap: all((score) => score.classMap),
    productRecallAt1: all((score) => score.productRecallAt1),
    packShotRecallAt1: all((score) => score.packShotRecallAt1),
    nearDuplicateRecallAt1: all((score) => [...score.nearDuplicate.values()].flat()),
    nearDuplicateByTransform: Object.fromEntries(rows),
  };
}

const colourBins = { lightness: 5, chroma: 7 };
const edges = { cells: 8, bins: 9, signed: false };

const histogramDimensions = histogramLength(colourBins);
const hogDimensions = hogLength(edges);

/** The ways of describing an image that are compared, and the length of their vectors. */
export const methodLengths = {
  builtIn: descriptorDimensions,
  small: descriptorDimensions,
  network: embeddingLength,
  histogram: histogramDimensions,
  hog: hogDimensions,
} as const;
export type Method = keyof typeof methodLengths;

/** Describes an image by every method. */
export function createMethods({
  small,
  joining,
}: TrainedWeights): (image: OpenedImage) => Promise<Record<Method, Float32Array>> {
  const encoder = loadLearnedEncoder();
  const describe = createDescriber(small, joining, encoder);
  const describeByBaselines = createBaselines();
  return async (image) => {
    const { small: bySmall, joined } = await describe(image);
    return {
      builtIn: joined,
      small: bySmall,
      network: encoder.encode(await decodeImage(image, inputSide)),
      ...describeByBaselines(await decodeImage(image, rasterSide)),
    };
  };
}

/** The whole image with every pixel weighted equally: a baseline does not detect objects. */
function wholeFrame(raster: Raster): Frame {
  const image = labFromRaster(raster);
  const { width, height } = image;
  const nothing = new Float32Array(width * height);
  const foreground = { width, height, mask: nothing, distance: nothing, threshold: 0, confidence: 0 };
  const frame = frameObject(image, foreground, frameSize);
  return { ...frame, weight: frame.weight.map((weight) => (weight > 0 ? 1 : 0)) };
}

/** Two baselines: colours only, compared by the Hellinger kernel, and edge directions on a grid only. */
function createBaselines() {
  const gradients = createGradients(frameSize);
  return (raster: Raster) => {
    const frame = wholeFrame(raster);
    const histogram = new Float32Array(histogramDimensions);
    writeHistogram(frame, colourBins, histogram);
    computeGradients(frame.l, gradients);
    const hog = new Float32Array(hogDimensions);
    writeHog(gradients, frame.weight, edges, hog);
    return { histogram: rooted(histogram), hog: rooted(hog) };
  };
}

/** Takes square roots, then scales to length 1. */
function rooted(bins: Float32Array): Float32Array {
  const sum = bins.reduce((total, bin) => total + bin, 1e-12);
  return bins.map((bin) => Math.sqrt(bin / sum));
}

/** Vectors of length 1, one per row, with what each stands for. */
interface Gallery {
  readonly vectors: Float32Array;
  readonly dimensions: number;
}

/** For each query, the gallery's rows, most similar first; `same` rows (the query itself) are left out. */
export function rank(
  queries: Gallery,
  gallery: Gallery,
  same: (query: number, row: number) => boolean,
): number[][] {
  const rows = gallery.vectors.length / gallery.dimensions;
  const count = queries.vectors.length / queries.dimensions;
  const scores = productWithTransposed(queries.vectors, gallery.vectors, gallery.dimensions);
  return Array.from({ length: count }, (_, query) => {
    const score = (row: number) => scores[query * rows + row] ?? 0;
    const candidates = Array.from({ length: rows }, (_, row) => row).filter((row) => !same(query, row));
    return candidates.sort((a, b) => score(b) - score(a));
  });
}

/** The rows of a table with the given indices. */
function pickRows(table: Float32Array, dimensions: number, indices: readonly number[]): Gallery {
  const vectors = new Float32Array(indices.length * dimensions);
  for (const [to, from] of indices.entries()) {
    vectors.set(table.subarray(from * dimensions, (from + 1) * dimensions), to * dimensions);
  }
  return { vectors, dimensions };
}

export function precisionAt10(ranking: readonly number[], relevant: (row: number) => boolean): number {
  return ranking.slice(0, 10).filter(relevant).length / 10;
}

export function averagePrecision(ranking: readonly number[], relevant: (row: number) => boolean): number {
  let found = 0;
  let sum = 0;
  for (const [index, row] of ranking.entries()) {
    if (!relevant(row)) continue;
    found++;
    sum += found / (index + 1);
  }
  return found === 0 ? 0 : sum / found;
}

export function recallAt1(ranking: readonly number[], relevant: (row: number) => boolean): number {
  const [first] = ranking;
  return first !== undefined && relevant(first) ? 1 : 0;
}

export function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
