import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openEncoder, reserveEncoder } from "../src/encoder/encoder.ts";

/** Of `make/encoder/encode.py`, the reference. */
const recorded: readonly { text: string; pieces: number; vector: readonly number[] }[] = JSON.parse(
  readFileSync(new URL("encoder-vectors.json", import.meta.url), "utf8"),
);
const encoder = openEncoder(reserveEncoder());

it.each(recorded)("gives the vector of the reference: $text", ({ text, vector }) => {
  const own = encoder.encode(text);
  const cosine = own.reduce((sum, value, i) => sum + value * (vector[i] ?? 0), 0);
  expect(cosine).toBeGreaterThan(0.998);
});
