import { tieNumber } from "@product-search/text-search/to-index.ts";
import fc from "fast-check";
import { expect, it } from "vitest";

const catalogId = fc.stringMatching(/^[0-9a-f]{24}$/);
const itemCode = fc.string({ unit: fc.constantFrom(..."-09AZ_az"), minLength: 1, maxLength: 8 });
const id = fc.oneof(
  catalogId,
  itemCode.map((code) => `marketplace-a_${code}`),
  itemCode.map((code) => `marketplace-b_${code}`),
);

it("has the order of the identifiers, as far as it tells them apart", () => {
  fc.assert(
    fc.property(id, id, (one, other) => {
      const order = Math.sign(tieNumber(one) - tieNumber(other));
      if (order !== 0) expect(order).toBe(one < other ? -1 : 1);
    }),
  );
});

it("tells short item codes apart, and catalog products by their first eight digits", () => {
  fc.assert(
    fc.property(itemCode, itemCode, (one, other) => {
      const numbers = [`marketplace-a_${one}`, `marketplace-a_${other}`].map(tieNumber);
      expect(numbers[0] === numbers[1]).toBe(one === other);
    }),
  );
  expect(tieNumber("64f0c2a1".padEnd(24, "0"))).toBeLessThan(tieNumber("64f0c2a2".padEnd(24, "0")));
});

it.each(["", "é", "marketplace-b_zzzzzzzzzzzz", "~".repeat(30)])("is exact as JSON for %j", (text) => {
  expect(Number.isSafeInteger(tieNumber(text))).toBe(true);
});
