import { describe, expect, it } from "vitest";
import {
  averagePrecision,
  type Described,
  precisionAt10,
  rank,
  recallAt1,
  scoreRetrieval,
  summarise,
} from "../../bench/evaluate-retrieval.ts";
import { foldsByProduct, judgedFolds } from "../../bench/evaluate-vision.ts";

let photographs = 0;
const photograph = (
  product: string,
  kind: string,
  view = "",
  path = `${product}${kind}${view}${photographs++}`,
  source = "shop",
) => ({
  path,
  source,
  product,
  class: kind,
  view,
});
const angles = (...degrees: number[]) =>
  Float32Array.from(
    degrees.flatMap((angle) => [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)]),
  );

describe("ranking", () => {
  it("puts the most similar first and leaves the query out", () => {
    const vectors = { vectors: angles(0, 50, 10), dimensions: 2 };
    expect(rank(vectors, vectors, (query, row) => query === row)).toEqual([
      [2, 1],
      [2, 0],
      [0, 1],
    ]);
  });

  it("computes precision, recall and average precision", () => {
    const relevant = (row: number) => row === 1 || row === 4;
    expect(precisionAt10([1, 2, 3, 4], relevant)).toBeCloseTo(0.2);
    expect(averagePrecision([1, 2, 3, 4], relevant)).toBeCloseTo((1 + 2 / 4) / 2);
    expect(recallAt1([1, 2], relevant)).toBe(1);
    expect(recallAt1([2, 1], relevant)).toBe(0);
    expect(recallAt1([], relevant)).toBe(0);
  });
});

describe("folds", () => {
  it("keep the images of one product together and distribute the products evenly", () => {
    const photographs = ["a", "b", "a", "c", "d", "b"].map((product) => photograph(product, "kind"));
    expect(foldsByProduct(photographs, 2)).toEqual([0, 1, 0, 0, 1, 1]);
    const alone = [photograph("", "hat", "", "1.jpg"), photograph("", "hat", "", "2.jpg")];
    expect(foldsByProduct(alone, 2)).toEqual([0, 1]);
  });

  it("judge every photograph once, or those of one source", () => {
    const shelf = photograph("a", "kind", "", "1.jpg", "shelf");
    const photographs = [photograph("b", "kind"), shelf, photograph("c", "kind"), shelf];
    expect(judgedFolds(photographs, undefined, 2)).toEqual([
      [0, 2],
      [1, 3],
    ]);
    expect(judgedFolds(photographs, "shelf", 2)).toEqual([[1, 3]]);
    expect(() => judgedFolds(photographs, "sea", 2)).toThrow('source "sea"; there are shop, shelf.');
  });
});

describe("scores", () => {
  const photographs = [
    photograph("milk", "drink", "natural"),
    photograph("milk", "drink", "natural"),
    photograph("milk", "drink", "iconic"),
    photograph("juice", "drink", "iconic"),
    photograph("", "hat"),
    photograph("", "hat"),
    photograph("", "shoe"),
  ];
  const described: Described = {
    dimensions: 2,
    originals: angles(0, 5, 80, 40, 200, 205, 210),
    transformed: new Map([["mirrored", angles(1, 4, 80, 40, 200, 209, 210)]]),
    judged: [0, 1, 2, 3, 4, 5, 6],
  };

  it("score products without pack shots, pack shots alone, classes without products, and copies against all", () => {
    const report = summarise([scoreRetrieval(photographs, described)]);
    expect(report.productRecallAt1).toBe(1);
    // Both photographs of milk are nearer to the pack shot of the juice.
    expect(report.packShotRecallAt1).toBe(0);
    // Of the two others in the gallery, one shares the first two images' class and none the shoe's.
    expect(report.classPrecisionAt10).toBeCloseTo((0.1 + 0.1 + 0) / 3);
    expect(report.nearDuplicateByTransform).toEqual({ mirrored: 6 / 7 });
  });

  it("leave out figures that the photographs do not allow", () => {
    const report = summarise([scoreRetrieval(photographs, { ...described, judged: [6] })]);
    expect(report.productRecallAt1).toBeUndefined();
    expect(report.packShotRecallAt1).toBeUndefined();
  });
});
