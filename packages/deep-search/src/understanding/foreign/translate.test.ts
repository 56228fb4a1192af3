import { expect, test } from "vitest";
import { translate, translateQuery } from "./translate.ts";

const inCatalog = (words: string) => ({
  wordFrequency: async (word: string) => (words.split(" ").includes(word) ? 1 : 0),
});

test.each([
  ["an English catalog", "bag leather", "bag leather"],
  ["a German catalog", "tasche leder", "tasche leder"],
  ["a catalog in both", "tasche leder leather", "tasche leather"],
])("reads things and properties in the words of %s", async (_, words, expected) => {
  const { text } = await translate("eine tasche aus leder", [], inCatalog(words));
  expect(text).toBe(`a ${expected.replace(" ", " of ")}`);
});

test("translates colours and wishes, which have tables of their own", async () => {
  const { text } = await translate("ein rotes geschenk", [], inCatalog("rotes geschenk"));
  expect(text).toBe("a red gift");
});

const nothing = { ...inCatalog(""), brandsNamedIn: async () => [], storesNamedIn: async () => [] };

test.each([
  ["zapatos", "shoes"],
  ["chaussures", "shoes"],
  ["Stuhl", "chair"],
  ["Glasvase", "glass vase"],
  ["roter Hut", "red hat"],
  ["veste en cuir", "jacket of leather"],
])("a text that finds nothing is read by its things: %s", async (text, english) => {
  expect(await translateQuery(text, nothing)).toMatchObject({ text: english });
});

test.each(["hose", "robes", "mugs", "smartwatches", "better", "gold ring"])(
  "does not take English for another language: %s",
  async (text) => {
    expect(await translateQuery(text, nothing)).toBeUndefined();
  },
);

test.each([
  ["eine einhorn tischlampe", ["einhorn"]],
  ["tischlampe für einhorn", []],
  ["lampe de table licorne", ["licorne"]],
  ["lampe de table pour licorne", []],
])("names what stands beside the thing and has no translation: %s", async (text, beside) => {
  expect((await translateQuery(text, nothing))?.beside).toEqual(beside);
});
