import type { TransformName } from "../train/augment.ts";
import type { Photograph } from "../train/photographs.ts";
import { averagePrecision, mean, pickRows, precisionAt10, rank, recallAt1 } from "./retrieval.ts";

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
