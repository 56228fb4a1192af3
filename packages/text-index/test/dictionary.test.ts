import { describe, expect, it, test } from "vitest";
import { createDictionary, createWordFilter, isInFilter } from "../src/index.ts";

// The rules of en_US that these words need.
const aff = `SET UTF-8
PFX U Y 1
PFX U   0     un         .
SFX S Y 2
SFX S   y     ies        [^aeiou]y
SFX S   0     s          [^sxzhy]
SFX M Y 1
SFX M   0     's         .
SFX D Y 2
SFX D   0     d          e
SFX D   0     ed         [^ey]
SFX G Y 2
SFX G   e     ing        e
SFX G   0     ing        [^e]`;
const dic = `11
trainer/SM
battery/SM
finish/UDSG
stripe/MDSG
Mallory/M
TV/SM
quick/Y
Rose/M
rose/SM
horse's
horse/UDSG`;

describe("a dictionary", () => {
  let reads = 0;
  const dictionary = createDictionary(() => {
    reads++;
    return { aff, dic };
  });

  it.each(["trainer", "trainers", "batteries", "finished", "unfinished", "finishing", "mallory", "tv"])(
    "has %s",
    (word) => expect(dictionary.has(word)).toBe(true),
  );

  it.each(["traineer", "batterys", "untrainer", "quicks", "ed", ""])("does not have %j", (word) =>
    expect(dictionary.has(word)).toBe(false),
  );

  it("distinguishes nouns from other words and from names", () => {
    expect(["trainers", "battery", "tv", "rose", "horse"].filter((word) => !dictionary.isNoun(word))).toEqual(
      [],
    );
    expect(["quick", "finished", "striped", "mallory", "unknown"].filter(dictionary.isNoun)).toEqual([]);
  });

  it("is read once", () => expect(reads).toBe(1));
});

test("a filter has all of its words, and few others", () => {
  const words = Array.from({ length: 3000 }, (_, i) => `w${i}`);
  const filter = createWordFilter(new Set(words.slice(0, 1000)));
  const isIn = (word: string) => isInFilter(filter, word);
  expect(words.slice(0, 1000).every(isIn)).toBe(true);
  expect(words.slice(1000).filter(isIn).length).toBeLessThan(40);
});
