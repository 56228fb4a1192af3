import { describe, expect, it } from "vitest";
import {
  createIndexWriter,
  createSegmentBuilder,
  emptySnapshot,
  english,
  type IndexDocument,
  openIndex,
  type SearchQuery,
  snapshotOf,
  type TextIndex,
} from "../src/index.ts";
import { buildDocument } from "./edited-index.ts";

function indexOf(documents: readonly IndexDocument[]): TextIndex {
  const builder = createSegmentBuilder();
  for (const document of documents) builder.add(document);
  return openIndex(snapshotOf(builder.build(), 1));
}

const named = (...names: string[]): TextIndex => indexOf(names.map((name, id) => buildDocument(id, name)));
const search = (index: TextIndex, text: string, query: Partial<SearchQuery> = {}) =>
  index.search({ text, offset: 0, limit: 20, ...query });

describe("related documents", () => {
  it("have two of the words rather than the rarest one, however many have that", () => {
    const names = [
      ...Array<string>(140).fill("zebra"),
      ...Array<string>(20).fill("walnut lantern"),
      ...Array<string>(180).fill("walnut"),
      ...Array<string>(190).fill("lantern"),
      ...Array<string>(500).fill("desk"),
    ];
    const found = search(named(...names), "zebra walnut lantern", { everyWord: true, relatedCount: 20 });
    expect(found.total).toBe(0);
    expect(found.relatedRowIds.map((id) => names[id])).toEqual(Array<string>(20).fill("walnut lantern"));
  });

  it("are found behind many better ones that rules hide", () => {
    const names = [
      "zebra lamp",
      ...Array<string>(400).fill("lamp"),
      ...Array<string>(30).fill("lamp of brass"),
    ];
    const hide = names.flatMap((name, id) => (name === "lamp" ? id : []));
    const found = search(named(...names), "zebra lamp", { relatedCount: 20, rules: { hide } });
    expect([found.rowIds, found.relatedRowIds.length]).toEqual([[0], 20]);
    expect(found.relatedRowIds.every((id) => id > 400)).toBe(true);
  });

  it("are found under a filter that no document with the rarest words passes", () => {
    const products = [
      ...Array<{ brand: string; name: string }>(300).fill({ brand: "Alder", name: "walnut lamp" }),
      ...Array<{ brand: string; name: string }>(700).fill({ brand: "Birch", name: "red desk" }),
    ];
    const index = indexOf(
      products.map(({ brand, name }, id) => buildDocument(id, { fields: { brand, name } })),
    );
    const query = { filters: { brands: ["Birch"] }, everyWord: true, relatedCount: 20 };
    const found = search(index, "red walnut lamp", query);
    expect(found.total).toBe(0);
    expect(found.relatedRowIds).toHaveLength(20);
    expect(found.relatedRowIds.every((id) => id >= 300)).toBe(true);
  });

  it.each([
    [15, 20],
    [25, 0],
  ])("follow the %i products with a part of the words, of which none has all: %i", (lamps, related) => {
    const index = named(
      ...Array.from({ length: lamps }, () => "red desk lamp"),
      ...Array.from({ length: 30 }, () => "walnut shelf"),
    );
    const found = search(index, "walnut desk lamp", { relatedCount: 20 });
    expect([found.total, found.relatedRowIds.length]).toEqual([lamps, related]);
  });
});

describe("matching", () => {
  it("requires all words if any product of the source has them, whatever the filters", () => {
    const index = indexOf([
      buildDocument(1, { fields: { name: "red desk lamp", brand: "Alder" } }),
      buildDocument(2, { fields: { name: "blue desk lamp", brand: "Birch" } }),
      buildDocument(3, { fields: { name: "blue desk lamp", brand: "Birch" }, source: 1 }),
    ]);
    const found = (filters: SearchQuery["filters"]) => {
      const { rowIds: ids, words } = search(index, "red desk lamp", { filters, relatedCount: 5 });
      return { ids, dropped: words.filter(({ as }) => as === "dropped").map(({ word }) => word) };
    };
    expect(found({ source: 0 })).toEqual({ ids: [1], dropped: [] });
    expect(found({ source: 0, brands: ["Birch"] })).toEqual({ ids: [], dropped: [] });
    expect(found({ source: 1 })).toEqual({ ids: [3], dropped: ["red"] });
  });

  it("drops measures first, then properties, then uses", () => {
    const index = named(
      "oak kitchen lamp",
      "red kitchen lamp",
      "oak lamp 40 cm",
      "red oak lamp",
      "zinc pot 9",
    );
    const read = (text: string) => {
      const { total, words } = search(index, text);
      return [total, words.filter(({ as }) => as === "dropped").map(({ word }) => word)];
    };
    expect(read("oak kitchen lamp 40 cm")).toEqual([1, ["40", "cm"]]);
    expect(read("red kitchen lamp of oak")).toEqual([1, ["oak"]]);
    expect(read("lamp of zinc")).toEqual([4, ["zinc"]]);
  });

  it("never drops the thing, nor what makes it another thing", () => {
    const index = named(
      "dog leash",
      "dog bed",
      "guest bed",
      "pillow bed",
      "coconut water",
      "sun oil",
      "wine",
      "glass",
    );
    const nothing = ["cat bed", "coconut oil", "pink dog sofa", "wine glass", "bed for dogs and cats glass"];
    for (const text of nothing.slice(0, 4)) expect(search(index, text).total, text).toBe(0);
    expect(search(index, "pink dog bed").rowIds).toEqual([1]);
    expect(search(index, "bed for dogs").rowIds).toEqual([1]);
    expect(search(index, "coconut oil", { relatedCount: 9 }).relatedRowIds.sort()).toEqual([4, 5]);
  });

  it("drops no noun that the catalog lacks behind the thing, but one that is part of a property", () => {
    const builder = createSegmentBuilder();
    const names = ["trampoline", "jet", "tomato sauce", "gluten balance", "free card"];
    for (const [id, name] of names.entries()) builder.add(buildDocument(id, name));
    const dictionary = { has: () => true, isNoun: () => true };
    const index = openIndex(snapshotOf(builder.build(), 1), undefined, [{ ...english, dictionary }]);
    expect(search(index, "trampoline net").total).toBe(0);
    expect(search(index, "gluten free tomato sauce").rowIds).toEqual([2]);
  });

  it("takes a light word for the thing where names do: a can", () => {
    const index = named(
      "watering can, steel",
      "watering can, tin",
      "blue watering nozzle",
      "fork set",
      "fork",
    );
    expect(search(index, "blue watering can").rowIds.sort()).toEqual([0, 1]);
    expect(search(index, "tin can").rowIds).toEqual([1]);
    expect(search(index, "blue fork set").rowIds).toEqual([3]);
    expect(search(index, "watering set").rowIds.sort()).toEqual([0, 1, 2]);
  });

  it("takes a use that is the name of a category for no thing", () => {
    const index = indexOf([
      ...[1, 2, 3].map((id) => buildDocument(id, { fields: { name: "sandals", category: "Men" } })),
      buildDocument(4, { fields: { name: "boots", category: "Women" } }),
    ]);
    expect(search(index, "boots men").rowIds).toEqual([4]);
  });

  it("ranks an exact name first, also one with more words than are read", () => {
    const name = Array.from({ length: 40 }, (_, i) => `w${String.fromCharCode(97 + (i % 26))}${i}`).join(" ");
    const index = named(`${name} more`, name, `best ${name}`, "desk lamp lamp", "lamp desk", "desk lamp");
    expect(search(index, name).rowIds[0]).toBe(1);
    expect(search(index, "desk lamp").rowIds[0]).toBe(5);
  });

  it("drops light words before the thing itself", () => {
    const index = named("shower kit", "shower door", "under cabinet light", "three piece suite", "deck box");
    expect(search(index, "one piece showers").rowIds.sort()).toEqual([0, 1]);
    expect(search(index, "under deck ceiling light").rowIds[0]).toBe(2);
  });

  it("finds nothing if no product is the thing, and reports the thing", () => {
    const index = indexOf([
      buildDocument(1, { fields: { name: "red backpack", description: "room for a laptop" } }),
      buildDocument(2, { fields: { name: "laptop sleeve" } }),
      ...Array.from({ length: 9 }, (_, i) => buildDocument(10 + i, "grey sleeve")),
    ]);
    const found = search(index, "red laptop", { relatedCount: 5, filters: { source: 0 } });
    expect(found).toMatchObject({ rowIds: [1], relatedRowIds: [2], absentThing: undefined });
    const absent = search(index, "grey laptop", { relatedCount: 5 });
    expect(absent).toMatchObject({ total: 0, absentThing: "laptop" });
    expect(absent.relatedRowIds).toHaveLength(5);
    // A word of names is never absent.
    expect(search(index, "laptop").rowIds).toEqual([2, 1]);
    expect(search(index, "red umbrella").total).toBe(0);
    expect(search(index, "laptop", { everyWord: true }).total).toBe(2);
    expect(search(index, "backpack for a laptop").rowIds[0]).toBe(1);
  });

  it("takes what is below a level of categories for the thing that it is called", () => {
    const below = (id: number, name: string, ...path: string[]) =>
      buildDocument(id, { fields: { name, category: path.at(-1) ?? "" }, categoryPaths: [path] });
    const index = indexOf([
      below(1, "Ridge Hill 2018", "Drinks", "Wines", "Red", "Rioja"),
      below(2, "Coast 2020", "Drinks", "Wines", "White", "Baden"),
      below(3, "Mountain 12", "Drinks", "Whisky", "Islay"),
    ]);
    expect(search(index, "wine").rowIds.sort()).toEqual([1, 2]);
    expect(search(index, "red wine")).toMatchObject({ rowIds: [1] });
    expect(search(index, "lamp")).toMatchObject({ total: 0 });
  });

  it("finds what is below a level of categories only by its whole name", () => {
    const below = (id: number, name: string, store: string, ...path: string[]) =>
      buildDocument(id, { fields: { name, store, category: path.at(-1) ?? "" }, categoryPaths: [path] });
    const index = indexOf([
      below(1, "Basmati", "Lantern Market", "Foodgrains, Oil & Masala", "Rice"),
      below(2, "Sunflower oil", "Paper Boat", "Foodgrains, Oil & Masala", "Cooking fats"),
      below(3, "Oslo", "Paper Boat", "Furniture", "Garden Furniture", "Benches"),
    ]);
    const found = (text: string) => search(index, text).rowIds.sort();
    expect(found("oil")).toEqual([2]);
    expect(found("foodgrains oil & masala")).toEqual([1, 2]);
    expect(found("furniture")).toEqual([3]);
    expect(found("garden furniture")).toEqual([3]);
    expect([found("lantern"), found("paper")]).toEqual([[], []]);
  });

  it("has documents of nearer kinds first, then by relevance and quality", () => {
    const of = (id: number, name: string, category: string, quality: number) =>
      buildDocument(id, { fields: { name, category }, quality });
    const index = indexOf([
      of(1, "oak chair", "Chairs", 1),
      of(2, "oak stool", "Stools", 9),
      of(3, "bench", "Benches", 99),
      of(4, "chair", "Chairs", 5),
    ]);
    const kinds = ["Chairs", "Stools", "Benches"].map((category) => ({ category, words: "" }));
    expect(search(index, "", { filters: { kinds } }).rowIds).toEqual([4, 1, 2, 3]);
    expect(search(index, "", { filters: { kinds: kinds.toReversed() } }).rowIds).toEqual([3, 2, 4, 1]);
    expect(search(index, "oak", { filters: { kinds: kinds.toReversed() } }).rowIds).toEqual([2, 1]);
    expect(search(index, "", { filters: { kinds }, sort: "popularity" }).rowIds).toEqual([3, 2, 4, 1]);
  });

  it("reads a thing that no name has as what shops have instead", () => {
    const index = named("wool rug", "oak shelf", "duck coin purse for a carpet shop");
    expect(search(named("wool rug", "oak shelf"), "carpet").rowIds).toEqual([0]);
    expect(search(index, "carpet").rowIds).not.toContain(0);
    expect(search(named("wool rug"), "iphone case").total).toBe(0);
  });

  it("takes no number at the end of a name for the thing", () => {
    const index = named(
      "Corax printer 3",
      ...Array.from({ length: 9 }, (_, i) => `vase ${"abcdefghi"[i]} 3`),
    );
    expect(search(index, "printer")).toMatchObject({ total: 1, absentThing: undefined });
  });

  it("finds the same for different spellings of a number, a size and a word", () => {
    const index = named("3-1/2 in. screw", "1 in. x 4 in. board", "cotton T-Shirt", "500 ml flask");
    const first = (text: string) => search(index, text).rowIds[0];
    expect(["3.5 in screw", "3 1/2 inch screw"].map(first)).toEqual([0, 0]);
    expect(["1x4 board", "1 x 4", "4x1 board"].map(first)).toEqual([1, 1, 1]);
    expect(["tshirt", "t shirt", "t-shirts"].map(first)).toEqual([2, 2, 2]);
    expect(["0.5 l flask", "500ml flask"].map(first)).toEqual([3, 3]);
  });

  it("corrects a rare word that no dictionary and no brand has to one that ten times more products have", () => {
    const dictionary = { has: (word: string) => word === "vacuity", isNoun: () => false };
    const language = { ...english, dictionary };
    const vacuums = Array.from({ length: 60 }, (_, i) => buildDocument(i, `number ${i} vacuum`));
    const others = [
      buildDocument(60, "vaccum bag"),
      buildDocument(61, "vacuity"),
      buildDocument(62, { fields: { name: "vacuun", brand: "Vacuun" } }),
    ];
    const index = openIndex(
      createIndexWriter(emptySnapshot, [language]).apply(
        { upserts: [...vacuums, ...others], deletes: [] },
        1,
      ),
      undefined,
      [language],
    );
    const found = search(index, "vaccum");
    expect(found).toMatchObject({ total: 61, correctedText: "vacuum" });
    expect(found.rowIds[0]).not.toBe(60);
    for (const word of ["vacuity", "vacuun"])
      expect(search(index, word)).toMatchObject({ total: 1, correctedText: undefined });
  });

  it("corrects a short word only to one with all its letters", () => {
    const index = named("ten drawers", "nine boats", "lamp", "shoes", "mug");
    expect(search(index, "lmap").correctedText).toBe("lamp");
    expect(search(index, "shos").correctedText).toBe("shoes");
    expect(search(index, "mugg").correctedText).toBe("mug");
    for (const other of ["tent", "nike", "coat"]) expect(search(index, other).total, other).toBe(0);
  });

  it.each([
    ["a slip", "chandeleir", "chandelier"],
    ["a missing letter", "milwakee", "milwaukee"],
    ["two words written as one", "lightswitch", "light switch"],
  ])("understands %s", (_, typed, meant) => {
    const index = named("crystal chandelier", "milwaukee drill", "light switch", "table");
    const { correctedText, total } = search(index, typed);
    expect(correctedText).toBe(meant);
    expect(total).toBe(1);
  });

  it("finds words with the last word as a prefix, and one word for two", () => {
    const index = named("chrome showerhead", "brass shower curtain");
    expect(search(index, "chrome showerh").rowIds).toEqual([0]);
    expect(search(index, "shower head").rowIds[0]).toBe(0);
  });

  it("finds nothing for punctuation and everything for the empty text", () => {
    const index = named("one", "two");
    expect(search(index, "?!").total).toBe(0);
    expect(search(index, " ").total).toBe(2);
  });
});

describe("ranking", () => {
  it("orders by adjacent words, then quality, then the tie", () => {
    const index = indexOf([
      buildDocument(1, { fields: { name: "lamp for a red desk" } }),
      buildDocument(2, { fields: { name: "a desk with red lamp" }, quality: 40 }),
      buildDocument(3, { fields: { name: "a desk with red lamp" }, tie: 2 }),
      buildDocument(4, { fields: { name: "a desk with red lamp" }, tie: 1 }),
    ]);
    expect(search(index, "red lamp").rowIds).toEqual([4, 3, 2, 1]);
  });
});
