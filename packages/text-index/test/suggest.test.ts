import fc from "fast-check";
import { describe, expect, it } from "vitest";
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
import { editArbitrary } from "./arbitraries.ts";
import { buildDocument } from "./edited-index.ts";

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
    writer.apply({ upserts: [buildDocument(1, { fields: { name: "mug", brand: "Bolt" } })], deletes: [] }, 1);
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
          for (const category of categories) expect(total("", { categories: [category] })).toBeGreaterThan(0);
          for (const list of [queries, brands, categories]) expect(new Set(list).size).toBe(list.length);
          expect(new Set(ids).size).toBe(ids.length);
        }
      }),
      { numRuns: 40 },
    );
  });
});
