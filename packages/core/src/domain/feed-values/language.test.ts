import { expect, test } from "vitest";
import { parseLanguage } from "./language.ts";

test.each([
  ["de", "de"],
  [" DE-at ", "de"],
  ["en_US", "en"],
  ["zh-Hant-TW", "zh"],
  ["pt", "pt"],
])("reads %s", (text, expected) => {
  expect(parseLanguage(text)).toBe(expected);
});

test.each(["", "german", "d", "de AT", "-de"])("ignores %j", (text) => {
  expect(parseLanguage(text)).toBeUndefined();
});
