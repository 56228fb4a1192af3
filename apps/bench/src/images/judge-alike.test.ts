import { expect, it } from "vitest";
import { type CatalogImage, precisionAndRecall, searchAlike, typicalOf } from "./judge-alike.ts";

const at = (degrees: number) =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));
const image = (product: string, category: string, degrees: number): CatalogImage => ({
  product,
  category,
  vector: at(degrees),
});
const catalog = [
  image("a", "Mugs", 20),
  image("a", "Mugs", 60),
  image("b", "Mugs", 25),
  image("c", "Mugs", 30),
  image("d", "Lamps", 70),
  image("e", "Lamps", 110),
];

it("returns products by their most similar image, without those below the threshold or of other kinds", () => {
  const { byThreshold, agreeing } = searchAlike(catalog, at(22), 0);
  expect(byThreshold.map(({ product }) => product)).toEqual(["a", "b", "c", "d"]);
  expect(agreeing.map(({ product }) => product)).toEqual(["a", "b", "c"]);
});

it("takes the median similarity of the products' first images for typical, and at most one half", () => {
  const right = [0, 90, 180].map((degrees) => image(String(degrees), "Mugs", degrees));
  expect(typicalOf(right)).toBeCloseTo(0);
  expect(typicalOf(catalog.slice(0, 4))).toBe(0.5);
});

it("counts what is right among what is returned, and among what could be", () => {
  const { byThreshold } = searchAlike(catalog, at(22), 0);
  const isMug = ({ category }: { category: string | undefined }) => category === "Mugs";
  expect(precisionAndRecall(byThreshold, isMug, 3)).toEqual({ precision: 0.75, recall: 1 });
  expect(precisionAndRecall([], isMug, 3)).toEqual({ precision: undefined, recall: 0 });
});
