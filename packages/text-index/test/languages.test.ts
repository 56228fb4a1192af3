import { describe, expect, it, test } from "vitest";
import {
  compileSynonyms,
  createDictionary,
  createIndexWriter,
  createWordFilter,
  detectLanguage,
  emptySnapshot,
  explainSynonyms,
  formatSynonym,
  includedLanguages,
  isInFilter,
  type Language,
  type Languages,
  openIndex,
  parseSynonyms,
} from "../src/index.ts";
import { english } from "../src/language/language.ts";
import { fold, termOf, tokenize } from "../src/text/tokenize.ts";
import { buildDocument } from "./edited-index.ts";
import parallel from "./parallel-catalog.json" with { type: "json" };

describe("languages", () => {
  interface ParallelQuery {
    readonly german: string;
    readonly english: string;
    /** The gain of each relevant product. */
    readonly gains: ReadonlyMap<number, number>;
  }

  /** The same products in German and English; queries have the numbers of good and, after `;`, of less good products. */
  const rows = (lines: readonly string[]) => lines.map((line) => line.split("|").map((cell) => cell.trim()));

  const numbers = (text: string) => text.trim().split(/\s+/).filter(Boolean).map(Number);

  const parallelProducts = rows(parallel.catalog).map(([id = "", german = "", english = ""]) => ({
    id: Number(id),
    german,
    english,
  }));

  const parallelQueries = rows(parallel.queries).map(
    ([german = "", english = "", relevant = ""]): ParallelQuery => {
      const [best = "", good = ""] = relevant.split(";");
      const gains = [
        ...numbers(best).map((id) => [id, 2] as const),
        ...numbers(good).map((id) => [id, 1] as const),
      ];
      return { german, english, gains: new Map(gains) };
    },
  );

  const { en, de, fr, es } = includedLanguages;
  const termsOf = (language: Language, words: string) =>
    words.split(" ").map((word) => language.termOf(fold(word)));

  describe("stems", () => {
    // Pairs of the vocabulary that Snowball publishes for its German stemmer.
    it.each([
      ["erlöse", "erlos"],
      ["tröstenden", "trostend"],
      ["weisshaarige", "weisshaar"],
      ["bekenntnis", "bekenntnis"],
      ["kenntnisse", "kenntnis"],
      ["gleichgültigste", "gleichgult"],
      ["unparteiischer", "unpartei"],
      ["rechtschaffenen", "rechtschaff"],
      ["abenteuerliches", "abenteu"],
      ["sinnesvorstellungen", "sinnesvorstell"],
      ["landstraßen", "landstrass"],
      ["sonntäglichen", "sonntag"],
      ["berechnung", "berechn"],
      ["raubtier", "raubti"],
      ["verlangte", "verlangt"],
      ["dankbare", "dankbar"],
    ])("%s is %s in German", (word, stem) => {
      expect(de.termOf(fold(word))).toBe(stem);
    });

    it.each([
      [de, "Lampe Lampen"],
      [de, "Küche Kueche Küchen"],
      [de, "weiß weiße weißer weißes weissen"],
      [fr, "lampe lampes"],
      [fr, "chapeau chapeaux"],
      [fr, "blanc blanche blanches blancs"],
      [fr, "noir noire noires"],
      [fr, "sportif sportive sportives"],
      [fr, "bois"],
      [es, "zapato zapatos"],
      [es, "luz luces"],
      [es, "mesa mesas"],
      [es, "rojo roja rojos rojas"],
      [es, "flor flores"],
      [es, "canción canciones"],
    ])("%o: %s are one term", (language, words) => {
      expect(new Set(termsOf(language, words)).size).toBe(1);
    });

    it("keep different things apart", () => {
      expect(new Set(termsOf(de, "Buch Buche Tuch Tasche Tasse")).size).toBe(5);
      expect(new Set(termsOf(fr, "chat chaise chaussure")).size).toBe(3);
    });
  });

  describe("detection", () => {
    it.each([
      ["Red lamp for the desk", "en"],
      ["Rote Schreibtischlampe für Kinder", "de"],
      ["Lampe de bureau pour enfant", "fr"],
      ["Lámpara de escritorio para niños", "es"],
      ["Damenjacke schwarz", "de"],
      ["Veste noire", "fr"],
      ["Bolso negro", "es"],
    ])("%s is %s", (text, code) => {
      expect(detectLanguage([en, de, fr, es], text)?.code).toBe(code);
    });

    it("tells nothing about codes and names", () => {
      expect(detectLanguage([en, de], "DCD-771 Noctis")).toBeUndefined();
    });
  });

  function indexOf(
    languages: Languages,
    names: ReadonlyArray<{ id: number; name: string; language?: string }>,
  ) {
    const upserts = names.map(({ id, name, language }) => ({ ...buildDocument(id, name), language }));
    return openIndex(
      createIndexWriter(emptySnapshot, languages).apply({ upserts, deletes: [] }, 1),
      undefined,
      languages,
    );
  }

  describe("German compounds", () => {
    const names = [
      "Schreibtischlampe",
      "Lampe aus Glas",
      "Stehlampen",
      "Lederhandschuhe",
      "Kinderschuhe",
      "Praktische Kiste",
      "Esstisch",
    ];
    const index = indexOf(
      [de],
      names.map((name, i) => ({ id: i + 1, name })),
    );
    const found = (text: string) =>
      index.search({ text, offset: 0, limit: 10 }).rowIds.toSorted((a, b) => a - b);

    it.each([
      ["lampe", [1, 2, 3]],
      ["lampen", [1, 2, 3]],
      ["stehlampe", [3]],
      ["tisch", [7]],
      ["tische", [7]],
      ["schuhe", [5]],
      ["handschuh", [4]],
      ["kinder schuhe", [5]],
      ["schuhe für kinder", [5]],
    ])("%s finds %j", (text, ids) => {
      expect(found(text)).toEqual(ids);
    });

    it.each([
      ["schere", "Gartenschere"],
      ["scheren", "Nagelschere"],
      ["tisch", "Gartentische"],
      ["beeren", "Stachelbeere"],
      ["weste", "Strickwesten"],
      ["kalender", "Adventskalender"],
      ["eimer", "Putzeimer"],
    ])("%s finds %s, whose stem ends with another one", (head, compound) => {
      const shop = indexOf(
        [de],
        [compound, "Heft"].map((name, i) => ({ id: i + 1, name })),
      );
      expect(shop.search({ text: head, offset: 0, limit: 3 }).rowIds).toEqual([1]);
    });

    it("that are the thing come before those that are for it", () => {
      const bikes = ["Fahrradschloss", "Fahrradhelm", "Kinderfahrrad aus Stahl, rot"];
      const shop = indexOf(
        [de],
        bikes.map((name, i) => ({ id: i + 1, name })),
      );
      expect(shop.search({ text: "fahrrad", offset: 0, limit: 3 }).rowIds[0]).toBe(3);
    });

    it("that the catalog does not have are read as their last part", () => {
      const { rowIds: ids, correctedText } = index.search({ text: "gartenlampe", offset: 0, limit: 10 });
      expect(ids.length).toBeGreaterThan(0);
      expect(correctedText).toBe("lampe");
    });

    it("that the catalog has with a synonym of a part are found", () => {
      const names = ["Tischleuchte aus Glas", "Tischlampe", "Nachttischlampe"];
      const shop = indexOf(
        [de],
        names.map((name, i) => ({ id: i + 1, name })),
      );
      expect(shop.search({ text: "nachttischleuchte", offset: 0, limit: 3 }).rowIds).toEqual([3]);
    });
  });

  /** The mean normalised discounted cumulative gain of the first ten hits. */
  function qualityOf(language: "german" | "english", languages: Languages): number {
    const index = indexOf(
      languages,
      parallelProducts.map((product) => ({ id: product.id, name: product[language] })),
    );
    const gainsOf = (gains: readonly number[]) =>
      gains.slice(0, 10).reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0);
    const scores = parallelQueries.map((query) => {
      const { rowIds: ids } = index.search({ text: query[language], offset: 0, limit: 10 });
      const best = [...query.gains.values()].toSorted((a, b) => b - a);
      return gainsOf(ids.map((id) => query.gains.get(id) ?? 0)) / gainsOf(best);
    });
    return scores.reduce((sum, score) => sum + score, 0) / scores.length;
  }

  it("a German catalog is searched in German as well as an English one in English", () => {
    const german = qualityOf("german", [de]);
    expect(german).toBeGreaterThanOrEqual(qualityOf("english", [en]));
    // Read as English, it was .28.
    expect(german).toBeGreaterThan(0.88);
  });

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
      expect(
        ["trainers", "battery", "tv", "rose", "horse"].filter((word) => !dictionary.isNoun(word)),
      ).toEqual([]);
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
});

describe("synonyms", () => {
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
});
