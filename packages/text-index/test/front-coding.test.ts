import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareCodePoints,
  countStrings,
  frontCode,
  indexOfCoded,
  packStrings,
  unpackStrings,
} from "../src/segment/string-table.ts";

/** Sorted, of few letters, so that many begin alike; some longer than one byte can tell. */
const texts = fc
  .array(
    fc.tuple(
      fc.string({ unit: fc.constantFrom("a", "b", "é", "😀"), maxLength: 9 }),
      fc.constantFrom(1, 1, 1, 90),
    ),
    { maxLength: 80 },
  )
  .map((parts) => [...new Set(parts.map(([part, times]) => part.repeat(times)))].toSorted(compareCodePoints));

describe("front-coded strings", () => {
  it("are the strings that were coded, and are found", () => {
    fc.assert(
      fc.property(
        texts,
        fc.string({ unit: fc.constantFrom("a", "b", "é"), maxLength: 4 }),
        (strings, other) => {
          const table = packStrings(strings);
          const coded = frontCode(table);
          expect(unpackStrings(coded)).toEqual(table);
          expect(coded.count).toBe(strings.length);
          expect(countStrings(coded.blockOffsets, coded.bytes)).toBe(strings.length);
          strings.forEach((text, i) => {
            expect(indexOfCoded(coded, text)).toBe(i);
          });
          expect(indexOfCoded(coded, other)).toBe(strings.indexOf(other));
        },
      ),
    );
  });

  it("take a few bytes each if they are similar", () => {
    const strings = Array.from(
      { length: 1000 },
      (_, i) => `shop/a-long-name-of-a-lamp-${String(i).padStart(4, "0")}`,
    );
    const { bytes, blockOffsets } = frontCode(packStrings(strings));
    expect(bytes.length + blockOffsets.byteLength).toBeLessThan(7 * strings.length);
  });
});
