import { expect, it } from "vitest";
import { decodeSampleVectors, encodeSampleVectors, readSampleVectors } from "./sample-vectors.ts";

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0);

it("reads vectors of length 1 as they were written, but for rounding", () => {
  const vector = Float32Array.of(0.8, -0.6, 0, 0.001);
  const written = encodeSampleVectors("a model", [
    { address: "/images/sample/7-1.jpg", vector: Float32Array.of(0, 0, 0, 1) },
    { address: "/images/sample/2399-3.jpg", vector },
  ]);
  const read = decodeSampleVectors(written);
  expect(read.model).toBe("a model");
  const found = read.of("/images/sample/2399-3.jpg") ?? new Float32Array(4);
  expect(dot(found, found)).toBeCloseTo(1, 5);
  expect(dot(found, vector)).toBeGreaterThan(0.9999);
  expect(read.of("/images/sample/7-2.jpg")).toBeUndefined();
});

it("has the catalog's part of the sample", () => {
  const shipped = readSampleVectors();
  expect(shipped.of("/images/sample/0-1.jpg")).toHaveLength(384);
  // A product of a marketplace, which is not searched by image.
  expect(shipped.of("/images/sample/1-1.jpg")).toBeUndefined();
});
