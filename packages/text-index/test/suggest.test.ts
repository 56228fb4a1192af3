import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  createIndexWriter,
  createSegmentBuilder,
  emptySnapshot,
  type IndexDocument,
  openIndex,
  type SuggestQuery,
  snapshotOf,
  type TextIndex,
} from "../src/index.ts";
import { maxCompletions } from "../src/query/read-word.ts";
import { PrefixDistance, SortedPrefixDistance, WordNeighbours } from "../src/search/word-neighbours.ts";
import { openSegment } from "../src/segment/segment.ts";
import { compareCodePoints, packStrings, sharedLetters } from "../src/segment/string-table.ts";
import { editArbitrary } from "./arbitraries.ts";
import { buildDocument } from "./edited-index.ts";

describe("suggest", () => {
  const indexOf = (documents: readonly IndexDocument[]): TextIndex => {
    const builder = createSegmentBuilder();
    for (const document of documents) builder.add(document);
    return openIndex(snapshotOf(builder.build(), 1));
  };
  const suggest = (index: TextIndex, text: string, query: Partial<SuggestQuery> = {}) =>
    index.suggest({ text, queryLimit: 8, nameLimit: 5, productLimit: 5, ...query });

  let next = 0;
  const many = (count: number, name: string, more: Partial<IndexDocument["fields"]> = {}, source = 0) =>
    Array.from({ length: count }, () => buildDocument(next++, { source, fields: { name, ...more } }));

  const shop = indexOf([
    ...many(9, "Stridewell Trail Running Shoes, Blue", { brand: "Stridewell", category: "Shoes" }),
    ...many(6, "Runa Road Running Shoes", { brand: "Runa Sport", category: "Shoes" }),
    ...many(4, "Runa Running Shirt", { brand: "Runa Sport", category: "Shirts" }),
    ...many(5, "Noctis Brass Desk Lamp with Dimmer", { brand: "Noctis", category: "Home > Lamps" }),
    ...many(3, "Floor Lamp", {
      brand: "Étoile Brume",
      category: "Home > Lamps",
      description: "Runs on batteries.",
    }),
    ...many(1, "Vacuum cleaner", { brand: "Étoile Brume", category: "Home > Cleaning" }),
    ...many(20, "Rubber Boots", { brand: "Rushmere", category: "Boots" }, 1),
  ]);

  describe("queries", () => {
    it.each([
      ["r", ["running", "running shoes", "runa"]],
      ["RUN", ["running", "running shoes", "runa"]],
      ["lam", ["lamp", "desk lamp", "floor lamp"]],
      ["desk l", ["desk lamp"]],
      ["running ", ["running shoes"]],
      ["vac", ["vacuum"]],
      ["vacuum c", ["vacuum cleaner"]],
    ])("completes %s", (typed, expected) => {
      expect(suggest(shop, typed, { source: 0 }).queries).toEqual(expect.arrayContaining(expected));
    });

    it("puts completions that begin with the typed text first, most frequent first", () => {
      const { queries } = suggest(shop, "runn", { source: 0 });
      expect(queries.slice(0, 2)).toEqual(["running", "running shoes"]);
      expect(queries).toContain("trail running shoes");
    });

    it("joins the typed words with a phrase even if no name has both together", () => {
      expect(suggest(shop, "blue run", { source: 0 }).queries).toContain("blue running shoes");
    });

    it.each([
      ["rnun", "running shoes"],
      ["runnning sh", "running shoes"],
      ["dsek la", "desk lamp"],
      ["vacum", "vacuum"],
      ["clea", "cleaner"],
    ])("forgives a slip from the fourth letter on: %s", (typed, expected) => {
      expect(suggest(shop, typed, { source: 0 }).queries).toContain(expected);
    });

    it("corrects none in shorter words, and none in numbers", () => {
      for (const typed of ["rnu", "xun", "9999"])
        expect(suggest(shop, typed, { source: 0 }).queries).toEqual([]);
    });

    it.each([
      ["kettles s", "kettles steel", "kettles set"],
      ["rugs w", "rugs wool", "rugs with"],
    ])("completes %s only to what has products of the kind", (typed, expected, other) => {
      const index = indexOf([
        ...many(9, "Steel Kettle with Whistle", { category: "Kettles" }),
        ...many(9, "Wool Rug", { category: "Rugs" }),
        ...many(3, "Hanger Clips, Set of 16 + Kettle", { category: "Hangers" }),
        ...many(3, "Vacuum Cleaner with Brush for Rugs", { category: "Cleaners" }),
      ]);
      const { queries, rowIds } = suggest(index, typed);
      expect(queries).toContain(expected);
      expect(queries).not.toContain(other);
      const shown = index.search({ text: expected, offset: 0, limit: 9 }).rowIds;
      expect(rowIds.filter((id) => !shown.includes(id))).toEqual([]);
    });

    it("suggests no word that only descriptions have, nothing of other sources, and no search twice", () => {
      expect(suggest(shop, "batt", { source: 0 }).queries).toEqual([]);
      expect(suggest(shop, "rubb", { source: 0 })).toMatchObject({ queries: [], brands: [], rowIds: [] });
      expect(suggest(shop, "rubb", { source: 1 }).queries).toContain("rubber boots");
      const { queries } = suggest(shop, "running running", { source: 0 });
      expect(queries.filter((query) => /running.*running/.test(query))).toEqual([]);
    });

    it("never suggests more than asked for, also of words with different slips", () => {
      const index = indexOf([
        ...many(9, "Lorn Oak Lamp"),
        ...many(9, "Mora Oak Lamp"),
        ...many(9, "Sora Lamp"),
      ]);
      for (const queries of [1, 2, 3])
        expect(suggest(index, "lora", { queryLimit: queries }).queries, `${queries}`).toHaveLength(queries);
    });

    it("ignores a word without similar ones, like a search", () => {
      expect(suggest(shop, "xqzt lam", { source: 0 }).queries).toContain("lamp");
    });
  });

  describe("brands and categories", () => {
    it.each([
      ["r", ["Runa Sport"], []],
      ["spo", ["Runa Sport"], []],
      ["etoile b", ["Étoile Brume"], []],
      ["shoes noct", ["Noctis"], []],
      ["noktis", ["Noctis"], []],
      ["lamps", [], ["Home > Lamps"]],
      ["home", [], ["Home > Cleaning", "Home > Lamps"]],
      ["sh", [], ["Shirts", "Shoes"]],
    ])("for %s", (typed, brands, categories) => {
      const found = suggest(shop, typed, { source: 0 });
      expect(found.brands).toEqual(brands);
      expect([...found.categories].toSorted()).toEqual(categories);
    });

    it("are sorted by frequency, without those of deleted documents", () => {
      expect(suggest(shop, "s", { source: 0 }).categories).toEqual(["Shoes", "Shirts"]);
      const writer = createIndexWriter(emptySnapshot);
      writer.apply(
        { upserts: [buildDocument(1, { fields: { name: "mug", brand: "Bolt" } })], deletes: [] },
        1,
      );
      expect(suggest(openIndex(writer.snapshot), "bo").brands).toEqual(["Bolt"]);
      const snapshot = writer.apply({ upserts: [buildDocument(2, "teapot")], deletes: [1] }, 2);
      expect(suggest(openIndex(snapshot), "bo").brands).toEqual([]);
    });
  });

  describe("documents", () => {
    it("are those of the first completed query, or of the text if there is none", () => {
      const { queries, rowIds: ids } = suggest(shop, "desk", { source: 0 });
      const found = shop.search({ text: queries[0] ?? "", filters: { source: 0 }, offset: 0, limit: 5 });
      expect(ids).toEqual(found.rowIds);
      expect(ids).toHaveLength(5);
    });

    it("have the words as written; synonyms are used only if these find nothing", () => {
      const index = indexOf([
        ...many(3, "Velvet Couch"),
        ...many(3, "Linen Sofa"),
        ...many(1, "Linen Loveseat"),
      ]);
      const names = (text: string) => suggest(index, text).rowIds.length;
      expect(index.search({ text: "couch", offset: 0, limit: 10 }).total).toBe(6);
      expect(names("couch")).toBe(3);
      expect(suggest(index, "settee")).toMatchObject({ queries: [] });
      expect(names("settee")).toBe(5);
    });

    it("are empty for an empty text and for punctuation", () => {
      for (const typed of ["", " ", "?!"])
        expect(suggest(shop, typed)).toEqual({ queries: [], brands: [], categories: [], rowIds: [] });
    });
  });

  describe("phrases", () => {
    it("are computed again when segments merge, and find documents after deletions", () => {
      const writer = createIndexWriter(emptySnapshot);
      writer.apply({ upserts: many(3, "Espresso Cup"), deletes: [] }, 1);
      const cups = many(6, "Walnut Egg Cup");
      const snapshot = writer.apply({ upserts: cups, deletes: [] }, 2);
      expect(suggest(openIndex(snapshot), "egg").queries).toEqual(expect.arrayContaining(["walnut egg cup"]));
      const gone = writer.apply({ upserts: [], deletes: cups.map(({ id }) => id) }, 3);
      expect(suggest(openIndex(gone), "egg").queries).toEqual([]);
    });

    it("do not include incomplete ones", () => {
      const index = indexOf([...many(9, "Stainless Steel Pan"), ...many(9, "Steel Hook")]);
      expect(suggest(index, "stain").queries[0]).toBe("stainless steel pan");
      expect(suggest(index, "ste").queries[0]).toBe("steel");
    });
  });

  describe("the spelling of queries", () => {
    const names = [
      ...["Kühltasche für Strand", "KÜHLTASCHE, Blau", "Kuhltasche Öko"],
      ...["Men’s Trail Shoes", "Men's Road Shoes", "MENS Boots"],
      ...["Красный чайник", "Чайник с ёмкостью", "İpek Bluz", "ipek bluz"],
      ...["Große Tasche", "Gross Weight Scale", "Gross Margin Book", "Gross Profit Book"],
    ];
    const documents = names.flatMap((name) => many(2, name));
    const bag = indexOf(documents);

    it.each([
      ["kuhl", "kühltasche"],
      ["kühltasche b", "kühltasche blau"],
      ["mens t", "men's trail"],
      ["красн", "красный"],
      ["чаи", "чайник"],
      ["gros", "gross"],
      ["ipe", "ipek bluz"],
    ])("is that of most names: %s, %s", (typed, expected) => {
      expect(suggest(bag, typed).queries).toContain(expected);
    });

    it("is that of corrected words too", () => {
      const { correctedText } = bag.search({ text: "kuhltashce", offset: 0, limit: 5 });
      expect(correctedText).toBe("kühltasche");
    });

    it("is the same whether a document was added first, later or again", () => {
      const writer = createIndexWriter(emptySnapshot);
      let index = openIndex(emptySnapshot);
      let sequence = 0;
      const apply = (upserts: readonly IndexDocument[], deletes: readonly number[] = []) => {
        index = openIndex(writer.apply({ upserts, deletes }, ++sequence));
      };
      const queriesOf = (typed: string) => suggest(index, typed).queries;
      for (const document of documents) apply([document]);
      const large = documents.filter(({ fields }) => fields.name.startsWith("Große"));
      for (let round = 0; round < 30; round++) apply(round % 3 === 0 ? documents : large);
      for (const typed of ["kuhl", "mens t", "чаи", "gros"])
        expect(queriesOf(typed), typed).toEqual(suggest(bag, typed).queries);
      apply(
        [],
        documents.filter(({ fields }) => fields.name.startsWith("Gross")).map(({ id }) => id),
      );
      for (let round = 0; round < 10; round++) apply(large);
      expect(queriesOf("gros")).toEqual(expect.arrayContaining(["große", "große tasche"]));
    });
  });

  describe("whatever is typed", () => {
    const edits = fc.array(editArbitrary, { minLength: 1, maxLength: 5 });
    const typed = fc.array(
      fc.oneof(
        fc.string({ unit: "grapheme", maxLength: 20 }),
        fc.constantFrom(
          "l",
          "lam",
          "oak vel",
          "Größe 1",
          "シャ",
          "noct",
          "ıst",
          "ket",
          "lmap",
          "blue ",
          "12",
          "chair o",
        ),
      ),
      { minLength: 1, maxLength: 10 },
    );

    it("completed queries and names find a document, and nothing is suggested twice", () => {
      fc.assert(
        fc.property(edits, typed, fc.option(fc.nat(2), { nil: undefined }), (history, texts, source) => {
          const writer = createIndexWriter(emptySnapshot);
          history.forEach((edit, i) => void writer.apply(edit, i + 1));
          const index = openIndex(writer.snapshot);
          for (const text of texts) {
            const { queries, brands, categories, rowIds: ids } = suggest(index, text, { source });
            const total = (query: string, filters = {}) =>
              index.search({
                text: query,
                filters: { source, ...filters },
                everyWord: true,
                offset: 0,
                limit: 1,
              }).total;
            for (const query of queries) expect(total(query), query).toBeGreaterThan(0);
            for (const brand of brands) expect(total("", { brands: [brand] }), brand).toBeGreaterThan(0);
            for (const category of categories)
              expect(total("", { categories: [category] })).toBeGreaterThan(0);
            for (const list of [queries, brands, categories]) expect(new Set(list).size).toBe(list.length);
            expect(new Set(ids).size).toBe(ids.length);
          }
        }),
        { numRuns: 40 },
      );
    });
  });
});

describe("completions", () => {
  const wordsEach = 1000;

  /** Lamps with so many different words that begin with 40. Most words are in two documents, one after the other. */
  function lamps(words: number): IndexDocument[] {
    const numbers = Array.from({ length: words }, (_, i) => `40${100_000 + i}`);
    return Array.from({ length: Math.ceil((2 * words) / wordsEach) }, (_, id) => {
      const start = (id * wordsEach) / 2;
      const description = numbers.slice(start, start + wordsEach).join(" ");
      return buildDocument(id, { fields: { name: "brass lamp", description } });
    });
  }

  function indexOf(documents: readonly IndexDocument[], segments: number) {
    const parts = Array.from({ length: segments }, (_, segment) => {
      const builder = createSegmentBuilder();
      for (const document of documents) if (document.id % segments === segment) builder.add(document);
      return snapshotOf(builder.build(), 1).segments;
    });
    return openIndex({ sequence: 1, segments: parts.flat() });
  }

  describe.each([1, 3])("completions in %i segments", (segments) => {
    it("are all words that begin with the last word", () => {
      const index = indexOf(lamps(maxCompletions), segments);
      const { total, words } = index.search({ text: "lamp 40", offset: 0, limit: 10 });
      expect(words[1]?.as).toBe("completed");
      expect(total).toBe(index.documents);
    });

    it("are none if these are too many", () => {
      const index = indexOf(lamps(maxCompletions + 1), segments);
      const search = (text: string) => index.search({ text, offset: 0, limit: 10 });
      expect(search("lamp 40").words[1]?.as).toBe("unknown");
      expect(search("40").total).toBe(0);
      expect(search("lamp 40100").words[1]?.as).toBe("completed");
    });

    it.each([
      [
        "are added to a known word of which no document has the others",
        maxCompletions,
        (2 * maxCompletions) / wordsEach,
      ],
      ["are not added to a known word if they are too many", maxCompletions + 1, 0],
    ])("%s", (_, words, expected) => {
      const known = buildDocument(100, "tin 40");
      const index = indexOf([...lamps(words - 1), known], segments);
      const total = (text: string) => index.search({ text, offset: 0, limit: 10, everyWord: true }).total;
      expect([total("lamp 40"), total("tin 40")]).toEqual([expected, 1]);
    });
  });

  const sorted = (words: readonly string[]) => [...new Set(words)].sort(compareCodePoints);

  test("letters are shared as a whole, not by the bytes of their encoding", () => {
    const table = packStrings(
      sorted(["lamb", "lamp", "lamps", "sé", "sè", "séa", "シャ", "ショ", "\u{1f600}", "\u{1f601}"]),
    );
    expect([...sharedLetters(table)]).toEqual([0, 3, 4, 0, 1, 2, 0, 1, 0, 0]);
  });

  test("the distances to sorted words are those to each word alone", () => {
    // Few letters, so that many words begin alike.
    const word = fc.string({
      unit: fc.constantFrom("a", "b", "c", "é", "è", "シ", "\u{1f600}"),
      maxLength: 9,
    });
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 40 }),
        fc.tuple(word, word).map((parts) => parts.join("")),
        fc.constantFrom(1, 2),
        (words, typed, limit) => {
          const texts = sorted(words);
          const table = packStrings(texts);
          const shared = sharedLetters(table);
          const together = new SortedPrefixDistance(typed, limit);
          const alone = new PrefixDistance(typed, limit);
          let lettersForSame = Number.POSITIVE_INFINITY;
          let last = 0;
          texts.forEach((text, i) => {
            const letters = shared[i] ?? 0;
            if (letters < lettersForSame) {
              last = together.next(table.bytes, table.offsets[i] ?? 0, table.offsets[i + 1] ?? 0, letters);
              ({ lettersForSame } = together);
            }
            expect(Math.min(last, limit + 1), `${typed}, ${text}`).toBe(alone.to(text));
          });
        },
      ),
      { numRuns: 2000 },
    );
  });

  function neighboursOf(names: readonly string[]): WordNeighbours {
    const builder = createSegmentBuilder();
    names.forEach((name, id) => {
      builder.add(buildDocument(id, name));
    });
    return new WordNeighbours(openSegment(builder.build()));
  }

  const names = [
    ...Array.from({ length: 40 }, () => "vacuum cleaner"),
    "vaccum",
    "vacuums",
    "vaccume",
    "cleanor",
  ];

  test("words are found by their distance, shortest first, then in alphabetical order", () => {
    const found = neighboursOf(names).find("vaccuum", 1);
    expect(found).toEqual([
      { word: "vaccum", distance: 1 },
      { word: "vacuum", distance: 1 },
    ]);
  });

  test("a search for frequent words does not look at rare ones, and finds every frequent one", () => {
    const neighbours = neighboursOf(names);
    expect(neighbours.find("vaccuum", 1, 40)).toEqual([{ word: "vacuum", distance: 1 }]);
    expect(neighbours.find("cleanor", 1, 40)).toEqual([{ word: "cleaner", distance: 1 }]);
    expect(neighbours.find("cleanor", 1)).toHaveLength(2);
  });
});
