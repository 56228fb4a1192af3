import { describe, expect, it } from "vitest";
import {
  chooseKinds,
  closestKinds,
  contentWords,
  createKindTable,
  findKinds,
  isFixedName,
  openWordMeaning,
  readMeaning,
  tellingWords,
} from "../src/index.ts";

const meaning = openWordMeaning(readMeaning());

const rows: readonly [category: string, thing: string, description: string][] = [
  ["Chairs", "Dining Chair", "A seat with a backrest."],
  ["Sofas", "Two-Seater Sofa", "Soft seats for two."],
  ["Shoes", "Running Shoes", "Cushioned sole for jogging."],
  ["Shoes", "Hiking Boots", "Ankle support for long hikes."],
  ["Jackets", "Rain Jacket", "Waterproof, with a hood for storms."],
  ["Kettles", "Electric Kettle", "Boils a litre for tea."],
];
const products = rows.flatMap(([category, thing, description]) =>
  ["Auro", "Bela", "Cori", "Deva"].map((model) => ({
    name: `Nordvik ${model} ${thing}, Black`,
    brand: "Nordvik",
    category,
    path: category === "Chairs" || category === "Sofas" ? ["Home"] : [],
    description,
  })),
);
const kinds = findKinds(meaning, products);
const table = await createKindTable(meaning, kinds);
const chosen = (text: string) => chooseKinds(meaning, table, text)?.kinds.map(({ name }) => name) ?? [];

describe("the kinds of a catalog", () => {
  it("are categories and the names that products share", () => {
    const names = kinds.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["Chairs", "Shoes", "running shoes", "hiking boots"]));
    expect(names.some((name) => /auro|nordvik|black/i.test(name))).toBe(false);
  });

  it("have the words that tell them from the others", () => {
    expect(kinds.find(({ name }) => name === "rain jacket")?.telling).toEqual(
      expect.arrayContaining(["waterproof", "storms"]),
    );
  });

  it("are not made of names that are no things", () => {
    const names = ["Blue Forever", "Deep Forever", "Red Forever"];
    const none = names.map((name) => ({ name, brand: "", category: "", path: [], description: "" }));
    expect(findKinds(meaning, none)).toEqual([]);
  });

  it("are not made of models with many variants, nor of their numbers", () => {
    const lamps = ["Auro", "Bela", "Cori"].flatMap((model) =>
      ["One", "Two", "Three"].flatMap((version) =>
        ["Pink", "Brass"].map((colour) => ({
          name: `Clamp ${model} Desk Lamp ${version}`,
          brand: "",
          category: "",
          path: [],
          description: colour,
        })),
      ),
    );
    const chairs = ["Auro", "Auro", "Auro", "Bela", "Cori"].map((model) => ({
      name: `${model} Chair`,
      brand: "",
      category: "",
      path: [],
      description: "",
      group: model,
    }));
    const names = findKinds(meaning, [...lamps, ...chairs]).map(({ name }) => name);
    expect(names).toContain("chair");
    expect(names.filter((name) => /one|two|three|auro chair/.test(name))).toEqual([]);
    expect(names.some((name) => name.endsWith("desk lamp"))).toBe(true);
  });

  it("share one buffer of at most 5,000 kinds", async () => {
    const [kind] = kinds;
    if (kind === undefined) throw new Error("no kinds");
    const many = await createKindTable(
      meaning,
      Array.from({ length: 6000 }, () => kind),
    );
    expect(many.kinds).toHaveLength(5000);
    expect(many.vectors.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(many.vectors.byteLength).toBeLessThan(9_000_000);
  });
});

describe("choosing kinds", () => {
  it.each([
    ["something to sit on", ["Chairs", "dining chair", "Sofas", "two seater sofa"]],
    ["a present for somebody who jogs", ["running shoes", "Shoes"]],
    ["boil water for tea", ["Kettles", "electric kettle"]],
    ["footwear", ["Shoes", "running shoes", "hiking boots"]],
    ["black footwear", ["Shoes", "running shoes", "hiking boots"]],
  ])("%s", (text, names) => {
    const [first] = chosen(text);
    expect(names).toContain(first);
  });

  it("finds all kinds below an umbrella word, and leaves the other words", () => {
    expect(chosen("furniture")).toEqual(
      expect.arrayContaining(["Chairs", "dining chair", "Sofas", "two seater sofa"]),
    );
    expect(chosen("furniture")).not.toContain("Shoes");
    expect(chooseKinds(meaning, table, "black furniture")?.otherWords).toEqual(["black"]);
  });

  it("takes a fixed name as a whole", () => {
    expect(isFixedName(meaning, "a toilet seat")).toBe(true);
    expect(isFixedName(meaning, "seat for a chair")).toBe(false);
    expect(chosen("toilet seat")).toEqual([]);
  });

  it.each(["swimsuit", "sleeping bag", "microwave", "a wine glass", "smartphone", "qqxzzy", "", "for the"])(
    "chooses none for %j, which the catalog lacks",
    (text) => {
      expect(chosen(text)).toEqual([]);
    },
  );
});

describe("the table of needs", () => {
  const pump = { name: "sump pump", category: "Pumps", path: [], telling: ["submersible", "automatic"] };
  const hose = { name: "garden hose", category: "Hoses", path: [], telling: ["flexible", "water"] };
  const chosenOf = async (kindsOf: readonly (typeof pump)[], text: string) =>
    chooseKinds(meaning, await createKindTable(meaning, kindsOf), text)?.closest.map(({ name }) => name) ??
    [];

  it.each(["my cellar is flooded", "Keller überflutet", "la cave est inondée", "sótano inundado"])(
    "names the cure: %s",
    async (text) => {
      expect(await chosenOf([hose, pump], text)).toEqual(["sump pump"]);
    },
  );

  it.each(["a gift for somebody who has a green thumb", "ma soeur a la main verte"])(
    "names kinds in the plural: %s",
    async (text) => {
      const pots = { name: "Plant Pots", category: "Plant Pots", path: [], telling: ["terracotta"] };
      const vases = { name: "Vases", category: "Vases", path: [], telling: ["bouquets"] };
      expect((await chosenOf([hose, pots, vases], text)).toSorted()).toEqual(["Plant Pots", "Vases"]);
    },
  );

  it("chooses nothing if the catalog lacks the cure", async () => {
    expect(await chosenOf([hose], "the cellar is flooded")).toEqual([]);
    const table = await createKindTable(meaning, [hose]);
    expect(closestKinds(meaning, table, "the cellar is flooded", 3)).toEqual([]);
    expect(closestKinds(meaning, table, "the lawn is dry", 3)).toHaveLength(1);
  });
});

describe("words that say what is wanted", () => {
  it("are not those of presents", () => {
    expect(contentWords("A présent for my friend's NEW 2 bicycles")).toEqual(["bicycles"]);
  });

  it("knows words of presents in every form", () => {
    const text = "presents and surprises for my sisters, brothers, wives, aunts and a colleague's buddies";
    expect(contentWords(text)).toEqual(["buddies"]);
    expect(contentWords("power supply for the parent company")).toEqual(["power", "supply", "company"]);
  });
});

describe("telling words", () => {
  it("are frequent in their kind and rare in others, and at most so many", () => {
    const texts = [["oak seat seat", "seat"], ["oak bed"], ["oak lamp"]];
    expect(tellingWords(texts, () => true, 1)).toEqual([["seat"], ["bed"], ["lamp"]]);
  });
});
