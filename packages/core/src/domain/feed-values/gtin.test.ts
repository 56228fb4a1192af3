import { expect, test } from "vitest";
import { parseGtin } from "./gtin.ts";

test.each([
  ["4006381333931", "04006381333931"],
  ["04006381333931", "04006381333931"],
  ["012345678905", "00012345678905"],
  // A spreadsheet has removed the zero.
  ["12345678905", "00012345678905"],
  ["96385074", "00000096385074"],
  [" 978-3-16-148410-0 ", "09783161484100"],
])("reads %s", (text, expected) => {
  expect(parseGtin(text)).toBe(expected);
});

test.each(["", "N/A", "0", "0000000000000", "1234567", "123456789012345", "4.00638E+12", "K-4006381333931"])(
  "ignores %j",
  (text) => {
    expect(parseGtin(text)).toBeUndefined();
  },
);
