import { expect, test } from "vitest";
import { sameFeatures } from "./comparison-sentences.ts";

test.each([
  ["30 hours of battery, noise cancelling", "Noise cancelling, 30 hours of battery.", true],
  ["Wide brim and packable", "Packable, wide brim", true],
  ["Wide brim, packable", "Wide brim", false],
  ["Wide brim", undefined, false],
  [undefined, undefined, false],
])("%s and %s: %s", (one, other, expected) => {
  expect(sameFeatures(one, other)).toBe(expected);
});
