import { expect, test } from "vitest";
import { keptText, normaliseQuery } from "./kept-query.ts";

const kept = (text: string) => keptText(normaliseQuery(text));

test.each([
  ["Winter  Boots ", "winter boots"],
  ["Ｂｏｏｔｓ", "boots"],
  ["sofa 200 x 90 cm", "sofa 200 x 90 cm"],
  ["iphone 15 128gb", "iphone 15 128gb"],
  ["185/65 R15", "185/65 r15"],
  ["café überzug", "café überzug"],
  ["cat food", "cat food"],
])("keeps %s", (text, query) => {
  expect(kept(text)).toEqual({ kind: "kept", query });
});

test.each([
  "jane.doe@example.org",
  "order of jane＠example.org please",
  "jane(at)example.org",
  "jane.doe@ example.org",
  "jane.doe @example.org",
  "jane.doe ﹫ example.org",
  "jane.doe@",
  "+49 171 1234567",
  "(030) 123-456-7",
  "call 555-0199 0",
  "0171/123 45 67",
  "4111 1111 1111 1111",
  "4111-1111-1111-1111 visa",
  "٠١٢٣٤٥٦٧٨",
  "DE89 3704 0044 0532 0130 00",
])("does not keep %s", (text) => {
  expect(kept(text)).toEqual({ kind: "counted" });
});

test("does not keep a long text, and has nothing to keep of no text", () => {
  expect(kept("x".repeat(110))).toMatchObject({ kind: "kept" });
  expect(kept("é".repeat(56))).toEqual({ kind: "counted" });
  expect(kept("  ")).toEqual({ kind: "none" });
});
