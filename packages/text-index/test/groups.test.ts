import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupTerms, piecesOf, piecesOfAscii } from "../src/text/groups.ts";
import { termOf } from "../src/text/term.ts";
import { endOfNumber, fold, numberPattern, tokenize } from "../src/text/tokenize.ts";

/** Whether a document with one text has the terms that a query for the other requires. */
function share(one: string, other: string): boolean {
  const [exact = termOf(one)] = groupTerms(fold(one));
  return [...groupTerms(fold(other)), ...tokenize(other).map(termOf)].includes(exact);
}

describe("groups of words", () => {
  it.each([
    ["3.5 in", "3-1/2 in."],
    ["3 1/2 in", "3-1/2 in."],
    ["3½ inch", "3-1/2 in."],
    ["1/2 in", "0.5 in."],
    [".5 in", "1/2 inch"],
    ["12/3", "12-3"],
    ["1x4", "1 in. x 4 in. x 8 ft."],
    ["1 x 4", "4 in. x 1 in."],
    ["1*4", "1 in. x 4 in."],
    ["5' x 8'", "5 ft. x 8 ft. Area Rug"],
    ["5'x8'", "5 ft. x 8 ft. Area Rug"],
    ["8×10", "8 ft. x 10 ft."],
    ["2x4x8", "2 in. x 4 in. x 8 ft."],
    ["30 by 36", "30 in. W x 36 in. H x 4.75 in. D"],
    ["500ml", "500 ml"],
    ["500ml", "0.5 l"],
    ["500 milliliters", "50 cl"],
    ["1.5kg", "1500 g"],
    ["2 ft", "24 in."],
    ["1 gallon", "4 qt"],
    ["18 volts", "18-Volt"],
    ["wd40", "WD-40"],
    ["dcd771c2", "DCD-771-C2"],
    ["262020", "2620-20"],
    ["t-shirt", "T-Shirts"],
    ["wall-mount", "Wall-Mounted"],
  ])("%s and %s are one", (one, other) => {
    expect(share(one, other)).toBe(true);
  });

  it.each([
    ["3.5 in", "3.5 ft"],
    ["1x4", "1x6"],
    ["12-3", "123"],
    ["500 ml", "500 l"],
    ["wd40", "wd41"],
  ])("%s and %s are not", (one, other) => {
    expect(share(one, other)).toBe(false);
  });

  it("do not exist in plain words", () => {
    expect(groupTerms(fold("Brass Desk Lamp, 2 of them"))).toEqual([]);
  });
});

describe("ASCII text that is read by hand", () => {
  // Mostly the characters that decide something.
  const texts = fc.string({
    unit: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(..."0159x'\".,/-* \ta") },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code)) },
    ),
    maxLength: 30,
  });

  it("gives the pieces that the regular expression gives", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(piecesOfAscii(fold(text))).toEqual(piecesOf(fold(text)));
      }),
      { numRuns: 3000 },
    );
  });

  it("gives the numbers that the regular expression gives", () => {
    const number = new RegExp(numberPattern, "uy");
    fc.assert(
      fc.property(fc.constantFrom("0", "7", ".1"), texts, (start, rest) => {
        number.lastIndex = 0;
        expect(endOfNumber(start + rest, 0)).toBe(number.exec(start + rest)?.[0].length);
      }),
      { numRuns: 3000 },
    );
  });
});
