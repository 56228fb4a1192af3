import { describe, expect, it } from "vitest";
import { compileSynonyms, english, type Language, parseSynonyms } from "../src/index.ts";
import { planQuery } from "../src/query/plan-query.ts";
import type { WordStatistics } from "../src/query/query-plan.ts";
import { editDistance } from "../src/search/word-neighbours.ts";
import { nameHeadLength } from "../src/segment/build/collected-documents.ts";
import { groupTerms } from "../src/text/groups.ts";
import { fold, tokenize } from "../src/text/tokenize.ts";

const dictionaryWords = "trainers flight garage opener snowblower goldenrod".split(" ");
const language: Language = {
  ...english,
  dictionary: {
    has: (word) => dictionaryWords.includes(word),
    isNoun: (word) => dictionaryWords.includes(word),
  },
};

const statistics = countWords(
  [
    "Oak Desk Lamp with Dimmer",
    "Brass Desk Lamp",
    "Brass Floor Lamp",
    "Corner Shower Kit, 3-Piece",
    "Shower Door",
    "Garage Door",
    "Red Backpack",
    "Window Balance Wrench",
    "Small Window Balance Wrench",
    "Running Shoes",
    "Ceiling Light",
    "Snow Blower",
    "Patio Deck Box",
    "Reciprocating Saw",
  ],
  ["room for a laptop", "under the deck", "one piece", "strainer", "a gift"],
);
const plan = (text: string, chosen: Language = language) => planQuery(statistics, chosen, text);
const thingOf = (text: string) => {
  const { words, thing } = plan(text);
  return words[thing]?.word;
};

describe("the thing", () => {
  it.each([
    ["desk lamp", "lamp"],
    ["lamp oak", "lamp"],
    ["lamp for a desk", "lamp"],
    ["lamp with dimmer", "lamp"],
    ["one piece showers", "showers"],
    ["under deck ceiling light", "light"],
    ["best red backpack", "backpack"],
    ["shower kit", "shower"],
  ])("of %s is the %s", (text, thing) => {
    expect(thingOf(text)).toBe(thing);
  });

  it.each([
    ["best brass lamp with dimmer", "measure property thing none use"],
    ["one piece showers", "measure measure thing"],
    ["red window balance wrench", "property defining defining thing"],
    ["garage lamp 40 in", "use thing measure measure"],
    ["dog box", "defining thing"],
    ["lamp for a desk", "thing none none use"],
    ["box for a deck", "thing none none defining"],
    // No word is used for a thing: the text is a name.
    ["laptop deck red", "defining thing property"],
  ])("and the other words of %s are %s", (text, roles) => {
    expect(plan(text).roles().join(" ")).toBe(roles);
  });
});

describe("a thing that is not in the catalog", () => {
  it.each([
    ["laptop", "laptop"],
    ["brass umbrella", "umbrella"],
    ["32 inch tv", "tv"],
    ["garage opener", "opener"],
    ["laptop for a gift", "laptop"],
  ])("in %s is the %s", (text, thing) => {
    expect(plan(text).findAbsentThing()?.word).toBe(thing);
  });

  it.each(["lamp", "oak lamp", "desk lamp zzyzx", "lamps for a laptop", "red", "gift", "brass lam"])(
    "is not in %s",
    (text) => {
      expect(plan(text).findAbsentThing()).toBeUndefined();
    },
  );
});

describe("spelling", () => {
  const readAs = (text: string) => plan(text).words.map(({ as, used }) => `${as} ${used.join(" ")}`.trim());

  it.each([
    ["bcakpack", "corrected backpack"],
    ["ceilling", "corrected ceiling"],
    ["deckbox", "split deck"],
    // Three wrong letters, but nearly the same consonants.
    ["bollenceing", "unknown"],
    ["recepicating", "corrected reciprocating"],
  ])("reads %s as %s", (text, expected) => {
    expect(readAs(text)[0]).toBe(expected);
  });

  it.each(["trainers", "flight"])("leaves the correct word %s alone", (word) => {
    const none = compileSynonyms([]);
    const withoutSynonyms = { ...language, synonyms: none, nearSynonyms: none };
    expect(plan(word, withoutSynonyms).words[0]?.as).toBe("unknown");
  });

  describe("of the name of a thing", () => {
    const goods = countWords(
      ["Gold Earring", "Silver Earrings", "Ear Warmer", "Beach Sandals", "Leather Tote Bag"],
      ["wearing it with handles", "wearing", "handles", "handles"],
    );
    const spelled = ["earring", "earrings", "wearing", "handles", "sandals", "lamps"];
    const dictionary = { has: (word: string) => spelled.includes(word), isNoun: () => false };
    const read = (text: string) => {
      const [word] = planQuery(goods, { ...language, dictionary }, text).words;
      return `${word?.as} ${word?.used.join(" ")}`;
    };

    it.each([
      // Its stem is "ear", which the catalog has.
      ["earing", "corrected earring"],
      ["earings", "corrected earrings"],
      // One letter from "handles", which no product is.
      ["sandles", "corrected sandals"],
      // Three letters are only swapped.
      ["bga", "corrected bag"],
      ["bat", "unknown "],
    ])("reads %s as %s", (text, expected) => {
      expect(read(text)).toBe(expected);
    });

    it("leaves a form that the catalog or the dictionary has", () => {
      expect(read("warmers")).toBe("matched warmers");
      expect(read("ears")).toBe("matched ears");
    });
  });

  describe("of a word that the catalog does not have, beside another", () => {
    const known = ["shoos", "shoes", "brash", "brass", "oaken", "balances", "lamp", "desk"];
    const slips: Language = {
      ...language,
      dictionary: { has: (word) => known.includes(word), isNoun: () => false },
    };
    const read = (text: string) =>
      plan(text, slips).words.map(({ as, used }) => `${as} ${used.join(" ")}`.trim());

    it("is corrected if names have the other word together with its neighbour", () => {
      expect(read("runing shoos")).toEqual(["corrected running", "corrected shoes"]);
      expect(read("brash lamp")).toEqual(["corrected brass", "matched lamp"]);
    });

    it("is corrected in a short word of no dictionary if names have the other word right beside its neighbour", () => {
      expect(read("dask lamp")).toEqual(["corrected desk", "matched lamp"]);
      expect(read("dask backpack")).toEqual(["unknown", "matched backpack"]);
    });

    it("is left alone without such a neighbour", () => {
      expect(read("shoos")).toEqual(["unknown"]);
      expect(read("shower shoos")).toEqual(["matched shower", "unknown"]);
      expect(read("brash backpack")).toEqual(["unknown", "matched backpack"]);
    });

    it("is left alone if only a word outside the dictionary is similar, or if it names a thing to buy", () => {
      const has = (word: string) => word !== "brass" && known.includes(word);
      const withoutBrass = { ...slips, dictionary: { has, isNoun: () => false } };
      expect(plan("brash lamp", withoutBrass).words[0]?.as).toBe("unknown");
      const isThing = { ...slips, thingTerms: new Set([slips.termOf("brash")]) };
      expect(plan("brash lamp", isThing).words[0]?.as).toBe("unknown");
    });
  });
});

describe("synonyms", () => {
  const synonyms = compileSynonyms(
    parseSynonyms("trainers => running shoes\nrucksack, backpack\nilluminator, desk lamp, wall lamp"),
  );
  const alternatives = (text: string) =>
    plan(text, { ...language, synonyms }).words.map((word) => word.alternatives);

  it("add words that documents may have instead", () => {
    expect(alternatives("trainers")).toEqual([[{ terms: ["run", "shoe"], weight: 0.8 }]]);
    expect(alternatives("running shoes")).toEqual([
      [{ term: "run", weight: 1 }],
      [{ term: "shoe", weight: 1 }],
    ]);
    expect(alternatives("rucksack")[0]).toContainEqual({ term: "backpack", weight: 0.8 });
  });

  it("of several words count only if names have them next to each other", () => {
    expect(alternatives("illuminator")).toEqual([[{ terms: ["desk", "lamp"], weight: 0.8 }]]);
  });

  it("are tried before a spelling correction", () => {
    expect(plan("rucksack", { ...language, synonyms }).words[0]?.as).toBe("matched");
    expect(plan("rucsack", { ...language, synonyms }).words[0]).toMatchObject({
      as: "corrected",
      used: ["rucksack"],
    });
  });
});

describe("a word like an article", () => {
  const goods = countWords(
    ["Bucket Hat", "Ink Pen", "Round Table", "Part of a Set", "Button Shirt", "Insect Cage"],
    ["They are light", "all around and apart", "an invest ment in carton", "the"],
  );
  const read = (text: string) => planQuery(goods, language, text).words;
  const termsOf = (text: string, word: string) =>
    read(text)
      .find((one) => one.word === word)
      ?.alternatives.flatMap((way) => ("term" in way ? way.term : []));

  it.each([
    // "ared" has the stem of "are".
    ["a red hat", "red"],
    ["a round table", "round"],
    ["a part", "part"],
    ["in vest", "vest"],
    ["cart on table", "cart"],
    ["but ton on shirt", "but"],
  ])("is never joined with its neighbour: %s", (text, word) => {
    const term = language.termOf(word);
    const known = word === "but" ? [language.termOf("button")] : goods.documentsWith(term) > 0 ? [term] : [];
    expect(termsOf(text, word)).toEqual(known);
  });

  it.each([
    ["your hat", "your"],
    ["some hat", "some"],
    ["hat for my table", "my"],
    ["hat from", "from"],
    ["by hat", "by"],
  ])("is not required if no product has it: %s", (text, little) => {
    expect(read(text).find(({ word }) => word === little)).toMatchObject({
      as: "optional",
      isRequired: false,
      alternatives: [],
    });
  });

  it("is not required beside words that no product has, and is required alone", () => {
    expect(read("the 4711").map(({ as }) => as)).toEqual(["optional", "unknown"]);
    expect(read("the an").map(({ as }) => as)).toEqual(["matched", "matched"]);
    expect(read("from your").map(({ as }) => as)).toEqual(["unknown", "unknown"]);
    expect(read("the from").map(({ as }) => as)).toEqual(["matched", "optional"]);
  });

  it("is not required as the half of a word that was written as one", () => {
    const halves = countWords(["Over the Lamp", "The Lamp"]);
    expect(planQuery(halves, language, "thelamp").words.map(({ as }) => as)).toEqual(["optional", "split"]);
  });
});

describe("a long text", () => {
  const common = "amber birch cedar daisy ember fern grove hazel iris jade".split(" ");
  const rare = "kelp lotus maple nutmeg".split(" ");
  const counted = countWords([
    ...Array.from({ length: 9 }, (_, at) => `${common.slice(0, at + 1).join(" ")} lamp`),
    ...rare.map((word) => `${word} jade lamp`),
    "lamp for the hall",
  ]);
  const read = (text: string) => planQuery(counted, english, text).words;
  const leftOut = (text: string) =>
    read(text).flatMap(({ word, alternatives }) => (alternatives.length > 0 ? [] : [word]));

  it("is read whole up to twelve words that the catalog has", () => {
    expect(leftOut(`${common.join(" ")} kelp lamp`)).toEqual([]);
    expect(leftOut(`${common.join(" ")} kelp zzyzx lamp`)).toEqual(["zzyzx"]);
  });

  it.each([" ", "-", ".", ",", "\t", " / "])(
    "keeps the thing, which is in most products, and the rarest words, whatever is between them (%j)",
    (separator) => {
      const words = [...common, ...rare, "lamp"];
      expect(leftOut(words.join(separator))).toEqual(["amber", "birch", "cedar"]);
    },
  );

  it("reports what is left out, and requires nothing of it", () => {
    const words = read([...common, ...rare, "lamp"].join(" "));
    expect(words.slice(0, 3)).toMatchObject(
      common.slice(0, 3).map((word) => ({ word, as: "unknown", used: [], isRequired: false })),
    );
  });

  it("leaves out function words first", () => {
    const words = read([...common, "kelp", "for", "the", "lamp"].join(" "));
    expect(words.filter(({ alternatives }) => alternatives.length === 0)).toMatchObject([
      { word: "for", as: "optional" },
      { word: "the", as: "optional" },
    ]);
  });

  it("of more than 32 words, reports those that are not looked at", () => {
    const words = read(
      [...Array.from({ length: 40 }, (_, at) => `zz${"qwertyuiop"[at % 10]}${"asdf"[at % 4]}x${at}`)].join(
        " ",
      ),
    );
    expect(words).toHaveLength(40);
    expect(words.every(({ as }) => as === "unknown")).toBe(true);
  });
});

/** Statistics counted from names and descriptions, without an index. */
function countWords(
  names: readonly string[],
  descriptions: readonly string[] = [],
  language: Language = english,
): WordStatistics {
  const { termOf } = language;
  const wordsOf = names.map((name) => tokenize(name));
  const termsOf = [...names, ...descriptions].map(
    (text) => new Set([...tokenize(text).map(termOf), ...groupTerms(fold(text), termOf)]),
  );
  const vocabulary = new Set([...names, ...descriptions].flatMap((text) => tokenize(text)));
  const heads = names.map((name, i) => headOf(name, wordsOf[i] ?? [], language));
  const count = (items: readonly string[], term: string) => items.filter((item) => item === term).length;
  const longerTerms = (isWanted: (term: string) => boolean) => [
    ...new Set(termsOf.flatMap((terms) => [...terms].filter(isWanted))),
  ];
  return {
    documents: names.length + descriptions.length,
    documentsWith: (term) => termsOf.filter((terms) => terms.has(term)).length,
    timesNamed: (term) => count(wordsOf.flat().map(termOf), term),
    timesThing: (term) => count(heads, term),
    onlyDescribes: (term) => !heads.includes(term),
    beginsWords: (prefix, most) => {
      const begun = [...vocabulary].filter((word) => word.startsWith(prefix));
      return begun.length > 0 && begun.length <= most;
    },
    prefixAddsTerms: (prefix, term) =>
      [...vocabulary].some((word) => word.startsWith(prefix) && termOf(word) !== term),
    similarWords: (word, limit) =>
      [...vocabulary]
        .map((other) => ({ word: other, distance: editDistance(word, other, limit) }))
        .filter(({ distance }) => distance <= limit),
    termsEndingWith: (term) => longerTerms((other) => other.endsWith(term) && other !== term),
    termsBeginningWith: (term) => longerTerms((other) => other.startsWith(term) && other !== term),
    wordsEndingWith: (ending) => [...vocabulary].filter((word) => word.endsWith(ending) && word !== ending),
    hasForm: (word) => vocabulary.has(word),
    namesLevel: () => false,
    longestLevel: () => 0,
    isOfBrand: () => false,
    attributeNames: () => [],
    isInValues: () => false,
    adjacency: (left, right) => {
      const names = wordsOf
        .map((words) => words.map(termOf))
        .filter((terms) => terms.includes(left) && terms.includes(right));
      const adjacent = names.filter((terms) =>
        terms.some((term, i) => term === left && terms[i + 1] === right),
      );
      return { names: names.length, adjacent: adjacent.length };
    },
  };
}

function headOf(name: string, words: readonly string[], language: Language): string {
  return language.termOf(words[nameHeadLength(name, words.length, language) - 1] ?? "");
}
