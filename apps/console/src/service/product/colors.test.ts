import { beforeAll, describe, expect, it, vi } from "vitest";
import { cssColor, isColorAttribute } from "./colors.ts";

/** A few words that browsers take for a colour, among them keywords. */
const supported = new Set([
  "skyblue",
  "navy",
  "blue",
  "red",
  "white",
  "black",
  "canvas",
  "field",
  "menu",
  "transparent",
]);

describe("the colour of a value", () => {
  beforeAll(() => {
    vi.stubGlobal("CSS", {
      supports: (_: string, word: string) => supported.has(word) || word.startsWith("var("),
    });
  });

  it.each([
    ["Sky Blue", "skyblue"],
    ["Navy Blue", "navy"],
    ["bright red", "red"],
    ["Burgundy", "#800020"],
    ["Off-White", "#faf8f0"],
    ["GRÜN", "#2e8b3d"],
    ["Black/White", "linear-gradient(135deg, black 50%, white 50%)"],
    ["noir et rouge", "linear-gradient(135deg, #000000 50%, #d32020 50%)"],
  ])("%s is %s", (value, color) => {
    expect(cssColor(value)).toBe(color);
  });

  it.each([
    "",
    "XL",
    "Café au lait",
    "Canvas",
    "field",
    "transparent",
    "var(--line)",
    "constructor",
    "Red/42",
    "red; background: url(x)",
  ])("%j is none", (value) => {
    expect(cssColor(value)).toBeUndefined();
  });

  it.each(["color", "Colour", "frame_color", "Farbe", "Rahmenfarbe", "Couleur", "Color del marco"])(
    "is looked for in the attribute %s",
    (name) => expect(isColorAttribute(name)).toBe(true),
  );

  it.each(["", "material", "colorful", "Stoff", "pattern"])(
    "is not looked for in the attribute %j",
    (name) => {
      expect(isColorAttribute(name)).toBe(false);
    },
  );
});
