import { describe, expect, it, test } from "vitest";
import { belowAveragePercent, descriptionLanguage } from "./build-brief.ts";

const day = 24 * 60 * 60 * 1000;
const now = 1000 * day;
const at = (daysAgo: number, priceMinor: number) => ({
  id: String(daysAgo),
  priceMinor,
  atMs: now - daysAgo * day,
});

describe("belowAveragePercent", () => {
  it("weights each price by how long it was in effect", () => {
    expect(belowAveragePercent([at(40, 1000), at(10, 500)], now)).toBe(42);
    expect(belowAveragePercent([at(40, 1000), at(30, 500)], now)).toBe(20);
  });

  it("uses only the last ninety days", () => {
    expect(belowAveragePercent([at(500, 9000), at(90, 1000), at(45, 800)], now)).toBe(11);
  });

  it.each([
    ["no history", []],
    ["one price", [at(60, 1000)]],
    ["a higher price", [at(60, 1000), at(5, 1200)]],
    ["a small difference", [at(60, 1000), at(5, 970)]],
    ["less than two weeks", [at(13, 1000), at(5, 500)]],
    ["a free product", [at(60, 0), at(5, 0)]],
  ])("says nothing of %s", (_, history) => {
    expect(belowAveragePercent(history, now)).toBeUndefined();
  });
});

test.each([
  ["Our modern coffee mug in blue ceramic, made for gifts. The ceramic is glazed.", undefined, "en"],
  ["Eine Tasse aus blauer Keramik für den Tisch. Die Glasur ist matt.", undefined, "de"],
  ["Une tasse en céramique bleue pour la table, avec une anse.", undefined, "fr"],
  ["Una taza de cerámica azul para la mesa, con asa.", undefined, "es"],
  ["Leak-proof lid", undefined, undefined],
  ["The ceramic is glazed and the handle is wide.", "de", "de"],
  ["Il manico è largo.", "it", undefined],
])("%s (%s): %s", (description, language, expected) => {
  expect(descriptionLanguage({ name: "Mug", description, ...(language && { language }) })).toBe(expected);
});
