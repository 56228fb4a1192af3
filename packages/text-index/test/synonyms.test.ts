import { describe, expect, it } from "vitest";
import { compileSynonyms, explainSynonyms, formatSynonym, parseSynonyms } from "../src/index.ts";
import { english } from "../src/language/language.ts";
import { termOf, tokenize } from "../src/text/tokenize.ts";

const table = compileSynonyms(
  parseSynonyms(`
    couch, sofa   # each finds the other
    sneakers => running shoes, trainers
    rain coat, raincoat
    desk, writing desk, bureau
  `),
);
const targets = (phrase: string) =>
  table
    .find(tokenize(phrase, "query").map(termOf), 0)
    .map(({ length, targets }) => [length, ...targets.map(({ terms }) => terms.join(" "))]);

describe("synonyms", () => {
  it.each([
    ["couches", [[1, "sofa"]]],
    ["sofa", [[1, "couch"]]],
    ["sneakers", [[1, "run shoe", "trainer"]]],
    ["trainers", []],
    ["running shoes", []],
    ["rain coats", [[2, "raincoat"]]],
  ])("of %s", (phrase, expected) => {
    expect(targets(phrase)).toEqual(expected);
  });

  it("neither narrow a phrase nor drop its words", () => {
    expect(targets("desk")).toEqual([[1, "bureau"]]);
    expect(targets("writing desk")).toEqual([[2, "bureau"]]);
  });

  it.each(["couch", "=> sofa", "couch =>", "a => b => c", "couch, ,"])("refuse the line %j", (line) => {
    expect(() => parseSynonyms(`sofa, couch\n${line}`)).toThrow("line 2");
  });
});

describe("a rule as a line", () => {
  it.each([
    ["Sofa,  couch, couch", "couch, sofa"],
    ["sneakers => Trainers, running  shoes", "running shoes, trainers"],
  ])("%s", (line, expected) => {
    const [rule] = parseSynonyms(line);
    const formatted = rule && formatSynonym(rule);
    expect(formatted).toContain(expected);
    const [again] = parseSynonyms(formatted ?? "");
    expect(again && formatSynonym(again)).toBe(formatted);
  });
});

it("a query is explained by its longest phrases with synonyms", () => {
  expect(explainSynonyms(table, "Red sofas under rain coats")).toEqual([
    { phrase: "sofas", synonyms: ["couch"] },
    { phrase: "rain coats", synonyms: ["raincoat"] },
  ]);
});

describe("the included synonyms", () => {
  const rules = parseSynonyms(english.synonymRules);

  it("are at least 300 useful groups", () => {
    expect(rules.length).toBeGreaterThanOrEqual(300);
    for (const rule of rules) {
      const own = compileSynonyms([rule]);
      const isUsed = rule.from.some(
        (phrase) => own.find(tokenize(phrase, "query").map(termOf), 0).length > 0,
      );
      expect(isUsed, rule.from.join(", ")).toBe(true);
    }
  });

  it("have no phrase in two groups", () => {
    const phrases = rules.filter(({ from, to }) => from.join() === to.join()).flatMap(({ from }) => from);
    const twice = phrases.filter((phrase, i) => phrases.indexOf(phrase) !== i);
    expect(twice).toEqual([]);
  });
});
